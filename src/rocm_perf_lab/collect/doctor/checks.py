"""Is this machine able to profile? Every check is a finding, every problem comes with its fix."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional, Union

from rocm_perf_lab.collect.doctor.environment import Environment, fingerprint, installed_version
from rocm_perf_lab.collect.doctor.machine import Machine, group_of
from rocm_perf_lab.collect.doctor.runtime_gpus import RuntimeGpus, runtime_gpus
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.collect.rocprof.profiler import (
    Profiler,
    format_version,
    has_own_decoder,
    probe_profiler,
)
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.vrocm.whole import PrefixDamaged

Status = Literal["ok", "warn", "fail"]

VERSIONED_CLANGS = tuple(f"clang-{major}" for major in range(22, 16, -1))
TRACE_DECODER = "librocprof-trace-decoder.so"
REQUIRED_PACKAGES = ("numpy", "msgspec", "msgpack")
# name: the extra that brings it, and what needs it
OPTIONAL_PACKAGES = {
    "bokeh": ("report", "pages of report"),
    "jinja2": ("report", "pages of report"),
    "matplotlib": ("report", "report -o FILE.svg or .png"),
    "perfetto": ("report", "report -o FILE.pftrace"),
    "scikit-learn": ("tune", "autotune"),
    "distributed": ("cluster", "autotune --scheduler"),
    "httpx": ("llm", "llm-optimize with an HTTP provider"),
    "z3-solver": ("prove", "proofs for all inputs"),
    "zstandard": ("zstd", "compressed captures and recordings"),
    "rich": ("terminal", "live views of optimize and autotune"),
    "shtab": ("terminal", "rocm-perf completion"),
    "mcp": ("mcp", "rocm-perf mcp"),
}
_MCP_PYTHON = (3, 10)
DOCKER_FLAGS = (
    "docker run --device=/dev/kfd --device=/dev/dri --group-add video --group-add render "
    "--security-opt seccomp=unconfined"
)
LOAD_DRIVER = "sudo modprobe amdgpu (on the host); it needs an AMD GPU"
INSTALL_ROCM = "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/"
USE_VIRTUAL = "without an AMD GPU build the virtual one: rocm-perf vrocm path"


@dataclass(frozen=True)
class Finding:
    """``fail``: profile cannot run. ``warn``: it can, but something else cannot."""

    name: str
    status: Status
    detail: str
    cure: Optional[str] = None


@dataclass(frozen=True)
class Diagnosis:
    findings: tuple[Finding, ...]
    environment: Environment
    prefix: Optional[Prefix]

    @property
    def can_profile(self) -> bool:
        return all(finding.status != "fail" for finding in self.findings)


def diagnose(explicit: Optional[Path] = None, machine: Optional[Machine] = None) -> Diagnosis:
    """Look at everything that profiling needs. Starts no application and changes nothing."""
    machine = machine or Machine()
    prefix: Optional[Prefix] = None
    try:
        prefix = find_prefix(explicit)
    except PerfLabError as error:
        cure = f"install ROCm 7 ({INSTALL_ROCM}) or pass --rocm PREFIX; {USE_VIRTUAL}"
        if isinstance(error, PrefixDamaged) and error.next_step:
            cure = error.next_step
        findings = [
            Finding("ROCm prefix", "fail", error.cause, cure),
            _device_compiler(None),
            *_driver_findings(machine, None),
        ]
    else:
        findings = [
            *_prefix_findings(prefix, machine),
            *_driver_findings(machine, runtime_gpus(prefix)),
        ]
    findings += [_environment_variables(machine), _required_packages(), _optional_packages()]
    return Diagnosis(tuple(findings), fingerprint(prefix, machine), prefix)


def _prefix_findings(prefix: Prefix, machine: Machine) -> list[Finding]:
    version = installed_version(prefix)
    detail = f"{prefix.path} (found by {prefix.found_by}; {version or 'version not written there'})"
    profiler = _asked(prefix)
    return [
        Finding("ROCm prefix", "ok", detail),
        *_profiler_findings(profiler),
        _hip_runtime(prefix),
        _hipcc(prefix),
        _device_compiler(prefix),
        _trace_decoder(prefix, machine, profiler),
    ]


def _asked(prefix: Prefix) -> Union[Profiler, PerfLabError]:
    try:
        return probe_profiler(prefix)
    except PerfLabError as error:
        return error


def _profiler_findings(profiler: Union[Profiler, PerfLabError]) -> list[Finding]:
    if isinstance(profiler, PerfLabError):
        return [Finding("rocprofv3", "fail", profiler.cause, profiler.next_step)]
    version = f"version {profiler.version_text}, ROCm {format_version(profiler.rocm_version)}"
    return [Finding("rocprofv3", "ok", version), _rocpd_output(profiler)]


def _rocpd_output(profiler: Profiler) -> Finding:
    if profiler.has_rocpd:
        return Finding("rocpd output", "ok", "supported")
    return Finding(
        "rocpd output",
        "warn",
        "not supported; CSV is recorded instead, without dynamic LDS and without HIP arguments",
        "update to ROCm 7.0 or later",
    )


def _hip_runtime(prefix: Prefix) -> Finding:
    found = sorted((prefix.path / "lib").glob("libamdhip64.so*"))
    if found:
        return Finding("HIP runtime", "ok", str(found[0]))
    return Finding(
        "HIP runtime",
        "warn",
        f"libamdhip64.so is not in {prefix.path / 'lib'}; applications must bring their own",
        "install the package hip-runtime-amd",
    )


def _hipcc(prefix: Prefix) -> Finding:
    try:
        hipcc = prefix.tool("hipcc")
    except PerfLabError as error:
        return Finding("hipcc", "warn", f"{error.cause}; optimize cannot build", "install hipcc")
    answer = _first_line(hipcc, "--version")
    if answer is None:
        return Finding("hipcc", "warn", f"{hipcc} does not run", f"try: {hipcc} --version")
    return Finding("hipcc", "ok", answer)


def _device_compiler(prefix: Optional[Prefix]) -> Finding:
    """A clang that knows amdgcn: inside the prefix, else on PATH."""
    inside = ("llvm/bin", "lib/llvm/bin", "bin")
    places = [prefix.path / folder / "clang" for folder in inside] if prefix else []
    on_path = [shutil.which(name) for name in ("amdclang", "clang", *VERSIONED_CLANGS)]
    candidates = [place for place in places if place.is_file()]
    candidates += [Path(found) for found in on_path if found is not None]
    for clang in candidates:
        targets = _output(clang, "--print-targets")
        if targets is not None and re.search(r"^\s*amdgcn\b", targets, re.MULTILINE):
            return Finding("device compiler", "ok", str(clang))
    tried = ", ".join(map(str, candidates)) or "no clang was found"
    return Finding(
        "device compiler",
        "warn",
        f"no clang for amdgcn ({tried}); kernels cannot be compiled or disassembled",
        "install rocm-llvm, or LLVM 19 with the AMDGPU target",
    )


def _trace_decoder(
    prefix: Prefix, machine: Machine, profiler: Union[Profiler, PerfLabError]
) -> Finding:
    """Looks in single directories only; rocprofv3's own search may walk the whole disk."""
    if isinstance(profiler, Profiler) and has_own_decoder(profiler):
        return Finding("thread-trace decoder", "ok", "part of rocprofv3")
    variables = ("ROCPROF_ATT_LIBRARY_PATH", "LD_LIBRARY_PATH")
    listed = [part for name in variables for part in machine.environ.get(name, "").split(":")]
    for directory in (prefix.path / "lib", *(Path(part) for part in listed if part)):
        for found in sorted(directory.glob(f"{TRACE_DECODER}*")):
            return Finding("thread-trace decoder", "ok", str(found))
    return Finding(
        "thread-trace decoder",
        "warn",
        f"{TRACE_DECODER} was not found; thread traces cannot be decoded",
        f"install rocprof-trace-decoder to {prefix.path / 'lib'} (part of ROCm from 7.13 on)",
    )


