"""What each vector opcode computes on one lane, written from the ISA manual in Python integers."""

from __future__ import annotations

import vector_reference_compare
import vector_reference_convert
import vector_reference_division
import vector_reference_float
import vector_reference_integer
import vector_reference_packed
from vector_semantics import FLOATS, REFERENCE, WIDTH, Context, Semantics, parts, signed

# Importing a part adds its opcodes to REFERENCE.
PARTS = (
    vector_reference_compare,
    vector_reference_convert,
    vector_reference_division,
    vector_reference_float,
    vector_reference_integer,
    vector_reference_packed,
)

__all__ = ["FLOATS", "PARTS", "REFERENCE", "WIDTH", "Context", "Semantics", "parts", "signed"]
