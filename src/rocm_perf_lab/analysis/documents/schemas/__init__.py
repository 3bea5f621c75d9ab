"""The shape of every JSON document of an analysis, as strict Pydantic models. No logic."""
