"""The table of mechanisms that can be made free is where everything else about them comes from."""

from __future__ import annotations

from fakes.scripts import load_script
from rocm_perf_lab.arch.ideal import load_mechanisms


def test_what_follows_from_the_table_is_current() -> None:
    module = load_script("ideal-mechanisms")
    cure = "run scripts/ideal-mechanisms.py"
    assert module.FILE.read_text("utf-8") == module.generated(), cure
    assert module.PAGE.read_text("utf-8") == module.page(), cure


def test_each_has_a_name_that_an_environment_can_hold_and_says_what_is_free() -> None:
    for mechanism in load_mechanisms().values():
        assert mechanism.name.replace("-", "").isalnum()
        assert mechanism.meaning[-1].isalnum()
        assert set(mechanism.parts) < set(load_mechanisms())
        assert mechanism.without.split()[0] in ("with", "without")
