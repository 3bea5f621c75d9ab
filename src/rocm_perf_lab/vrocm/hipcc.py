"""The hipcc of the virtual ROCm: what Makefiles pass to hipcc, turned into one clang command.

It is copied into the prefix and runs there on its own, so it imports the standard library only.
The prefix is found from the place of this file. With --as=clang++ in front it is the clang of the
prefix: the user's words, with what ROCm's clang knows by itself (read_direct_call).
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Optional

LIBEXEC = "libexec/rocm-perf-lab"
SETTINGS = "toolchain.json"
DEFAULT_TARGET = "gfx942"

HIP_SUFFIXES = (".hip", ".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp")
C_SUFFIXES = (".c",)

# Options whose value is the next word; that word is not an input file.
VALUE_OPTIONS = frozenset(
    shlex.split(
        "-o -I -D -U -L -l -x -T -u -z -e -h -A -F -b -B -G -include -imacros -isystem "
        "-iquote -idirafter -iprefix -iwithprefix -isysroot -cxx-isystem -MF -MT -MQ -MJ "
        "-Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -mllvm -Xopenmp-target "
        "-Xarch_host -Xarch_device -Xoffload-linker -Xcuda-ptxas -Xcuda-fatbinary -target "
        "--target --param -arch -current_version -install_name -framework -rpath -soname "
        "-resource-dir -working-directory -serialize-diagnostics --sysroot --config "
        "--rocm-path --rocm-device-lib-path --hip-path --hip-version --cuda-path "
        "--offload-arch --no-offload-arch --amdgpu-target --cuda-gpu-arch "
        "--gpu-max-threads-per-block"
    )
)
# Modes of clang that end before linking.
NO_LINK_OPTIONS = frozenset(
    shlex.split(
        "-c -S -E -M -MM -fsyntax-only --genco --precompile --cuda-device-only "
        "--offload-device-only --emit-static-lib --analyze -r"
    )
)
RELOCATABLE_OPTIONS = frozenset(
    shlex.split(
        "-fgpu-rdc -fcuda-rdc -rdc=true --relocatable-device-code=true --relocatable-device-code "
        "-dc --device-c"
    )
)
COMPILE_RELOCATABLE = ("-dc", "--device-c")
DEVICE_LINK_OPTIONS = ("-dlink", "--device-link")
# Accepted for the sake of older Makefiles and without effect.
IGNORED_OPTIONS = frozenset(
    shlex.split(
        "--hipcc-no-func-supp -rdc=false --relocatable-device-code=false -use-sharedlib "
        "-use-staticlib --hip-auto-headers"
    )
)
# hipcc inlines device functions by default; --hipcc-func-supp leaves calls in place.
INLINE_FLAGS = shlex.split(
    "-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false"
)
AS_CLANG = "--as="
TARGET_OPTIONS = ("--offload-arch", "--amdgpu-target", "--cuda-gpu-arch")


def fail(cause: str, next_step: str) -> NoReturn:
    print(f"hipcc: error: {cause}\n  next: {next_step}", file=sys.stderr)
    raise SystemExit(1)


@dataclass(frozen=True)
class Prefix:
    """The prefix that this front end belongs to."""

    path: Path
    llvm: Path
    hip_version: str
    install: str = ""  # the command that brings a compiler, where there was none

    @staticmethod
    def around(script: Path) -> Prefix:
        path = script.resolve().parents[2]
        try:
            settings = json.loads((script.parent / SETTINGS).read_text())
        except (OSError, ValueError):
            fail(f"{script.parent / SETTINGS} cannot be read", "rocm-perf vrocm rebuild")
        llvm, version = Path(settings["llvm"]), settings["hip_version"]
        return Prefix(path, llvm, version, settings.get("install", ""))

    def clang(self, name: str = "clang++") -> Path:
        if self.install and "HIP_CLANG_PATH" not in os.environ:
            next_step = f"{self.install}; rocm-perf vrocm path"
            fail("this prefix was made where no compiler was installed", next_step)
        folder = Path(os.environ.get("HIP_CLANG_PATH") or self.llvm / "bin")
        clang = folder / name
        if not os.access(clang, os.X_OK):
            fail(f"there is no compiler at {clang}", "rocm-perf vrocm rebuild")
        return clang

    def can_compile(self, target: str) -> bool:
        processor = target.split(":")[0]
        library = f"oclc_isa_version_{processor[len('gfx') :]}.bc"
        return (self.path / "amdgcn" / "bitcode" / library).is_file()


@dataclass
class Request:
    """What one command line asks for."""

    words: list[str] = field(default_factory=list)  # for clang, in their order
    targets: list[str] = field(default_factory=list)
    has_hip: bool = False
    has_other_source: bool = False
    links: bool = True
    inlines: bool = True
    explicit_language: Optional[str] = None  # of the user's -x
    language: str = "none"  # what clang takes the next input for
    given: set[str] = field(default_factory=set)  # names of options that replace a default
    is_relocatable: bool = False  # device code is linked with the host code

    def add_input(self, name: str) -> None:
        language = self.explicit_language or language_of(name)
        if language in ("hip", "cuda"):
            self.has_hip = True
        elif language:
            self.has_other_source = True
        wanted = language or "none"
        if wanted != self.language:
            self.words += ["-x", wanted]
            self.language = wanted
        self.words.append(name)

    def set_language(self, name: str) -> None:
        """The user's own -x: it holds for the inputs behind it until -x none."""
        self.explicit_language = None if name == "none" else name


