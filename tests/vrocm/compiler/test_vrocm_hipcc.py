"""hipcc turns what Makefiles pass into one clang command."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.vrocm import hipcc, hipconfig


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> hipcc.Prefix:
    for name in ("HIP_CLANG_PATH", "HCC_AMDGPU_TARGET", "HIPCC_VERBOSE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND"):
        monkeypatch.delenv(name, raising=False)
    bitcode = tmp_path / "amdgcn" / "bitcode"
    bitcode.mkdir(parents=True)
    for target in ("942", "90a"):
        (bitcode / f"oclc_isa_version_{target}.bc").touch()
    clang = tmp_path / "llvm" / "bin" / "clang++"
    clang.parent.mkdir(parents=True)
    clang.touch(mode=0o755)
    return hipcc.Prefix(tmp_path, tmp_path / "llvm", "7.1.0")


def command(prefix: hipcc.Prefix, *words: str) -> list[str]:
    return hipcc.clang_command(hipcc.read_request(list(words)), prefix)


def test_a_source_is_compiled_and_linked_for_the_virtual_device(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "vector_add.cpp", "-o", "vector_add")
    assert "--offload-arch=gfx942" in words
    assert f"--rocm-path={prefix.path}" in words
    assert {"-mcode-object-version=5", "-mprintf-kind=hostcall", "-O3"} <= set(words)
    assert words[words.index("vector_add.cpp") - 2 :][:2] == ["-x", "hip"]
    assert words[-3:] == [
        f"-L{prefix.path}/lib",
        "-lamdhip64",
        f"-Wl,-rpath,{prefix.path}/lib",
    ]


@pytest.mark.parametrize("mode", ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--genco"])
def test_nothing_is_linked_when_the_mode_ends_before(prefix: hipcc.Prefix, mode: str) -> None:
    assert "-lamdhip64" not in command(prefix, mode, "a.hip")


def test_linking_alone_needs_no_compiler_flags(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "a.o", "libb.a", "-o", "app", "-lm")
    assert words[1:6] == ["a.o", "libb.a", "-o", "app", "-lm"]
    assert "-lamdhip64" in words
    assert not [word for word in words if word.startswith(("--offload-arch", "-m", "-O"))]


def test_objects_beside_a_source_keep_their_own_language(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "main.cu", "other.o", "more.hip")
    start = words.index("main.cu") - 2
    assert words[start : start + 8] == [
        "-x", "hip", "main.cu", "-x", "none", "other.o", "-x", "hip",
    ]  # fmt: skip


def test_c_stays_c_and_finds_the_headers(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "-c", "host.c")
    assert words[-2:] == ["c", "host.c"]
    assert words[words.index("-isystem") + 1] == f"{prefix.path}/include"
    assert "--offload-arch=gfx942" not in words


def test_the_users_own_language_wins(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "-x", "c++", "-c", "host.cpp")
    assert words[-2:] == ["c++", "host.cpp"] or words[-3:] == ["c++", "-c", "host.cpp"]
    assert not any(word.startswith("--offload-arch") for word in words)
    assert "-xc" not in command(prefix, "-xc", "-c", "a.txt")
    assert "c" in command(prefix, "-xc", "-c", "a.txt")


@pytest.mark.parametrize(
    "words",
    [
        ["--offload-arch=gfx90a", "--offload-arch=gfx942"],
        ["--offload-arch", "gfx90a,gfx942"],
        ["--amdgpu-target=gfx90a", "--amdgpu-target", "gfx942"],
    ],
)
def test_targets_in_every_spelling(prefix: hipcc.Prefix, words: list[str]) -> None:
    made = command(prefix, *words, "-c", "a.hip")
    assert [w for w in made if w.startswith("--offload-arch")] == [
        "--offload-arch=gfx90a",
        "--offload-arch=gfx942",
    ]


def test_native_and_the_environment_name_targets(
    prefix: hipcc.Prefix, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--offload-arch=gfx942" in command(prefix, "--offload-arch=native", "-c", "a.hip")
    monkeypatch.setenv("HCC_AMDGPU_TARGET", "gfx90a")
    assert "--offload-arch=gfx90a" in command(prefix, "-c", "a.hip")


def test_a_target_without_a_device_library_is_left_out(
    prefix: hipcc.Prefix, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(prefix, "--offload-arch=gfx1100,gfx942:sramecc+", "-c", "a.hip")
    assert [w for w in words if w.startswith("--offload-arch")] == [
        "--offload-arch=gfx942:sramecc+"
    ]
    assert "left out gfx1100" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command(prefix, "--offload-arch=gfx1100", "-c", "a.hip")
    assert "next: compile for the virtual device" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["-fgpu-rdc", "-dc", "--relocatable-device-code=true"])
def test_relocatable_device_code_keeps_calls(prefix: hipcc.Prefix, option: str) -> None:
    words = command(prefix, option, "-c", "a.hip")
    assert "-fgpu-rdc" in words
    assert "-c" in words
    assert "--hip-link" not in words
    assert "-amdgpu-function-calls=false" not in words


def test_relocatable_objects_are_linked_for_the_device(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "-fgpu-rdc", "a.o", "b.o", "-o", "app")
    for word in ("-fgpu-rdc", "--hip-link", "--offload-arch=gfx942", "-O3"):
        assert words.count(word) == 1
    assert "--hip-link" not in command(prefix, "a.o", "b.o", "-o", "app")


def test_device_code_of_archives_is_found(
    prefix: hipcc.Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clang reads those that are given by path; a shared library of the name goes before."""
    for name in ("libone.a", "libtwo.a", "libtwo.so"):
        (tmp_path / name).touch()
    words = ("a.o", "-L", str(tmp_path), "-lone", "-ltwo", "-lm")
    linked = command(prefix, "-fgpu-rdc", *words)
    assert {str(tmp_path / "libone.a"), "-ltwo", "-lm"} <= set(linked)
    assert "-lone" not in linked
    assert "-lone" in command(prefix, *words)


