"""The server of the Model Context Protocol: tools, and files of the roots as resources."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import wraps
from typing import Any, Callable

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from rocm_perf_lab import __version__
from rocm_perf_lab.agent.resources import Files
from rocm_perf_lab.agent.roots import Roots
from rocm_perf_lab.agent.tools import Tools
from rocm_perf_lab.errors import PerfLabError

_INSTRUCTIONS = """\
Performance of HIP applications on AMD GPUs, or on a virtual MI300X where there is none ("kind":
"virtual" in a device says so; its times come from a model). Begin with explain: it says what limits
an application and what to try first. Change one thing, then compare base and head: only its verdict
says that something became faster. optimize and autotune search for changes themselves. Paths are
relative to the first root; programs and files outside of the roots are refused.
"""
_READING = ("doctor", "judge")


def build_server(roots: Roots, most_bytes: int) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("rocm-perf", instructions=_INSTRUCTIONS, version=__version__)
    tools = Tools(roots, most_bytes)
    for tool in (
        tools.doctor,
        tools.profile,
        tools.explain,
        tools.roofline,
        tools.critical_path,
        tools.compare,
        tools.judge,
        tools.isolate,
        tools.replay,
        tools.optimize,
        tools.autotune,
    ):
        hints = ToolAnnotations(read_only_hint=tool.__name__ in _READING, open_world_hint=False)
        server.add_tool(_told(tool), name=tool.__name__, annotations=hints)
    Files(roots, most_bytes).offer(server)
    return server


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