def language_of(name: str) -> Optional[str]:
    """The language that hipcc assumes for a file; None leaves it to clang (objects, libraries)."""
    if name.endswith(HIP_SUFFIXES):
        return "hip"
    return "c" if name.endswith(C_SUFFIXES) else None


def expand_response_files(words: list[str]) -> list[str]:
    """Replace every @file by the words in it, as clang would, so that inputs in it are seen."""
    expanded = []
    for word in words:
        if word.startswith("@") and os.path.isfile(word[1:]):
            with open(word[1:]) as file:
                expanded += expand_response_files(shlex.split(file.read()))
        else:
            expanded.append(word)
    return expanded


def read_request(words: list[str]) -> Request:
    request = Request()
    rest = iter(words)
    for word in rest:
        if word in VALUE_OPTIONS:
            value = next(rest, None)
            if value is None:
                fail(f"{word} needs a value", f"hipcc ... {word} VALUE")
            _read_pair(request, word, value)
        elif word.startswith("-") and word != "-":
            _read_option(request, word)
        else:
            request.add_input(word)
    return request


def _read_pair(request: Request, option: str, value: str) -> None:
    if option in TARGET_OPTIONS:
        request.targets += value.split(",")
        return
    if option == "-x":
        request.set_language(value)
        return
    request.given.add(option)
    request.words += [option, value]


def _read_option(request: Request, word: str) -> None:
    name, equals, value = word.partition("=")
    if word in DEVICE_LINK_OPTIONS:
        fail(
            f"{word}: device code has no link step of its own",
            "link the objects with hipcc -fgpu-rdc: device code is linked in the same step",
        )
    if word in RELOCATABLE_OPTIONS:
        request.is_relocatable = True
        request.inlines = False
        if word in COMPILE_RELOCATABLE:
            _read_option(request, "-c")
        return
    if equals and name in TARGET_OPTIONS:
        request.targets += value.split(",")
    elif word == "--genco":
        request.links = False
        request.words.append("--cuda-device-only")
    elif word.startswith("-x"):
        request.set_language(word[len("-x") :])
    elif word == "--hipcc-func-supp":
        request.inlines = False
    elif word not in IGNORED_OPTIONS:
        request.links = request.links and word not in NO_LINK_OPTIONS
        request.given.add("-O" if word.startswith("-O") else name)
        request.is_relocatable &= word != "-fno-gpu-rdc"
        request.inlines = request.inlines and word != "-O0"
        request.words.append(word)