def _driver_findings(machine: Machine, runtime: Optional[RuntimeGpus]) -> list[Finding]:
    """The runtime's answer decides; the driver's side explains why it sees nothing."""
    if runtime is not None and runtime.gpus:
        seen = Finding("GPU", "ok", ", ".join(gpu.title for gpu in runtime.gpus))
        return [seen, _driver(machine)] if machine.driver_loaded else [seen]
    found = [_no_gpu(machine, runtime), _driver(machine), _kfd(machine)]
    return [*found, _render_nodes(machine)] if machine.kfd.exists() else found


def _no_gpu(machine: Machine, runtime: Optional[RuntimeGpus]) -> Finding:
    listed = ", ".join(machine.kernel_gpus)
    if listed and runtime is None:
        return Finding("GPU", "ok", f"the kernel driver lists {listed}")
    if listed:
        reason = runtime.problem if runtime is not None and runtime.problem else "it sees none"
        detail = f"the kernel driver lists {listed}, but not the HSA runtime: {reason}"
        return Finding("GPU", "fail", detail, "fix the findings below; unset *_VISIBLE_DEVICES")
    detail = "no AMD GPU is visible"
    if runtime is not None and runtime.problem:
        detail += f": {runtime.problem}"
    return Finding("GPU", "fail", detail, USE_VIRTUAL)


