"""What a language model is told: measured facts, limits, earlier attempts, and the code.

Source text is data. It stands between fences that it cannot close, and what is allowed does not
depend on any text: the gate decides.
"""

from rocm_perf_lab.optimize.prompt.build import PromptStyle, Repair, build_prompt, messages_of
from rocm_perf_lab.optimize.prompt.document import PromptDocument

__all__ = ["PromptDocument", "PromptStyle", "Repair", "build_prompt", "messages_of"]