def chosen_targets(targets: list[str], prefix: Prefix) -> list[str]:
    """The targets to compile for: those named, else of the environment, else the device's."""
    named = targets or os.environ.get("HCC_AMDGPU_TARGET", "").split(",")
    named = [target for target in named if target] or [DEFAULT_TARGET]
    wanted = list(dict.fromkeys(DEFAULT_TARGET if t == "native" else t for t in named))
    possible = [target for target in wanted if prefix.can_compile(target)]
    left_out = [target for target in wanted if target not in possible]
    if not possible:
        fail(
            f"there is no device library for {', '.join(wanted)}",
            f"compile for the virtual device: --offload-arch={DEFAULT_TARGET}",
        )
    if left_out:
        print(
            f"hipcc: note: left out {', '.join(left_out)}: no device library for it",
            file=sys.stderr,
        )
    return possible


def clang_command(request: Request, prefix: Prefix) -> list[str]:
    command = [str(prefix.clang())]
    if request.has_hip:
        command += _hip_flags(request, prefix)
    if request.has_other_source:
        command += ["-isystem", str(prefix.path / "include"), "-D__HIP_PLATFORM_AMD__=1"]
    compiles = request.has_hip or request.has_other_source
    if (compiles or request.is_relocatable) and "-O" not in request.given:
        command.append("-O3")
    if request.is_relocatable:
        command += _relocatable_flags(request, prefix)
    command += request.words
    if compiles:
        command += shlex.split(os.environ.get("HIPCC_COMPILE_FLAGS_APPEND", ""))
    if request.links:
        library = prefix.path / "lib"
        command += [f"-L{library}", "-lamdhip64", f"-Wl,-rpath,{library}"]
        command += shlex.split(os.environ.get("HIPCC_LINK_FLAGS_APPEND", ""))
    return with_archive_paths(command)


def _hip_flags(request: Request, prefix: Prefix) -> list[str]:
    flags = [f"--offload-arch={target}" for target in chosen_targets(request.targets, prefix)]
    defaults = {
        **_clang_defaults(prefix),
        # As ROCm's hipcc. The other kind fills a buffer that is printed when the kernel has ended.
        "-mprintf-kind": "-mprintf-kind=hostcall",
    }
    flags += [flag for name, flag in defaults.items() if name not in request.given]
    flags.append("-D__HIP_PLATFORM_AMD__=1")
    if request.inlines:
        flags += INLINE_FLAGS
    return flags


def _relocatable_flags(request: Request, prefix: Prefix) -> list[str]:
    """Objects hold bitcode of the device's side, which is compiled when the program is linked."""
    if not request.links:
        return ["-fgpu-rdc"] if request.has_hip else []
    if request.has_hip:
        return ["-fgpu-rdc", "--hip-link"]
    targets = [f"--offload-arch={t}" for t in chosen_targets(request.targets, prefix)]
    return ["-fgpu-rdc", "--hip-link", *targets, f"--rocm-path={prefix.path}"]


def _clang_defaults(prefix: Prefix) -> dict[str, str]:
    """Clang 19 itself would link device libraries of another version than its code."""
    return {
        "--rocm-path": f"--rocm-path={prefix.path}",
        "-mcode-object-version": "-mcode-object-version=5",
    }


@dataclass
class DirectCall:
    """A command line that was meant for clang."""

    words: list[str] = field(default_factory=list)  # without the targets
    targets: list[str] = field(default_factory=list)
    compiles_hip: bool = False
    given: set[str] = field(default_factory=set)

    def command(self, prefix: Prefix, name: str) -> list[str]:
        clang = str(prefix.clang(name))
        if not (self.compiles_hip or self.targets or "--hip-link" in self.given):
            return [clang, *self.words]
        flags = [f"--offload-arch={target}" for target in chosen_targets(self.targets, prefix)]
        if self.compiles_hip:
            defaults = _clang_defaults(prefix)
            flags += [flag for name, flag in defaults.items() if name not in self.given]
        if not self.given & NO_LINK_OPTIONS:  # no system-wide list has the prefix's libraries
            flags.append(f"-Wl,-rpath,{prefix.path}/lib")
        return [clang, *flags, *self.words]


