"""What the instructions of a kernel say without running it: mix, registers, hot lines.

Disassembling is codeobject/."""
