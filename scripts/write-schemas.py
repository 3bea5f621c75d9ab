"""Writes the JSON Schemas of docs/schema/ and their page from the models. A test checks them.

A schema that changed needs an entry in docs/schema/CHANGELOG.md; this says which.
"""

from __future__ import annotations

import sys
from pathlib import Path

import schema_pages

from rocm_perf_lab.analysis.documents.schemas import analysis as analysis_schema
from rocm_perf_lab.analysis.documents.schemas import dag as dag_schema
from rocm_perf_lab.analysis.documents.schemas import explain as explain_schema
from rocm_perf_lab.analysis.documents.schemas import roofline as roofline_schema
from rocm_perf_lab.analysis.documents.schemas.profile import SCHEMA_VERSION, ProfileDocument
from rocm_perf_lab.collect import roof_store
from rocm_perf_lab.collect.doctor import document as doctor_document
from rocm_perf_lab.history import document as history_document
from rocm_perf_lab.optimize import document as optimize_document
from rocm_perf_lab.optimize.prompt import document as prompt_document
from rocm_perf_lab.prove.ci import ci_schema
from rocm_perf_lab.prove.compare import compare_schema, versions_schema
from rocm_perf_lab.prove.evidence import document as evidence_document
from rocm_perf_lab.prove.judge import document as judge_document
from rocm_perf_lab.prove.judge import self_test as judge_self_test
from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.replay import capture_schema, replay_schema
from rocm_perf_lab.report import document as report_document
from rocm_perf_lab.reporters import error_document
from rocm_perf_lab.reporters.json_document import schema_of, write_document
from rocm_perf_lab.selftest import document as selftest_document
from rocm_perf_lab.selftest.calibrate import bundle as calibration_bundle
from rocm_perf_lab.tune import tuning_schema

REPLAY_MODELS = {
    "verify": VerifyDocument,
    "replay": replay_schema.ReplayDocument,
    "replay-check": replay_schema.CheckDocument,
    "replay-compare": versions_schema.VersionsDocument,
    "replay-race": replay_schema.RaceDocument,
    "isolate": replay_schema.IsolateDocument,
    "isolate-list": replay_schema.ListDocument,
    "capture-dispatch": capture_schema.DispatchFile,
    "capture-memory-regions": capture_schema.RegionsFile,
    "capture-after-regions": capture_schema.ChangesFile,
    "capture-manifest": capture_schema.ManifestFile,
}
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schema"


