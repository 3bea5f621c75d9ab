"""Every problem of a machine is found, and comes with its cure."""

from __future__ import annotations

import importlib.metadata
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.fake_rocm import write_program
from rocm_perf_lab.collect import prefix
from rocm_perf_lab.collect.doctor import checks as doctor
from rocm_perf_lab.collect.doctor.checks import Diagnosis, diagnose
from rocm_perf_lab.collect.doctor.machine import Machine
from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu, RuntimeGpus


@pytest.fixture
def runtime(monkeypatch):
    """Decide what the HSA runtime answers: one GPU, unless a test says otherwise."""

    def answers(gpus=(), problem=None):
        monkeypatch.setattr(doctor, "runtime_gpus", lambda _prefix: RuntimeGpus(gpus, problem))

    answers((Gpu("gfx942", "AMD Instinct MI300X"),))
    return answers


@pytest.fixture
def machine(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    return Machine(root=root, environ={})


def by_name(diagnosis: Diagnosis) -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in diagnosis.findings}


def add_device_files(machine, *names):
    for name in names:
        path = machine.root / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_a_healthy_machine(fake_rocm, machine, runtime):
    (fake_rocm.path / "lib" / "librocprof-trace-decoder.so").touch()
    (machine.root / "sys/module/amdgpu").mkdir(parents=True)
    diagnosis = diagnose(fake_rocm.path, machine)
    assert diagnosis.can_profile
    found = by_name(diagnosis)
    assert found["GPU"].detail == "gfx942 (AMD Instinct MI300X)"
    assert found["rocprofv3"].detail == "version 1.0.0, ROCm 7.0.2"
    assert found["hipcc"].detail == "HIP version: 7.0.51831"
    assert found["amdgpu driver"].status == "ok"
    essential = ("ROCm prefix", "rocprofv3", "rocpd output", "HIP runtime", "thread-trace decoder")
    assert [found[name].status for name in essential] == ["ok"] * 5


def test_every_problem_has_a_cure(tmp_path, machine, monkeypatch):
    diagnosis = diagnose(tmp_path / "no rocm", machine)
    assert not diagnosis.can_profile
    assert diagnosis.prefix is None
    for finding in diagnosis.findings:
        assert (finding.cure is None) == (finding.status == "ok"), finding


def test_no_rocm_anywhere(machine, monkeypatch, tmp_path):
    monkeypatch.setattr(prefix, "_candidates", lambda: iter(()))
    found = by_name(diagnose(None, machine))
    assert found["ROCm prefix"].status == "fail"
    assert "rocm-perf vrocm path" in (found["ROCm prefix"].cure or "")


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\nexit 1\n", "#!/no/such/python\n", "#!/bin/sh\necho hello\n"]
)
def test_a_broken_profiler(fake_rocm, machine, runtime, script):
    write_program(fake_rocm.profiler, script)
    diagnosis = diagnose(fake_rocm.path, machine)
    assert by_name(diagnosis)["rocprofv3"].status == "fail"
    assert not diagnosis.can_profile


def test_what_profile_can_do_without_is_a_warning(fake_rocm, machine, runtime, monkeypatch):
    fake_rocm.behave(rocpd=False)
    (fake_rocm.path / "bin" / "hipcc").unlink()
    (fake_rocm.path / "lib" / "libamdhip64.so").unlink()
    monkeypatch.setattr("shutil.which", lambda _name: None)
    diagnosis = diagnose(fake_rocm.path, machine)
    found = by_name(diagnosis)
    for name in ("rocpd output", "hipcc", "HIP runtime", "device compiler", "thread-trace decoder"):
        assert found[name].status == "warn", name
    assert diagnosis.can_profile


def test_a_hipcc_that_fails(fake_rocm, machine, runtime):
    write_program(fake_rocm.path / "bin" / "hipcc", "#!/bin/sh\nexit 1\n")
    assert by_name(diagnose(fake_rocm.path, machine))["hipcc"].status == "warn"


def test_a_clang_must_know_amdgcn(fake_rocm, machine, runtime, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _name: None)
    (fake_rocm.path / "llvm" / "bin").mkdir(parents=True)
    clang = write_program(fake_rocm.path / "llvm/bin/clang", "#!/bin/sh\necho '  x86 - X86'\n")
    assert by_name(diagnose(fake_rocm.path, machine))["device compiler"].status == "warn"
    write_program(clang, "#!/bin/sh\necho '    amdgcn     - AMD GCN GPUs'\n")
    assert by_name(diagnose(fake_rocm.path, machine))["device compiler"].detail == str(clang)