def _driver(machine: Machine) -> Finding:
    if machine.driver_loaded:
        version = machine.driver_version
        return Finding("amdgpu driver", "ok", f"version {version}" if version else "of the kernel")
    return Finding("amdgpu driver", "fail", "is not loaded", LOAD_DRIVER)


def _kfd(machine: Machine) -> Finding:
    return _device_file(machine, "/dev/kfd", [machine.kfd] if machine.kfd.exists() else [])


def _render_nodes(machine: Machine) -> Finding:
    return _device_file(machine, "/dev/dri/renderD*", list(machine.render_nodes))


def _device_file(machine: Machine, name: str, files: list[Path]) -> Finding:
    if not files:
        where = f" in this {machine.container} container" if machine.container else ""
        cure = DOCKER_FLAGS if machine.container else LOAD_DRIVER
        return Finding(name, "fail", f"does not exist{where}", cure)
    usable = [file for file in files if machine.may_use(file)]
    if usable:
        return Finding(name, "ok", f"{len(usable)} of {len(files)} may be read and written")
    groups = ",".join(sorted({group_of(file) for file in files}))
    detail = f"this user may not read and write it; it belongs to group {groups}"
    if machine.container:
        return Finding(name, "fail", detail, DOCKER_FLAGS)
    return Finding(name, "fail", detail, f"sudo usermod -aG {groups} $USER, then log in again")


def _environment_variables(machine: Machine) -> Finding:
    """Variables that put a second profiler into the application, or hide GPUs from it."""
    second = [
        name for name in ("ROCP_TOOL_LIBRARIES", "HSA_TOOLS_LIB") if machine.environ.get(name)
    ]
    if "rocprofiler" in machine.environ.get("LD_PRELOAD", ""):
        second.append("LD_PRELOAD")
    if second:
        names = " ".join(second)
        detail = f"{names} would load another profiler into the application"
        return Finding("environment", "warn", detail, f"unset {names}")
    hidden = [name for name in machine.environ if name.endswith("_VISIBLE_DEVICES")]
    detail = ", ".join(f"{name}={machine.environ[name]}" for name in sorted(hidden))
    return Finding("environment", "ok", detail or "nothing that disturbs")


def _required_packages() -> Finding:
    versions = {name: _package_version(name) for name in REQUIRED_PACKAGES}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        names = " ".join(missing)
        return Finding("Python packages", "fail", f"missing: {names}", f"pip install {names}")
    detail = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Finding("Python packages", "ok", detail)


def _optional_packages() -> Finding:
    """Every missing package with what needs it, and one command that installs them all."""
    missing = [name for name in _installable() if _package_version(name) is None]
    if not missing:
        return Finding("optional packages", "ok", ", ".join(_installable()))
    extras = ",".join(dict.fromkeys(OPTIONAL_PACKAGES[name][0] for name in missing))
    detail = "; ".join(
        f"{name} ([{OPTIONAL_PACKAGES[name][0]}]) for {OPTIONAL_PACKAGES[name][1]}"
        for name in missing
    )
    cure = f"pip install 'rocm-perf-lab[{extras}]', or the extras in brackets that you need"
    return Finding("optional packages", "warn", f"missing: {detail}", cure)


def _installable() -> list[str]:
    """The package mcp does not exist for older Pythons."""
    old = sys.version_info < _MCP_PYTHON
    return [name for name in OPTIONAL_PACKAGES if not (old and name == "mcp")]


def _package_version(name: str) -> Optional[str]:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _first_line(program: Path, option: str) -> Optional[str]:
    lines = (_output(program, option) or "").splitlines()
    return lines[0].strip() if lines else None


def _output(program: Path, option: str) -> Optional[str]:
    try:
        result = ask_program([str(program), option])
    except OSError:
        return None
    return result.answer if result.ok else None
