"""The constants of the timing model: sourced, in agreement with the target, and in the C++ code."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.scripts import load_script
from rocm_perf_lab.arch import load_target
from rocm_perf_lab.arch.fact import CONFIDENCE_LEVELS
from rocm_perf_lab.arch.model import ModelConstant, load_timing_model

ROOT = Path(__file__).resolve().parents[2]
MODEL = load_timing_model()
CONSTANTS = [constant for section in MODEL.sections.values() for constant in section]


def test_generated_constants_are_current() -> None:
    module = load_script("model-constants")
    assert module.FILE.read_text("utf-8") == module.generated(MODEL), (
        "run scripts/model-constants.py"
    )


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: constant.name)
def test_every_constant_has_unit_known_sources_and_confidence(constant: ModelConstant) -> None:
    assert constant.unit
    assert constant.source
    assert set(constant.source) <= set(MODEL.sources)
    assert constant.confidence in CONFIDENCE_LEVELS


def test_only_what_was_fitted_or_set_is_unverified_and_says_what_it_is() -> None:
    for constant in CONSTANTS:
        chosen = bool({"fit", "set"} & set(constant.source))
        assert (constant.confidence == "unverified") == chosen, constant.name
        if constant.confidence == "unverified":
            assert constant.note, constant.name


def test_structure_is_that_of_the_target() -> None:
    mi300x = next(p for p in load_target("gfx942").products if p.name == MODEL.product)
    assert MODEL.value("units_per_xcd") * MODEL.value("xcds") == mi300x.cu_count == 304
    assert MODEL.value("clock_ghz") == pytest.approx(2.1)


def test_unknown_constant_names_the_model() -> None:
    with pytest.raises(KeyError, match="gfx942 has no constant warp_size"):
        MODEL.value("warp_size")
