"""Convolution on an MI250X and an A100: the time of every configuration, or why it has none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from known_answers.files import Files

_DIGITS = 6


def tuning_spaces(recordings: Path) -> Files:
    files: Files = {}
    for board in ("MI250X", "A100"):
        name = f"tuning-spaces/convolution_{board}_T4.json.gz"
        with gzip.open(recordings / name, "rt", encoding="utf-8") as stream:
            results = json.load(stream)["results"]
        kept = [
            {
                "configuration": entry["configuration"],
                "invalidity": entry["invalidity"],
                "measurements": [
                    {"name": one["name"], "value": _rounded(one["value"])}
                    for one in entry["measurements"]
                ],
                "objectives": entry["objectives"],
            }
            for entry in results
        ]
        content = {"metadata": {"timeunit": "miliseconds"}, "results": kept}
        files[name] = json.dumps(content, separators=(",", ":")) + "\n"
    return files


def _rounded(value: object) -> object:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