def read_direct_call(words: list[str]) -> DirectCall:
    """Clang reads the rest: what is wrong with it, clang says."""
    call = DirectCall()
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        is_pair = word in VALUE_OPTIONS
        if is_pair:
            value = next(rest, "")
        if name in TARGET_OPTIONS and (equals or is_pair):
            call.targets += value.split(",")
            continue
        call.given.add(name)
        call.compiles_hip |= word == "-xhip" or (word == "-x" and value == "hip")
        call.compiles_hip |= not word.startswith("-") and word.endswith(".hip")
        call.words += [word, value] if is_pair else [word]
    return call


def with_archive_paths(words: list[str]) -> list[str]:
    """Clang looks for device code in archives that are given by their path, not in those of -l."""
    if "-fgpu-rdc" not in words or "--hip-link" not in words:
        return words
    folders = [word[2:] or words[i + 1] for i, word in enumerate(words[:-1]) if word[:2] == "-L"]
    return [_archive(word[2:], folders) or word if word[:2] == "-l" else word for word in words]


def _archive(name: str, folders: list[str]) -> Optional[str]:
    """As the linker would find it: a shared library goes before."""
    for folder in folders:
        if os.path.isfile(os.path.join(folder, f"lib{name}.so")):
            return None
        path = os.path.join(folder, f"lib{name}.a")
        if os.path.isfile(path):
            return path
    return None


def report_verbosely(prefix: Prefix, words: list[str], command: list[str]) -> None:
    """HIPCC_VERBOSE is a sum of 1 (the command), 2 (the environment), 4 (the arguments)."""
    try:
        level = int(os.environ.get("HIPCC_VERBOSE", "0"))
    except ValueError:
        return
    if level & 2:
        print(f"HIP_PATH={prefix.path}\nROCM_PATH={prefix.path}\nHIP_CLANG_PATH={prefix.llvm}/bin")
    if level & 4:
        print(f"hipcc-args: {shlex.join(words)}")
    if level & 1:
        print(f"hipcc-cmd: {shlex.join(command)}")
    sys.stdout.flush()


def main(argv: list[str]) -> None:
    prefix = Prefix.around(Path(__file__))
    if argv and argv[0].startswith(AS_CLANG):
        os.environ.setdefault("ROCM_PATH", str(prefix.path))
        name = argv[0][len(AS_CLANG) :]
        execute(with_archive_paths(read_direct_call(argv[1:]).command(prefix, name)))
    words = expand_response_files(argv)
    if "--version" in words:
        print(f"HIP version: {prefix.hip_version}-virtual", flush=True)
        command = [str(prefix.clang()), "--version"]
    elif len(words) == 1 and words[0] in answers(prefix):
        print(answers(prefix)[words[0]])
        return
    else:
        command = clang_command(read_request(words), prefix)
    report_verbosely(prefix, words, command)
    execute(command)


def execute(command: list[str]) -> NoReturn:
    """By the script that adds to clang's messages where a missing library comes from."""
    script = str(Path(__file__).with_name("missing.py"))
    os.execv(sys.executable, [sys.executable, "-IS", script, *command])


def answers(prefix: Prefix) -> dict[str, str]:
    """What is asked of hipcc alone: its version, and the flags of other compilers."""
    return {
        "--short-version": prefix.hip_version,
        "--cxxflags": f"-D__HIP_PLATFORM_AMD__=1 -isystem {prefix.path}/include",
        "--ldflags": f"-L{prefix.path}/lib -lamdhip64 -Wl,-rpath,{prefix.path}/lib",
    }


if __name__ == "__main__":
    main(sys.argv[1:])