def test_the_trace_decoder_is_searched_without_walking(fake_rocm, machine, runtime, tmp_path):
    deep = tmp_path / "library path" / "deep"
    deep.mkdir(parents=True)
    (deep / doctor.TRACE_DECODER).touch()
    machine = Machine(root=machine.root, environ={"LD_LIBRARY_PATH": f":{deep.parent}:"})
    assert by_name(diagnose(fake_rocm.path, machine))["thread-trace decoder"].status == "warn"
    machine = Machine(root=machine.root, environ={"ROCPROF_ATT_LIBRARY_PATH": str(deep)})
    assert by_name(diagnose(fake_rocm.path, machine))["thread-trace decoder"].status == "ok"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"--att"}, "ok"),  # as the virtual ROCm: it decodes by itself
        ({"--att", "--att-library-path"}, "warn"),
        (set(), "warn"),
    ],
)
def test_a_profiler_that_decodes_by_itself_needs_no_library(
    fake_rocm, machine, runtime, monkeypatch, options, status
):
    probed = doctor.probe_profiler
    monkeypatch.setattr(
        doctor, "probe_profiler", lambda prefix: replace(probed(prefix), options=frozenset(options))
    )
    found = by_name(diagnose(fake_rocm.path, machine))["thread-trace decoder"]
    assert found.status == status
    assert ("part of rocprofv3" in found.detail) is (status == "ok")


def test_a_gpu_that_only_the_runtime_sees_is_enough(fake_rocm, machine, runtime):
    """A device without a kernel driver: nothing is asked of the driver then."""
    diagnosis = diagnose(fake_rocm.path, machine)
    assert diagnosis.can_profile
    assert "/dev/kfd" not in by_name(diagnosis)


def test_no_permission_names_the_group(fake_rocm, machine, runtime, monkeypatch):
    runtime(problem="hsa_init returned status 0x1008")
    monkeypatch.setattr(doctor, "group_of", lambda _path: "render")
    add_device_files(machine, "kfd", "dri/renderD128", "dri/renderD129")
    machine = Machine(root=machine.root, environ={}, may_use=lambda path: path.name != "kfd")
    found = by_name(diagnose(fake_rocm.path, machine))
    assert found["/dev/kfd"].status == "fail"
    assert found["/dev/kfd"].cure == "sudo usermod -aG render $USER, then log in again"
    assert found["/dev/dri/renderD*"].detail == "2 of 2 may be read and written"
    assert "0x1008" in found["GPU"].detail


def test_a_container_gets_the_flags_of_its_start(fake_rocm, machine, runtime):
    runtime()
    (machine.root / ".dockerenv").touch()
    found = by_name(diagnose(fake_rocm.path, machine))
    assert found["/dev/kfd"].detail == "does not exist in this Docker container"
    assert "--device=/dev/kfd" in (found["/dev/kfd"].cure or "")
    assert "/dev/dri/renderD*" not in found  # one cure for both


def test_a_gpu_that_only_the_driver_sees(fake_rocm, machine, runtime):
    runtime()
    node = machine.root / "sys/class/kfd/kfd/topology/nodes/1"
    node.mkdir(parents=True)
    (node / "properties").write_text("gfx_target_version 90402\n")
    found = by_name(diagnose(fake_rocm.path, machine))["GPU"]
    assert found.status == "fail"
    assert "lists gfx942, but not the HSA runtime" in found.detail


@pytest.mark.parametrize(
    ("environ", "status", "words"),
    [
        ({"HSA_TOOLS_LIB": "libx.so"}, "warn", "another profiler"),
        ({"LD_PRELOAD": "/opt/rocm/lib/librocprofiler-sdk.so"}, "warn", "LD_PRELOAD"),
        ({"HIP_VISIBLE_DEVICES": "1"}, "ok", "HIP_VISIBLE_DEVICES=1"),
        ({"SECRET": "x"}, "ok", "nothing that disturbs"),
    ],
)
def test_environment_variables(fake_rocm, machine, runtime, environ, status, words):
    machine = Machine(root=machine.root, environ=environ)
    found = by_name(diagnose(fake_rocm.path, machine))["environment"]
    assert found.status == status
    assert words in found.detail


def test_missing_python_packages(fake_rocm, machine, runtime, monkeypatch):
    def version(name):
        if name in ("msgpack", "bokeh", "httpx", "matplotlib", "zstandard"):
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr("importlib.metadata.version", version)
    found = by_name(diagnose(fake_rocm.path, machine))
    assert found["Python packages"].cure == "pip install msgpack"
    optional = found["optional packages"]
    assert (optional.cure or "").startswith("pip install 'rocm-perf-lab[report,llm,zstd]', or ")
    assert "missing: bokeh ([report]) for pages of report; matplotlib" in optional.detail
    assert "mcp" not in optional.detail


def test_every_extra_for_users_is_listed():
    """What pyproject.toml offers, but for those of developers and the sum of all."""
    text = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text("utf-8")
    offered = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    extras = set(re.findall(r"^(\w+) = \[", offered, re.MULTILINE))
    listed = {extra for extra, _ in doctor.OPTIONAL_PACKAGES.values()}
    assert listed == extras - {"all", "dev", "tidy", "mutants"}
    for name, (extra, _) in doctor.OPTIONAL_PACKAGES.items():
        block = re.search(rf"^{extra} = \[(.*?)^(?=\w|$)", offered, re.MULTILINE | re.DOTALL)
        assert block is not None, name
        assert f'"{name}>' in block[1], name


def test_only_packages_that_something_uses_are_missed():
    source = Path(doctor.__file__).parents[2]
    text = "\n".join(path.read_text("utf-8") for path in source.rglob("*.py"))
    for name in doctor.OPTIONAL_PACKAGES:
        module = {"scikit-learn": "sklearn", "z3-solver": "z3"}.get(name, name)
        assert re.search(rf"(import|from|import_module\()[ \"]*{module}\b", text), name
