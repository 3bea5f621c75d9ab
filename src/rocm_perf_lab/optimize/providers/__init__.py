"""Language models behind one small interface, one file each. Nothing is sent but what
``complete`` is given, and nobody but ``llm-optimize`` calls it."""

from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Provider,
    Reply,
    ReplyLimits,
    Usage,
)

__all__ = ["Message", "Provider", "Reply", "ReplyLimits", "Usage"]
