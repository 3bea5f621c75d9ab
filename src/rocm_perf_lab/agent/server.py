"""The server of the Model Context Protocol: tools, and files of the roots as resources."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable
from functools import wraps
from typing import Any, Callable

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools.base import Tool
from mcp_types import ToolAnnotations

from rocm_perf_lab import __version__
from rocm_perf_lab.agent.resources import Files
from rocm_perf_lab.agent.roots import Roots
from rocm_perf_lab.agent.tools import Tools
from rocm_perf_lab.errors import PerfLabError

_INSTRUCTIONS = """\
Performance of HIP applications on AMD GPUs, or on a virtual MI300X where there is none ("kind":
"virtual" in a device says so; its times come from a model). Begin with explain: it says what limits
an application and what to try first; report writes the same as a page for people. Change one thing,
then verify that the output is the same, and compare base and head: only the verdict of compare
says that something became faster. optimize and autotune search for changes themselves; evidence
checks what they stored. Paths are relative to the first root; programs and files outside of the
roots are refused.
"""
_READING = ("doctor", "judge", "evidence")


class StrictTool(Tool):
    """Refuses arguments that it does not have, instead of ignoring them."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        known = list(self.parameters["properties"])
        unknown = [name for name in arguments if name not in known]
        if unknown:
            meant = difflib.get_close_matches(unknown[0], known, n=1)
            tail = f"did you mean {meant[0]}?" if meant else f"it takes {', '.join(known)}"
            raise ToolError(f"{self.name} has no argument '{unknown[0]}'; {tail}")
        return await super().run(arguments, context, convert_result)


def build_server(roots: Roots, most_bytes: int) -> MCPServer[Any]:
    tools = Tools(roots, most_bytes)
    offered = (
        tools.doctor,
        tools.profile,
        tools.explain,
        tools.report,
        tools.roofline,
        tools.critical_path,
        tools.compare,
        tools.judge,
        tools.verify,
        tools.evidence,
        tools.isolate,
        tools.replay,
        tools.optimize,
        tools.autotune,
    )
    server: MCPServer[Any] = MCPServer(
        "rocm-perf",
        instructions=_INSTRUCTIONS,
        version=__version__,
        tools=[_strict(tool) for tool in offered],
    )
    Files(roots, most_bytes).offer(server)
    return server


def _strict(tool: Callable[..., Awaitable[Any]]) -> Tool:
    hints = ToolAnnotations(read_only_hint=tool.__name__ in _READING, open_world_hint=False)
    made = StrictTool.from_function(_told(tool), name=tool.__name__, annotations=hints)
    made.parameters["additionalProperties"] = False
    return made


def _told(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Failures with their next step, as the command line tells them."""

    @wraps(tool)
    async def told(*arguments: Any, **named: Any) -> Any:
        try:
            return await tool(*arguments, **named)
        except PerfLabError as error:
            step = f"\nnext: {error.next_step}" if error.next_step else ""
            raise ToolError(f"{error.cause}{step}\nexit code: {error.exit_code}") from error

    return told
