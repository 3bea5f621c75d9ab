"""All rules, in the order in which they are tried among equals."""

from __future__ import annotations

from rocm_perf_lab.optimize.rules.rule import Rule

ALL_RULES: tuple[Rule, ...] = ()
