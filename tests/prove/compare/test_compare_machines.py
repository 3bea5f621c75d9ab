"""What is never judged: other devices, other machines, virtual against real."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simulated_blocks import DEVICE, MACHINE

from rocm_perf_lab.errors import NotComparable
from rocm_perf_lab.measure.process_times import MachineIdentity
from rocm_perf_lab.prove.compare.machines import check_comparable, one_machine


def test_equal_machines_are_compared_without_a_word() -> None:
    assert check_comparable(MACHINE, replace(MACHINE)) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(MACHINE, virtual=True), "HEAD is of the virtual device, BASE is not"),
        (replace(MACHINE, host="another"), "BASE and HEAD are of different machines"),
        (
            replace(MACHINE, device=replace(DEVICE, product="AMD Instinct MI325X")),
            "BASE is of AMD Instinct MI300X, HEAD of AMD Instinct MI325X",
        ),
        (
            replace(MACHINE, device=replace(DEVICE, cu_count=38, xcc_count=1)),
            "HEAD of AMD Instinct MI300X (CUs 304 and 38, XCDs 8 and 1)",
        ),
    ],
)
def test_different_ones_are_refused_with_the_difference(other: MachineIdentity, said: str) -> None:
    with pytest.raises(NotComparable) as caught:
        check_comparable(MACHINE, other)
    assert said in caught.value.cause
    assert caught.value.exit_code == 2
    assert "another" not in caught.value.cause, "the name of a host is nobody's business"


def test_what_cannot_be_checked_is_said() -> None:
    (note,) = check_comparable(MACHINE, replace(MACHINE, host=None))
    assert note.startswith("on which machine it was is not known of both")
    (note,) = check_comparable(MACHINE, replace(MACHINE, device=None))
    assert note.startswith("which device it was is not known of both")


def test_the_runs_of_one_side_are_of_one_machine_too() -> None:
    assert one_machine([MACHINE, replace(MACHINE)], "BASE") == MACHINE
    with pytest.raises(NotComparable, match="a run of HEAD and another run of HEAD"):
        one_machine([MACHINE, replace(MACHINE, host="another")], "HEAD")
