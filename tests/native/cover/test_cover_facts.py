"""Each kind of fact, by kernels whose every line says what is known of it afterwards."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from cover_cases import CASES
from cover_support import OBJDUMP, Launch, Ran, listing, run_covered
from exec_support import assembly_kernel, compile_kernels, needs_harness

from rocm_perf_lab.replay.coverage import ACTIVE, FALSE, NOT_TAKEN, REACHED, TAKEN, TRUE

pytestmark = [
    needs_harness,
    pytest.mark.skipif(shutil.which(OBJDUMP) is None, reason=f"{OBJDUMP} is missing"),
]

LETTERS = {"R": REACHED, "A": ACTIVE, "J": TAKEN, "N": NOT_TAKEN, "T": TRUE, "F": FALSE}
_LINE = re.compile(r"^(?P<text>[^=]*?)\s*(?:;=\s*(?P<facts>[-RAJNTF]+)\s*(?P<pairs>.*))?$")


def _instructions(body: str) -> list[tuple[str, int, list[tuple[int, int]]]]:
    """Text, facts and pairs of every line that is an instruction."""
    found = []
    for line in body.strip().splitlines():
        match = _LINE.match(line.strip())
        assert match, line
        if not match["text"] or match["text"].endswith(":"):
            continue
        facts = 0
        for letter in match["facts"] or "RA":
            facts |= LETTERS.get(letter, 0)
        numbers = [int(n, 0) for n in re.findall(r"0x\w+|\d+", match["pairs"] or "")]
        found.append((match["text"], facts, list(zip(numbers[::2], numbers[1::2]))))
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Mapping[str, int], Sequence[int]]:
    folder = tmp_path_factory.mktemp("cover")
    source = "".join(
        assembly_kernel(name, body.replace(";=", "//")) for name, body in CASES.items()
    )
    code_object = compile_kernels(source, folder, "assembler")
    symbols, texts = listing(folder, code_object)
    launches = [Launch(name) for name in CASES]
    done = run_covered(folder, code_object, launches, {"none": np.zeros(1)}, VROCM_TIMING="0")
    assert done.status == 0, done.stderr
    return done, symbols, sorted(texts)


@pytest.mark.parametrize("name", CASES)
def test_facts(name: str, ran: tuple[Ran, Mapping[str, int], Sequence[int]]) -> None:
    done, symbols, addresses = ran
    number = list(CASES).index(name)
    coverage = done.coverage[number]
    assert (coverage.kernel, coverage.dispatch, coverage.ended) == (name, number, True)
    first = addresses.index(symbols[name])
    expected, known = {}, {}
    for n, (text, facts, pairs) in enumerate(_instructions(CASES[name])):
        offset = addresses[first + n] - symbols[name]
        expected[offset] = (text, facts, pairs)
        seen = coverage.instructions.get(offset)
        shown = list(seen.pairs) if seen and pairs else []
        known[offset] = (text, seen.facts if seen else 0, shown)
    assert known == expected


def test_a_called_function_before_the_kernel_has_a_negative_offset(
    ran: tuple[Ran, Mapping[str, int], Sequence[int]],
) -> None:
    done, symbols, _ = ran
    coverage = done.coverage[list(CASES).index("calls_back")]
    function = symbols["shared_function"] - symbols["calls_back"]
    assert function < 0
    assert coverage.instructions[function].facts == REACHED | ACTIVE
