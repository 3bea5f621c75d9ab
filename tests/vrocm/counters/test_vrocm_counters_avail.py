"""rocprofv3-avail of the virtual ROCm: formats and exit codes of the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm import rocprofv3_avail
from rocm_perf_lab.vrocm.counters.availability import available_names, delivered_keys
from rocm_perf_lab.vrocm.counters.definitions import load_catalogue
from rocm_perf_lab.vrocm.recording.agents import GpuAgent, gpu_agents
from rocm_perf_lab.vrocm.rocprofv3 import main as rocprofv3
from rocm_perf_lab.vrocm.rocprofv3_avail import main

FACTS = {
    "name": "gfx942",
    "num_xcc": 8,
    "array_count": 32,
    "simd_arrays_per_engine": 1,
    "simd_count": 1216,
    "simd_per_cu": 4,
    "wave_front_size": 64,
}


@pytest.fixture(autouse=True)
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = [GpuAgent(index, {**FACTS, "logical_node_type_id": index}) for index in range(2)]
    monkeypatch.setattr(rocprofv3_avail, "gpu_agents", lambda _root: gpus)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def test_names_stand_in_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("list",), ("list", "--pmc"), ("list", "--pmc=yes")):
        lines = said(capsys, *words).splitlines()
        assert lines[:4] == [
            "GPU                           :\t0",
            "Name                          :\tgfx942",
            "PMC                           :",
            "",
        ]
        assert max(map(len, lines)) <= 120
        names = " ".join(lines).split()
        for name in ("SQ_WAVES", "FETCH_SIZE", "simd_count"):
            assert names.count(name) == 2  # once for each GPU


def test_one_device(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "-d", "1", "list")
    assert "GPU                           :\t1" in out
    assert "GPU                           :\t0" not in out


def test_agents(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "-d", "0", "list", "--agent")
    assert out.startswith("GPU:0\n\nsimd_count                    :\t1216\n")
    assert "PMC" not in out
    assert "gpu_id" not in out  # what the runtime does not tell is not there
    assert "PMC                           :" in said(capsys, "info")


def test_what_a_counter_is(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("SQ_WAVES", "VALUBusy", "MfmaFlopsF16", "simd_count", "NOWHERE")
    assert said(capsys, "-d", "0", "info", "--pmc", *names) == (
        "GPU:0\n"
        "Name:gfx942\n"
        "Counter_Name        :\tSQ_WAVES\n"
        "Description         :\tWaves that were started.\n"
        "Block               :\tSQ\n"
        "Dimensions          :\tDIMENSION_INSTANCE[0:0] DIMENSION_SHADER_ENGINE[0:3] "
        "DIMENSION_XCC[0:7]\n"
        "\n\n"
        "Counter_Name        :\tVALUBusy\n"
        "Description         :\tPercentage of the time in which vector arithmetic is issued.\n"
        "Expression          :\t100*reduce(SQ_ACTIVE_INST_VALU,sum)/CU_NUM/"
        "reduce(GRBM_GUI_ACTIVE,max)\n"
        "Dimensions          :\tDIMENSION_INSTANCE[0:0]\n"
        "\n\n"
        "Counter_Name        :\tMfmaFlopsF16\n"
        "Description         :\tOperations of matrix instructions on 16-bit floats.\n"
        "Expression          :\tSQ_INSTS_VALU_MFMA_MOPS_F16*512\n"
        "Dimensions          :\tDIMENSION_INSTANCE[0:0] DIMENSION_SHADER_ENGINE[0:3] "
        "DIMENSION_XCC[0:7]\n"
        "\n\n"
        "Counter_Name        :\tsimd_count\n"
        "Description         :\tConstant value simd_count from agent properties\n"
        "\n\n"
    )


def test_without_names_every_counter_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "-d", "0", "info", "--pmc")
    available = available_names(load_catalogue(), GpuAgent(0, FACTS).device)
    assert out.count("Counter_Name        :") == len(available)


def test_what_fits_together(capsys: pytest.CaptureFixture[str]) -> None:
    together = "Following input counters can be collected together on GPU"
    assert said(capsys, "pmc-check", "SQ_WAVES", "TCC_HIT") == (
        f"{together}:0\tSQ_WAVES\tTCC_HIT\n{together}:1\tSQ_WAVES\tTCC_HIT\n"
    )
    words = ("-d", "0", "pmc-check", "SQ_WAVES", "TCC_HIT:device=1")
    assert said(capsys, *words) == f"{together}:0\tSQ_WAVES\n{together}:1\tTCC_HIT\n"
    assert said(capsys, "pmc-check", "FETCH_SIZE:device=0", "WRITE_SIZE:device=1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Provide counter to check"),
        (["NOWHERE"], "Invalid counter name"),
        (["CPC_CPC_STAT_BUSY"], "Invalid counter name"),  # defined, but not counted here
        (["FETCH_SIZE", "WRITE_SIZE"], "FETCH_SIZE WRITE_SIZE not collected on agent gfx942"),
        (["SQ_WAVES:device=2"], "Invalid device id : 2"),
        (["SQ_WAVES:device=x"], "Incorrect input format for device index"),
        (["SQ_WAVES:gpu=0"], "Incorrect input format for device index"),
        (["SQ_WAVES:device=0:1"], "Invalid format for pmc-check"),
    ],
)
def test_a_no_is_status_1(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["pmc-check", *words]) == 1
    answer = capsys.readouterr()
    assert (answer.out, answer.err) == ("", f"Fatal error: {message}\n")


def test_nothing_asked_is_nothing_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys) == ""
    assert said(capsys, "info", "--pc-sampling") == ""
    assert said(capsys, "list", "--pc-sampling") == "Agents supporting PC Sampling\n\n"


@pytest.mark.parametrize("words", [["describe"], ["list", "--pmc=perhaps"], ["-d", "x", "list"]])
def test_wrong_options_are_status_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(words)
    assert leaving.value.code == 2


def test_rocprofv3_lists_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert rocprofv3(["-L"]) == 0
    assert capsys.readouterr().out == said(capsys, "info", "--pmc")


def test_a_missing_runtime_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match=r"libamdhip64\.so\.7 cannot be used: OSError"):
        gpu_agents(tmp_path)


def test_everything_delivered_belongs_to_a_counter() -> None:
    catalogue = load_catalogue()
    for key in delivered_keys():
        name = key.rpartition("(")[2].rstrip(")")
        counter = catalogue.find(name)
        assert counter is not None, key
        assert counter.block is not None, key


def test_what_the_analyses_need_is_available() -> None:
    available = set(available_names(load_catalogue(), GpuAgent(0, FACTS).device))
    assert {"FETCH_SIZE", "WRITE_SIZE", "VmemLatency", "SmemLatency", "LdsLatency"} <= available
    assert {"InstrFetchLatency", "MeanOccupancyPerCU", "OccupancyPercent", "MfmaUtil"} <= available
    assert {"TOTAL_16_OPS", "TOTAL_32_OPS", "TOTAL_64_OPS", "GPU_UTIL", "VALUBusy"} <= available
