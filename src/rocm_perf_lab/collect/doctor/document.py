"""What ``rocm-perf doctor --json`` prints, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.collect.doctor.checks import Diagnosis, Finding
from rocm_perf_lab.collect.doctor.environment import Environment
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class DoctorDocument(Strict):
    schema_version: Literal["1.0"]
    can_profile: Annotated[bool, says("no finding has the status fail")]
    prefix: Annotated[Optional[str], says("the ROCm installation that would be used")]
    findings: tuple[Finding, ...]
    environment: Environment


def doctor_document(diagnosis: Diagnosis) -> DoctorDocument:
    return DoctorDocument(
        schema_version=SCHEMA_VERSION,
        can_profile=diagnosis.can_profile,
        prefix=str(diagnosis.prefix.path) if diagnosis.prefix else None,
        findings=diagnosis.findings,
        environment=diagnosis.environment,
    )
