"""Imports point downwards, and the check would notice if they did not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-layers.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_imports_point_downwards() -> None:
    assert load().violations() == []


def test_an_upward_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "bad.py").write_text(
        "def f():\n    from rocm_perf_lab.cli import main\n    return main\n"
    )
    (found,) = load().violations(tmp_path)
    assert "trace must not import cli" in found
    assert "bad.py:2" in found


def test_an_unknown_room_is_found(tmp_path: Path) -> None:
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "x.py").write_text("")
    (found,) = load().violations(tmp_path)
    assert "'utils' is not in the list" in found
