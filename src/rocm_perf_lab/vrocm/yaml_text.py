"""YAML of job files and extra counters, as rocprofv3 reads it."""

from __future__ import annotations

from typing import Any


def parse_yaml(content: str) -> Any:
    """Raises ``ValueError``, with the line, for what is not YAML."""
    import yaml  # few runs have such a file, and all of them would wait for it

    try:
        return yaml.safe_load(content)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{where}{error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
