"""The document of ``rocm-perf ci --json``, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"
Reason = Literal["regression", "finding"]


class FindingModel(Strict):
    what: Annotated[str, says("as the virtual device reports it")]
    kernel: str
    where: Annotated[list[str], says("the instructions, with source lines where the code has them")]
    new: Annotated[bool, says("BASE has none of this kind in this kernel")]


class CheckedModel(Strict):
    given: Annotated[str, says("the version")]
    dispatches: Annotated[
        Optional[int], says("that were checked; null: a finding ended the run early")
    ]
    findings: list[FindingModel]


class ChecksModel(Strict):
    kinds: Annotated[list[str], says("of VROCM_CHECK")]
    base: CheckedModel
    head: CheckedModel


class CiDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    found: Annotated[list[Reason], says("what a job may fail for; see --fail-on")]
    comparison: Annotated[
        Optional[ComparisonDocument], says("null: HEAD does not run to its end under the checks")
    ]
    checks: Annotated[Optional[ChecksModel], says("null: not requested")]
