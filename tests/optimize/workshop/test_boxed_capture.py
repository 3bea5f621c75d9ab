"""The run that is captured is boxed in like every other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.box import Limits
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.workshop.boxed_application import BoxedApplication

pytestmark = pytest.mark.native


def test_it_writes_the_capture_and_nothing_else(rocm: Prefix, tmp_path: Path) -> None:
    inputs, programs = tmp_path / "inputs", tmp_path / "programs"
    inputs.mkdir()
    programs.mkdir()
    outside = tmp_path / "outside"
    application = BoxedApplication(rocm, tmp_path / "box", inputs, programs, Limits(seconds=30))
    application.prepared()
    made = application.recordings
    script = f'env > "$ROCM_PERF_CAPTURE_OUT/seen"; echo x > {outside}'
    variables = {
        "ROCM_PERF_CAPTURE_OUT": str(made),
        "HSA_TOOLS_LIB": "/somewhere/librocm-perf-capture.so",
        "SECRET": "kept from it",
    }
    done = application.capture(["/bin/sh", "-c", script], env=variables, timeout_s=30)
    seen = (made / "seen").read_text()
    assert "HSA_TOOLS_LIB=/somewhere/librocm-perf-capture.so" in seen
    assert "SECRET" not in seen
    if not any("write" in reason for reason in application.not_enforced):
        assert not outside.exists()
        assert done.exit_code != 0
