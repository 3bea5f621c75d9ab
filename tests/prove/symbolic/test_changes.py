"""Right changes are proven, and none of those that only look right."""

from __future__ import annotations

import pytest
from changed_kernels import PAIRS, Pair

from rocm_perf_lab.prove.symbolic import prove_equal

pytest.importorskip("z3")
NAMES = [pair.name for pair in PAIRS]


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_a_kernel_is_itself(forms: dict[str, str], pair: Pair) -> None:
    """Also where values have other names, so that it is not plain to see."""
    for code in (forms["body"], forms["body"].replace("%.0", "%.named")):
        report = prove_equal(forms["body"], code, pair.name)
        assert report.proven, report.reason


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.right], ids=lambda pair: pair.name)
def test_right_changes_are_proven(forms: dict[str, str], pair: Pair) -> None:
    report = prove_equal(forms["body"], forms["right"], pair.name)
    assert report.proven, report.reason
    assert report.assumptions


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_wrong_changes_are_not_proven(forms: dict[str, str], pair: Pair) -> None:
    report = prove_equal(forms["body"], forms["wrong"], pair.name)
    assert not report.proven
    assert report.reason
    assert not report.assumptions


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.right], ids=lambda pair: pair.name)
def test_wrong_changes_of_right_ones_are_not_proven(forms: dict[str, str], pair: Pair) -> None:
    assert not prove_equal(forms["right"], forms["wrong"], pair.name).proven
