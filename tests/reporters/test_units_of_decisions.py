"""A wrong unit on the pages of replay, oracle, evidence, tuning and progress is noticed.

Numbers are such that a factor of 100, 1000 or 1024, or a swapped pair, is another text.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes.filled import bare
from rocm_perf_lab.analysis.kernels.stability import stability_of
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.document import EvidenceDocument
from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, TypedArgument
from rocm_perf_lab.replay.replay_schema import (
    Execution,
    IsolateDocument,
    ReplayDocument,
    ReplayedKernel,
    ReplayEnvironment,
    Timing,
)
from rocm_perf_lab.replay.verify import Verification
from rocm_perf_lab.reporters.decisions.evidence import render_shown
from rocm_perf_lab.reporters.decisions.fidelity import fidelity_line
from rocm_perf_lab.reporters.decisions.oracle import render_verify
from rocm_perf_lab.reporters.decisions.replay import render_isolate, render_replay
from rocm_perf_lab.reporters.decisions.tuning import render_tuning
from rocm_perf_lab.reporters.progress import RunProgress
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.tune.tuning_schema import (
    CodeModel,
    ConfigurationModel,
    QualityModel,
    TritonChoiceModel,
    TritonConfigModel,
    TritonTable,
    TuningDocument,
)


def test_times_of_a_replay_are_microseconds() -> None:
    document = ReplayDocument(
        schema_version="1.0",
        kernel=ReplayedKernel(
            name="k", symbol="k.kd", hsaco_path="k.hsaco", code="loaded", grid=(64, 1, 1),
            block=(64, 1, 1),
        ),
        execution=Execution(iterations=7, warmup=2, mode="stateless", attempts=1),
        timing=Timing(
            unit="microseconds", average=12.9, min=11.25, max=15.5, median=12.3456, mad=0.125,
            raw_ns=(12345.6,),
        ),
        environment=ReplayEnvironment(
            gpu_agent="gfx942", gpu_product="MI300X", isa="gfx942", rocm_version=None,
            rocm_kind="rocm", pid=1,
        ),
        verification=Verification("equal", "3 regions", 3, 4096, 4096, (), None),
        unsupported=(),
        warnings=(),
    )  # fmt: skip
    lines = render_replay(document).splitlines()
    assert "Time:    median 12.346 us, MAD 0.125, min 11.250, max 15.500" in lines
    assert "Runs:    7, stateless" in lines


def test_memory_of_a_capture_is_in_powers_of_1024() -> None:
    document = IsolateDocument(
        schema_version="1.0", folder="out", kernel="k", symbol="k.kd", grid=(512, 2, 1),
        block=(256, 1, 1), dispatch_index=3, regions=5, memory_bytes=3 * 2**30 // 2,
        stored_bytes=2_500_000, changed_bytes=1000, application="exit code 0", command=("./app",),
        environment={}, unsupported=(), warnings=(),
    )  # fmt: skip
    page = render_isolate(document)
    assert "5 regions, 1.5 GiB; stored 2.4 MiB, changed 1000 B" in page
    assert "Dispatch: 3, grid 512 x 2 x 1, block 256 x 1 x 1" in page


def test_arguments_of_the_oracle_are_in_bytes() -> None:
    report = OracleReport(
        "equal", "bit_exact", "same", None, "the capture", (Stage("memory", "pass", "same"),),
        (TypedArgument("out", "f32", "signature", "output", 6144),),
    )  # fmt: skip
    document = VerifyDocument(
        schema_version="1.0", tool_version="0", verdict="equal", tier="bit_exact", reason="same",
        kernel="k", candidate="c", rocm_kind="rocm", dispatch=report, application=None,
    )  # fmt: skip
    page = render_verify(document)
    assert "  out: output, 6144 bytes, f32 by signature" in page
    assert page.endswith("Result: equal, bit by bit: same\n")


def test_evidence_counts_blocks_and_looks_and_claims_a_ratio() -> None:
    kernel = bare(JudgeDocument, verdict="ACCEPT", reason="faster", blocks=24, claim=1.0625)
    decision = bare(
        Decision,
        candidates=9,
        looks=(1, 2, 3),
        look=1,
        kernel=kernel,
        application=None,
        oracle=bare(VerifyDocument, verdict="equal"),
        guards=(),
        accepted=True,
    )
    document = bare(EvidenceDocument, folder="e", state="complete", decision=decision, missing=())
    page = render_shown(document)
    assert "Kernel       ACCEPT: faster (24 blocks)" in page
    assert "Candidates   9, look 2 of 3" in page
    assert page.endswith("Result: accepted, at least 1.062x\n")


def tuned() -> TuningDocument:
    code = CodeModel(
        vgprs=96, sgprs=16, lds_bytes=24_576, scratch_bytes=0, spills=3, occupancy=0.625
    )
    best = ConfigurationModel(parameters={"tile": 32}, runtime_ms=0.8125, value=0.8125, code=code)
    slow = ConfigurationModel(parameters={"tile": 8}, runtime_ms=2.5, value=2.5, code=None)
    return TuningDocument(
        schema_version="1.0", search_space_size=2000, size_is_estimate=False,
        evaluated_configs=75, budget=80, fraction=0.0375, resumed=0, objective="time", seed=1,
        simulated=False, virtual=False, best_config=best, default_config=slow, speedup=2.5 / 0.8125,
        judgement=None, not_judged=None, pareto=(), machines={}, mixed_machines=False, under_way=1,
        model=QualityModel(r2=0.87, residual_std=0.1), importance={"tile": 0.64, "unroll": 0.004},
        warning=None, advice=(), failures={}, measurements=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Measured: 75 of 2000 configurations (3.75%), measured",
        "Its code: 96 VGPRs, 24576 bytes of LDS, 3 registers spilled, occupancy at most 62%",
        "Model: explains 87% of the variance of held-out times (R2)",
        "What matters: tile 64%",
        "Result: best 0.8125 ms, 3.08x faster than the default's 2.5 ms as measured",
    ],
)
def test_a_line_of_a_tuning(text: str) -> None:
    assert text in render_tuning(tuned()).splitlines()


def test_a_tuning_of_everything_says_nothing_of_its_model() -> None:
    """None is left that could be better."""
    said = render_tuning(replace(tuned(), search_space_size=75, fraction=1.0))
    assert "Measured: 75 of 75 configurations (100.00%), measured" in said
    assert "Model" not in said


def test_the_table_of_a_triton_kernel() -> None:
    config = TritonConfigModel(kwargs={"TM": 64}, options={"num_warps": 4}, exact=True)
    small = TritonChoiceModel(
        key={"n": 64}, dtypes=("fp16",), config=config, ms=0.5, default_ms=0.75
    )
    large = TritonChoiceModel(key={"n": 512}, dtypes=(), config=config, ms=2.0, default_ms=2.0)
    table = TritonTable(
        schema_version="1.0", file="k.py", kernel="product", key=("n",), virtual=False,
        table=(small, large), reason="1 of 3 keys have no time",
    )  # fmt: skip
    text = render_tuning(replace(tuned(), triton=table))
    assert (
        "For each key of product (n):\n"
        "  64 fp16: TM=64 num_warps=4, 0.5 ms, 1.50x faster than the default\n"
        "  512: TM=64 num_warps=4, 2 ms, the default\n"
        "Warning: 1 of 3 keys have no time\n"
    ) in text


def test_a_tuning_says_what_the_virtual_device_is_worth() -> None:
    line = " ".join(fidelity_line().split())
    assert line in " ".join(render_tuning(replace(tuned(), virtual=True)).split())
    assert line not in " ".join(render_tuning(tuned()).split())


def test_stability_keeps_its_unit() -> None:
    found = stability_of([1.0, 2.0, 6.0])
    assert found.mean_ms == pytest.approx(3.0)
    assert found.stddev_ms == pytest.approx(7**0.5)
    assert found.cv == pytest.approx(7**0.5 / 3)


def test_the_least_gain_of_the_judge_is_given_in_percent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three times as fast in every block, where at least 150 % or 250 % are asked for."""
    block = {"A": [3000.0, 3000.5], "A2": [3000.2, 3000.6], "B": [1000.0, 1000.1]}
    path = tmp_path / "samples.json"
    path.write_text(json.dumps({"schema_version": "1.0", "unit": "ns", "blocks": [block] * 40}))
    answers = []
    for percent in ("150", "250"):
        main(["judge", str(path), "--min-gain", percent, "--json"])
        answers.append(json.loads(capsys.readouterr().out))
    assert [one["rule"]["min_gain"] for one in answers] == [1.5, 2.5]
    assert [one["verdict"] for one in answers] == ["ACCEPT", "NO_CHANGE"]


def test_the_time_of_a_run_is_told_in_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    progress = RunProgress(debug=True)
    progress.started(Step("run", 2, 3), ("./app", "a b"))
    progress.finished(Step("run", 2, 3), 1_234_500_000)
    assert capsys.readouterr().err == "+ ./app 'a b'\n  run 2: 1.234 s\n"
