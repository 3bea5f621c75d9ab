"""A prompt as a person reads it: exactly what would be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_perf_lab.reporters import text_table as tt

if TYPE_CHECKING:
    from rocm_perf_lab.optimize.prompt import PromptDocument


def render_prompt(document: PromptDocument) -> str:
    texts = [f"--- {message.role} ---\n{message.text}\n" for message in document.messages]
    size = sum(len(message.text) for message in document.messages)
    return "\n".join([*texts, tt.closing(f"Result: nothing was sent ({size} characters)") + "\n"])