def test_a_link_step_of_its_own_is_refused_with_the_next_step(
    prefix: hipcc.Prefix, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        command(prefix, "-dlink", "a.o")
    assert stopped.value.code == 1
    assert "next: link the objects with hipcc -fgpu-rdc" in capsys.readouterr().err


def test_what_the_user_gives_replaces_the_default(prefix: hipcc.Prefix) -> None:
    words = command(
        prefix, "-O1", "--rocm-path=/opt/rocm", "-mcode-object-version=6", "-c", "a.hip"
    )
    assert "-O3" not in words
    assert "-mcode-object-version=5" not in words
    assert f"--rocm-path={prefix.path}" not in words


def test_device_functions_are_inlined_unless_asked_otherwise(prefix: hipcc.Prefix) -> None:
    inline = "-amdgpu-early-inline-all=true"
    assert inline in command(prefix, "-c", "a.hip")
    assert inline not in command(prefix, "-O0", "-c", "a.hip")
    assert inline not in command(prefix, "--hipcc-func-supp", "-c", "a.hip")


def test_values_are_not_taken_for_inputs(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "-c", "-include", "config.cpp", "-I", "x.cu", "a.hip", "-MF", "d.c")
    assert words[words.index("-include") + 1] == "config.cpp"
    assert words.count("-x") == 1


def test_genco_asks_for_device_code_only(prefix: hipcc.Prefix) -> None:
    words = command(prefix, "--genco", "k.cpp", "-o", "k.hsaco")
    assert "--cuda-device-only" in words
    assert "--genco" not in words


def test_flags_from_the_environment_are_appended(
    prefix: hipcc.Prefix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPCC_COMPILE_FLAGS_APPEND", "-DA='x y'")
    monkeypatch.setenv("HIPCC_LINK_FLAGS_APPEND", "-lz")
    words = command(prefix, "a.hip")
    assert "-DA=x y" in words
    assert words[-1] == "-lz"


def test_response_files_may_hold_inputs(prefix: hipcc.Prefix, tmp_path: Path) -> None:
    inner = tmp_path / "inner.txt"
    inner.write_text('-DNAME="a b" two.o')
    outer = tmp_path / "outer.txt"
    outer.write_text(f"one.cpp\n@{inner} -O2")
    assert hipcc.expand_response_files([f"@{outer}", "@absent"]) == [
        "one.cpp", "-DNAME=a b", "two.o", "-O2", "@absent",
    ]  # fmt: skip


def test_an_option_without_its_value_is_an_error(
    prefix: hipcc.Prefix, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command(prefix, "a.hip", "-o")
    assert "-o needs a value" in capsys.readouterr().err


def test_verbose_shows_command_and_arguments(
    prefix: hipcc.Prefix,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HIPCC_VERBOSE", "7")
    hipcc.report_verbosely(prefix, ["a.hip"], ["clang++", "x y"])
    shown = capsys.readouterr().out
    assert "hipcc-cmd: clang++ 'x y'" in shown
    assert "hipcc-args: a.hip" in shown
    assert f"ROCM_PATH={prefix.path}" in shown
    monkeypatch.setenv("HIPCC_VERBOSE", "no number")
    hipcc.report_verbosely(prefix, [], [])
    assert capsys.readouterr().out == ""


def test_hipconfig_knows_what_build_systems_ask() -> None:
    known = hipconfig.answers(Path("/p"), {"llvm": "/l", "hip_version": "7.1.0"})
    assert known["--path"] == "/p"
    assert known["--version"].startswith("7.1.0")
    assert "-I/p/include" in known["--cpp_config"]
    assert known["--platform"] == "amd"
    assert "path         : /p" in hipconfig.full_report(known)
