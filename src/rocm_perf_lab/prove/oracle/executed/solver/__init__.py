"""Whether any run can show a side of an instruction that no trial has shown, asked of z3."""
