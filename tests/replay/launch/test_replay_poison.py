"""Poison in the output before every launch: honest kernels do not notice, others do."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay_support import SOURCES, Bench, compiled, needs_replay, run

from rocm_perf_lab.replay.poison import poison_variable

BYTES = 4096 * 4


@pytest.fixture
def program(bench: Bench) -> Path:
    return compiled(bench.folder, SOURCES / "old_results.hip")


def printed(program: Path, kernel: str, variables: dict[str, str]) -> list[str]:
    done = run(program, kernel, environment=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


class TestOnTheDevice:
    pytestmark = needs_replay

    def test_a_kernel_that_writes_its_output_does_not_notice(self, program: Path) -> None:
        plain = printed(program, "honest", {})
        assert len(set(plain)) == 1
        assert printed(program, "honest", poison_variable("honest", [(0, 0, BYTES)])) == plain

    @pytest.mark.parametrize("kernel", ["looks", "marks"])
    def test_a_kernel_that_trusts_old_results_prints_something_else(
        self, program: Path, kernel: str
    ) -> None:
        plain = printed(program, kernel, {})
        assert plain == printed(program, "honest", {})
        poisoned = printed(program, kernel, poison_variable(f"{kernel}.kd", [(0, 0, BYTES)]))
        assert poisoned[0] == plain[0]
        assert poisoned[1] != plain[1]

    def test_the_same_bytes_in_every_run(self, program: Path) -> None:
        variables = poison_variable("marks", [(0, 0, BYTES)])
        assert printed(program, "marks", variables) == printed(program, "marks", variables)

    def test_only_the_named_kernel_and_only_its_allocation(self, program: Path) -> None:
        """A span beyond the end is cut; a kernel of another name stays as it is."""
        plain = printed(program, "marks", {})
        assert printed(program, "marks", poison_variable("honest", [(0, 0, BYTES)])) == plain
        far = poison_variable("marks", [(0, 1 << 40, 1 << 41)])
        assert printed(program, "marks", far) == plain

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("honest", "'honest' is not SYMBOL:SPANS"),
            (":0+0-4", "':0+0-4' is not SYMBOL:SPANS"),
            ("honest:0+0", "'0+0' is not OFFSET+BEGIN-END"),
            ("honest:0+0-4,", "'' is not OFFSET+BEGIN-END"),
            ("honest:0+-1-4", "'0+-1-4' is not OFFSET+BEGIN-END"),
            ("honest:0+0-4x", "'0+0-4x' is not OFFSET+BEGIN-END"),
            ("honest:0+0-99999999999999999999999", "is not OFFSET+BEGIN-END"),
            ("honest:0+8-8", "'0+8-8' ends before it begins"),
            ("honest:0+0-4;", "'' is not SYMBOL:SPANS"),
            ("honest:999+0-4", "and no pointer at 999"),
        ],
    )
    def test_what_makes_no_sense_ends_the_process(
        self, program: Path, value: str, said: str
    ) -> None:
        done = run(program, "honest", environment={"VROCM_POISON": value})
        assert done.returncode == 2
        assert "VROCM_POISON" in done.stderr
        assert said in done.stderr


def test_the_variable() -> None:
    assert poison_variable("k", []) == {}
    spans = [(0, 0, 64), (16, 8, 9)]
    assert poison_variable("_Z1kPf.kd", spans) == {"VROCM_POISON": "_Z1kPf:0+0-64,16+8-9"}


@pytest.mark.parametrize(
    ("symbol", "span"),
    [("a;b", (0, 0, 1)), ("a:b", (0, 0, 1)), ("", (0, 0, 1)), ("k", (-1, 0, 1)), ("k", (0, 2, 2)),
     ("k", (0, -1, 2))],
)  # fmt: skip
def test_what_the_device_would_not_understand_is_refused(
    symbol: str, span: tuple[int, int, int]
) -> None:
    with pytest.raises(ValueError):
        poison_variable(symbol, [span])