def schemas() -> dict[str, str]:
    """File name -> text of every published schema."""
    return {
        f"profile-{SCHEMA_VERSION}.json": schema_of(
            ProfileDocument, f"rocm-perf profile {SCHEMA_VERSION}"
        ),
        f"history-{history_document.SCHEMA_VERSION}.json": schema_of(
            history_document.HistoryDocument,
            f"rocm-perf history {history_document.SCHEMA_VERSION}",
        ),
        f"error-{error_document.SCHEMA_VERSION}.json": schema_of(
            error_document.ErrorDocument, f"rocm-perf error {error_document.SCHEMA_VERSION}"
        ),
        f"roofline-{roofline_schema.SCHEMA_VERSION}.json": schema_of(
            roofline_schema.RooflineDocument,
            f"rocm-perf roofline {roofline_schema.SCHEMA_VERSION}",
        ),
        f"analysis-{analysis_schema.SCHEMA_VERSION}.json": schema_of(
            analysis_schema.AnalysisDocument,
            f"rocm-perf analysis {analysis_schema.SCHEMA_VERSION}",
        ),
        f"dag-{dag_schema.SCHEMA_VERSION}.json": schema_of(
            dag_schema.DagDocument, f"rocm-perf dag {dag_schema.SCHEMA_VERSION}"
        ),
        f"explain-{explain_schema.SCHEMA_VERSION}.json": schema_of(
            explain_schema.ExplanationDocument,
            f"rocm-perf explain {explain_schema.SCHEMA_VERSION}",
        ),
        f"walls-{explain_schema.SCHEMA_VERSION}.json": schema_of(
            explain_schema.CaptureWallsDocument,
            f"rocm-perf explain --from CAPTURE {explain_schema.SCHEMA_VERSION}",
        ),
        f"compare-{compare_schema.SCHEMA_VERSION}.json": schema_of(
            compare_schema.ComparisonDocument,
            f"rocm-perf compare {compare_schema.SCHEMA_VERSION}",
        ),
        f"ci-{ci_schema.SCHEMA_VERSION}.json": schema_of(
            ci_schema.CiDocument, f"rocm-perf ci {ci_schema.SCHEMA_VERSION}"
        ),
        f"autotune-{tuning_schema.SCHEMA_VERSION}.json": schema_of(
            tuning_schema.TuningDocument, f"rocm-perf autotune {tuning_schema.SCHEMA_VERSION}"
        ),
        f"autotune-triton-{tuning_schema.SCHEMA_VERSION}.json": schema_of(
            tuning_schema.TritonTable,
            f"rocm-perf autotune --triton --write {tuning_schema.SCHEMA_VERSION}",
        ),
        f"roofs-{roof_store.SCHEMA_VERSION}.json": schema_of(
            roof_store.RoofsDocument, f"rocm-perf roofs {roof_store.SCHEMA_VERSION}"
        ),
        f"judge-{judge_document.SCHEMA_VERSION}.json": schema_of(
            judge_document.JudgeDocument, f"rocm-perf judge {judge_document.SCHEMA_VERSION}"
        ),
        f"judge-self-test-{judge_self_test.SCHEMA_VERSION}.json": schema_of(
            judge_self_test.SelfTestDocument,
            f"rocm-perf judge --self-test {judge_self_test.SCHEMA_VERSION}",
        ),
        f"evidence-{evidence_document.SCHEMA_VERSION}.json": schema_of(
            evidence_document.EvidenceDocument,
            f"rocm-perf evidence {evidence_document.SCHEMA_VERSION}",
        ),
        f"optimize-{optimize_document.SCHEMA_VERSION}.json": schema_of(
            optimize_document.OptimizeDocument,
            f"rocm-perf optimize {optimize_document.SCHEMA_VERSION}",
        ),
        f"prompt-{prompt_document.SCHEMA_VERSION}.json": schema_of(
            prompt_document.PromptDocument, f"rocm-perf prompt {prompt_document.SCHEMA_VERSION}"
        ),
        f"doctor-{doctor_document.SCHEMA_VERSION}.json": schema_of(
            doctor_document.DoctorDocument, f"rocm-perf doctor {doctor_document.SCHEMA_VERSION}"
        ),
        f"calibration-{calibration_bundle.SCHEMA_VERSION}.json": schema_of(
            calibration_bundle.CalibrationBundle,
            f"bundle of rocm-perf selftest --calibrate {calibration_bundle.SCHEMA_VERSION}",
        ),
        f"selftest-{selftest_document.SCHEMA_VERSION}.json": schema_of(
            selftest_document.SelftestDocument,
            f"rocm-perf selftest {selftest_document.SCHEMA_VERSION}",
        ),
        f"report-{report_document.SCHEMA_VERSION}.json": schema_of(
            report_document.ReportDocument, f"rocm-perf report {report_document.SCHEMA_VERSION}"
        ),
        **{
            f"{name}-{replay_schema.SCHEMA_VERSION}.json": schema_of(
                model, f"rocm-perf {name} {replay_schema.SCHEMA_VERSION}"
            )
            for name, model in REPLAY_MODELS.items()
        },
    }


CHANGELOG, INDEX = FOLDER / "CHANGELOG.md", FOLDER / "README.md"


def main() -> int:
    made, told = schemas(), CHANGELOG.read_text("utf-8")
    for name, text in made.items():
        write_document(FOLDER / name, text)
    write_document(INDEX, schema_pages.page(made, told))
    missing = schema_pages.untold(made, told)
    if missing:
        print(f"Say in {CHANGELOG}, on top, what changed, and run this again:", *missing, sep="\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
