"""Writes the JSON Schemas of docs/schema/ from the models. A test checks that they are current."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.analysis import analysis_schema, dag_schema, explain_schema, roofline_schema
from rocm_perf_lab.analysis.profile_schema import SCHEMA_VERSION, ProfileDocument
from rocm_perf_lab.collect import doctor_document, roof_store
from rocm_perf_lab.reporters.json_document import schema_of, write_document

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schema"


def schemas() -> dict[str, str]:
    """File name -> text of every published schema."""
    return {
        f"profile-{SCHEMA_VERSION}.json": schema_of(
            ProfileDocument, f"rocm-perf profile {SCHEMA_VERSION}"
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
        f"roofs-{roof_store.SCHEMA_VERSION}.json": schema_of(
            roof_store.RoofsDocument, f"rocm-perf roofs {roof_store.SCHEMA_VERSION}"
        ),
        f"doctor-{doctor_document.SCHEMA_VERSION}.json": schema_of(
            doctor_document.DoctorDocument, f"rocm-perf doctor {doctor_document.SCHEMA_VERSION}"
        ),
    }


if __name__ == "__main__":
    for name, text in schemas().items():
        write_document(FOLDER / name, text)
