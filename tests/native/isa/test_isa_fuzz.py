"""Decoding and printing arbitrary words under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from isa_encodings import GROUPS, PREFIXES, random_words
from isa_support import ISA, ROOT, Words, run_decoder

CLANG = shutil.which("clang++-19") or shutil.which("clang++") or ""

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(not CLANG, reason="clang++ is missing: the sanitizer build needs it"),
]


@pytest.fixture(scope="module")
def sanitized_tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool = tmp_path_factory.mktemp("sanitized") / "isa_tool"
    sources = [str(path) for path in sorted(ISA.rglob("*.cpp"))]
    main = str(ROOT / "native" / "tests" / "isa_tool.cpp")
    flags = ["-std=c++17", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [CLANG, *flags, f"-I{ISA.parent}", main, *sources, "-o", str(tool)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "cannot find" in done.stderr and "libclang_rt" in done.stderr:
        pytest.skip("the sanitizer runtime libraries of clang are not installed")
    assert done.returncode == 0, done.stderr[-2000:]
    return tool


def _cut(rng: random.Random, words: Words) -> Words:
    return words[: rng.randint(1, len(words))]


def test_arbitrary_words_are_decoded_without_error(
    sanitized_tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole and cut encodings: the tool holds exactly the given dwords, so any overrun is seen."""
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # `make sanitize` has another runtime there
    rng = random.Random(9420)
    encodings: list[Words] = []
    for prefix in PREFIXES:
        encodings += [_cut(rng, words) for words in random_words(rng, prefix, 8000)]
    for group in GROUPS.values():
        encodings += [_cut(rng, case.words) for case in group(rng, 3)]
    answers = run_decoder(encodings, sanitized_tool)
    assert sum(answer != "-" for answer in answers) > 10000
