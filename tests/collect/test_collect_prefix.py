"""Which ROCm installation is taken, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.fake_rocm import build_fake_rocm
from rocm_perf_lab.collect import prefix
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.errors import ToolMissing


@pytest.fixture(autouse=True)
def bare_machine(tmp_path, monkeypatch) -> Path:
    """No ROCm anywhere: not in the environment, on PATH, under /opt, nor a virtual one."""
    for variable in prefix.ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(prefix, "INSTALL_ROOT", tmp_path / "opt")
    monkeypatch.setattr(prefix, "existing_prefix", lambda: None)
    return tmp_path


def test_without_any_rocm_the_error_names_the_cure():
    with pytest.raises(ToolMissing) as caught:
        find_prefix()
    assert caught.value.exit_code == 3
    assert "rocprofv3" in caught.value.cause
    assert "rocm-perf doctor" in (caught.value.next_step or "")


def test_the_search_order(tmp_path, monkeypatch):
    """Each step of the order wins over everything after it."""
    names = ["explicit", "rocm_path", "rocm_home", "hip_path", "on_path", "virtual"]
    paths = {name: build_fake_rocm(tmp_path / name).path for name in names}
    opt = build_fake_rocm(tmp_path / "opt" / "rocm").path
    build_fake_rocm(tmp_path / "opt" / "rocm-7.0.2")
    newest = build_fake_rocm(tmp_path / "opt" / "rocm-7.10.0").path

    monkeypatch.setattr(prefix, "GPU_DRIVER", tmp_path)  # there is a GPU
    monkeypatch.setattr(prefix, "existing_prefix", lambda: paths["virtual"])
    monkeypatch.setattr(prefix, "is_prefix", lambda path: path == paths["virtual"])
    monkeypatch.setenv("ROCM_PATH", str(paths["rocm_path"]))
    monkeypatch.setenv("ROCM_HOME", str(paths["rocm_home"]))
    monkeypatch.setenv("HIP_PATH", str(paths["hip_path"]))
    monkeypatch.setenv("PATH", str(paths["on_path"] / "bin"))

    assert find_prefix(paths["explicit"]).path == paths["explicit"]
    assert find_prefix().path == paths["rocm_path"]
    monkeypatch.delenv("ROCM_PATH")
    assert find_prefix().path == paths["rocm_home"]
    monkeypatch.delenv("ROCM_HOME")
    assert find_prefix().path == paths["hip_path"]
    monkeypatch.delenv("HIP_PATH")
    assert find_prefix().path == paths["on_path"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert find_prefix().path == opt
    (opt / "bin" / "rocprofv3").unlink()
    assert find_prefix().path == newest
    monkeypatch.setattr(prefix, "GPU_DRIVER", tmp_path / "no driver")
    assert find_prefix().path == paths["virtual"], "an installed ROCm cannot run without a driver"
    monkeypatch.setattr(prefix, "GPU_DRIVER", tmp_path)
    monkeypatch.setattr(prefix, "INSTALL_ROOT", tmp_path / "no opt")
    assert find_prefix().path == paths["virtual"]
    assert find_prefix().kind == "virtual"


def test_a_variable_that_points_nowhere_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("HIP_PATH", str(tmp_path / "gone"))
    found = build_fake_rocm(tmp_path / "opt" / "rocm")
    assert find_prefix().path == found.path
    assert find_prefix().found_by == "default"


def test_the_link_in_usr_bin_leads_to_its_prefix(tmp_path, monkeypatch):
    fake = build_fake_rocm(tmp_path / "rocm-7.0.2")
    links = tmp_path / "usr" / "bin"
    links.mkdir(parents=True)
    (links / "rocprofv3").symlink_to(fake.profiler)
    monkeypatch.setenv("PATH", str(links))
    assert find_prefix().path == fake.path


def test_an_explicit_prefix_must_hold_a_profiler(tmp_path):
    build_fake_rocm(tmp_path / "opt" / "rocm")  # never a silent replacement
    with pytest.raises(ToolMissing, match="not a ROCm prefix"):
        find_prefix(tmp_path / "elsewhere")


def test_an_explicit_prefix_may_be_relative(tmp_path, monkeypatch):
    build_fake_rocm(tmp_path / "my rocm")
    monkeypatch.chdir(tmp_path)
    assert find_prefix(Path("my rocm")).path == tmp_path / "my rocm"


def test_the_virtual_prefix_is_known_even_when_it_is_named(tmp_path, monkeypatch):
    fake = build_fake_rocm(tmp_path / "virtual")
    monkeypatch.setattr(prefix, "is_prefix", lambda path: path == fake.path)
    assert find_prefix(fake.path).kind == "virtual"
    assert find_prefix(build_fake_rocm(tmp_path / "real").path).kind == "rocm"


def test_tools_are_found_or_named(fake_rocm):
    found = find_prefix(fake_rocm.path)
    assert found.tool("hipcc") == fake_rocm.path / "bin" / "hipcc"
    with pytest.raises(ToolMissing, match="rocgdb is not in the ROCm prefix"):
        found.tool("rocgdb")
    fake_rocm.profiler.chmod(0o644)
    with pytest.raises(ToolMissing, match="not executable") as caught:
        found.tool("rocprofv3")
    assert (caught.value.next_step or "").startswith("chmod +x")
