"""The part of LLVM's textual IR that kernels consist of: what it holds, and reading it."""
