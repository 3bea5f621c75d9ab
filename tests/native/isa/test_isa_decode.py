"""The decoder reads and rejects what llvm-mc does, for every opcode of every format."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import isa_encodings
import pytest
from isa_encodings import GROUPS, PREFIXES, crashes_llvm, random_words
from isa_support import ROOT, Words, decode, llvm_texts, needs_decoder, run_decoder

sys.path.insert(0, str(ROOT / "scripts"))

from isa_tables.oracle import ask

pytestmark = [pytest.mark.native, needs_decoder]

TABLES_SCRIPT = ROOT / "scripts" / "isa-tables.py"

# Where LLVM's disassembler takes more than gfx942 has, and this decoder does not follow it.
LENIENT = {
    "operand that LLVM itself marks as invalid": re.compile(r"/\*"),
    "null, a register of later architectures": re.compile(r"\bnull\b"),
    "compare into a read-only register": re.compile(r"^v_cmpx?_\w+ src_"),
    "special register where only vector registers go": re.compile(
        r"^v_(s?mfma|readfirstlane|readlane|swap|accvgpr_read|accvgpr_mov).*\bsrc_"
    ),
}


def leniency(text: str) -> str:
    return next((name for name, pattern in LENIENT.items() if pattern.search(text)), "")


def differences(encodings: Sequence[Words], lenient: Counter[str]) -> list[str]:
    """Where the decoder and llvm-mc disagree; counts the known leniencies apart."""
    ours = decode(encodings)
    # llvm-mc gets as many dwords as the decoder consumed: a wrong length shows as a rejection or
    # as a second instruction.
    exact = [w[: d.bytes // 4] if d else w for w, d in zip(encodings, ours)]
    found = []
    for words, mine, theirs in zip(encodings, ours, llvm_texts(exact)):
        expected = theirs[0] if theirs else None
        if expected is not None and leniency(expected):
            if mine is None:
                lenient[leniency(expected)] += 1
                continue
        elif (mine.text if mine else None) == expected and (mine is None or len(theirs) == 1):
            continue
        encoding = " ".join(f"{word:08x}" for word in words)
        found.append(f"{encoding}: llvm {theirs}, decoder {mine}")
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_every_form_reads_as_llvm_prints_it(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    cases = list(GROUPS[group](random.Random(942), 12))
    encodings = [case.words for case in cases]
    lenient: Counter[str] = Counter()
    wrong = differences(encodings, lenient)
    assert not wrong, f"{len(wrong)} of {len(cases)} differ:\n" + "\n".join(wrong[:20])
    accepted = Counter(case.form for case, mine in zip(cases, decode(encodings)) if mine)
    never = {case.form for case in cases} - set(accepted)
    assert not never, f"no valid example of {sorted(never)[:20]}"
    with capsys.disabled():
        print(f"\n{group}: {len(accepted)} forms, {sum(accepted.values())} encodings agree")


@pytest.mark.parametrize("prefix", PREFIXES)
def test_random_words_are_read_or_rejected_alike(prefix: str) -> None:
    words = random_words(random.Random(prefix), prefix, 20000)
    encodings = [w for w in words if not crashes_llvm(w) and not _nop_with_marker(w)]
    lenient: Counter[str] = Counter()
    wrong = differences(encodings, lenient)
    assert not wrong, f"{len(wrong)} of {len(encodings)} differ:\n" + "\n".join(wrong[:20])
    assert sum(lenient.values()) < len(encodings) / 20


def _nop_with_marker(words: Words) -> bool:
    """v_nop with a DPP marker in its unused source: LLVM may read the next dword as modifiers."""
    return words[0] & 0xFFFFFFFF == 0x7E0000FA


def test_selects_that_do_not_exist_are_rejected() -> None:
    base = 0x06060606
    bad = [base | 7 << 8, base | 7 << 16, base | 7 << 24, base | 3 << 11]
    mov_add = [(0x7E0202F9, bad[0]), (0x7E0202F9, bad[1])] + [(0x020404F9, word) for word in bad]
    assert run_decoder(mov_add) == ["-"] * len(mov_add)


def test_an_instruction_cut_short_is_rejected() -> None:
    """Every encoding of two dwords, given only the first."""
    whole = [case.words for group in GROUPS.values() for case in group(random.Random(1), 1)]
    long = [w for w, d in zip(whole, decode(whole)) if d is not None and d.bytes == 8]
    assert len(long) > 1000
    assert all(answer is None for answer in decode([w[:1] for w in long]))


def test_no_dwords_are_no_instruction() -> None:
    assert run_decoder([()]) == ["-"]


def _constant_questions() -> list[Words]:
    """One constant per instruction, in each source position of each format that takes one."""
    inline = [128, 129, 192, 193, 208, *range(240, 249)]
    questions: list[Words] = []
    for opcode, _, *columns in isa_encodings.rows("vop3"):
        for position in range(3):
            if columns[2 + position] in ("NONE", "S64", "V32", "V128"):
                continue
            for constant in inline:
                high = sum(
                    (constant if i == position else 264) << 9 * i
                    for i in range(3)
                    if columns[2 + i] != "NONE"
                )
                questions.append((0xD0000002 | int(opcode, 16) << 16, high))
    for opcode, _, dst, *_ in isa_encodings.rows("vop1"):
        if dst.startswith("V"):
            word = 0x7E040000 | int(opcode, 16) << 9
            questions += [(word | constant, 0) for constant in inline]
            questions.append((word | 255, 0x87654321))
    for opcode, *_ in isa_encodings.rows("sop1"):
        word = 0xBE820000 | int(opcode, 16) << 8
        questions += [(word | constant, 0) for constant in inline]
        questions.append((word | 255, 0x87654321))
    return questions


def test_constants_have_the_bits_of_their_operand_type() -> None:
    """What LLVM's MCInst holds, cut to the operand: halves in 16 bits, doubles in 64."""
    questions = _constant_questions()
    checked: dict[int, int] = Counter()
    for mine, answer in zip(run_decoder(questions, None, "--constants"), ask(questions)):
        _, _, constant = mine.partition("\t")
        if answer is None or not constant:
            continue
        dwords, value = int(constant.split(":")[0]), int(constant.split(":")[1], 16)
        masks = {1: (0xFFFF, 0xFFFFFFFF), 2: (2**64 - 1,)}[dwords]
        expected = {imm & mask for imm in answer.immediates for mask in masks}
        if "0x87654321" in answer.text and "i64" in answer.mnemonic:
            expected = {0xFFFFFFFF87654321}  # LLVM keeps 32 bits; signed operands extend them
        assert value in expected, f"{answer.text}: {value:#x}, LLVM has {answer.immediates}"
        checked[dwords] += 1
    assert checked[1] > 2000
    assert checked[2] > 500


@pytest.mark.parametrize(
    ("words", "constant"),
    [
        ((0xD38F0000, 0x180202F2), "1:3c00"),  # v_pk_add_f16 v0, 1.0, v1: the low half only
        ((0xD38A0000, 0x180202F2), "1:3f800000"),  # v_pk_add_u16 v0, 1.0, v1: bits of a float
        ((0xD38A0000, 0x180202C1), "1:ffffffff"),  # v_pk_add_u16 v0, -1, v1
        ((0xD3B20000, 0x180202F2), "2:3f800000"),  # v_pk_add_f32 v[0:1], 1.0, v[1:2]
        ((0xD3A00000, 0x040A02F2), "1:3f800000"),  # v_fma_mix_f32 v0, 1.0, v1, v2
        ((0xD3A00000, 0x0C0A02F2), "1:3c00"),  # the same with op_sel_hi:[1,0,0]
    ],
)
def test_packed_constants(words: Words, constant: str) -> None:
    [line] = run_decoder([words], None, "--constants")
    assert line.split("\t")[1:] == [constant]


def test_tables_are_what_llvm_says() -> None:
    done = subprocess.run(
        [sys.executable, str(TABLES_SCRIPT), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
