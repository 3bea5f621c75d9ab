"""The server as a client of the SDK sees it, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Callable, TypeVar

import pytest

mcp = pytest.importorskip("mcp", reason="the Model Context Protocol needs Python 3.10 or newer")

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "recordings"
TOOLS = {
    "doctor",
    "profile",
    "explain",
    "report",
    "roofline",
    "critical_path",
    "compare",
    "judge",
    "verify",
    "evidence",
    "isolate",
    "replay",
    "optimize",
    "autotune",
}
Result = TypeVar("Result")
SPACE = {"TILE": [8, 16, 32], "UNROLL": [1, 2, 4]}


def talk(root: Path, say: Callable[[Any], Awaitable[Result]], *options: str) -> Result:
    """One conversation with a server of its own."""

    async def conversation() -> Result:
        words = ["-m", "rocm_perf_lab.cli.main", "mcp", "--root", str(root), *options]
        server = mcp.StdioServerParameters(
            command=sys.executable, args=words, env=dict(os.environ), cwd=root
        )
        async with mcp.Client(server) as client:
            return await say(client)

    return asyncio.run(conversation())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    shutil.copytree(FIXTURES / "veccopy-counters" / "MI300X_A1" / "kernel", folder / "recorded")
    (folder / "space.json").write_text(json.dumps(SPACE))
    program = folder / "app"
    program.write_text(f"#!{sys.executable}\nimport sys, time\ntime.sleep(float(sys.argv[1]))\n")
    program.chmod(0o700)
    return folder


def test_tools_recordings_and_refusals(root: Path) -> None:
    """One server for all of them: each start costs a second."""
    seen: list[str] = []

    async def say(client: Any) -> None:
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} == TOOLS
        for tool in listed:
            assert tool.description
            assert tool.output_schema["properties"]["document"], tool.name

        async def progress(done: float, total: Any, message: Any) -> None:
            seen.append(message)

        found = await client.call_tool(
            "profile", {"recordings": ["recorded"]}, progress_callback=progress
        )
        document = found.structured_content["document"]
        assert not found.is_error
        assert document["device"]["gfx"] == "gfx942"
        assert document["schema_version"] == "1.1"

        refused = await client.call_tool("profile", {"command": ["/bin/ls"]})
        assert refused.is_error
        assert "outside of the folders" in refused.content[0].text
        assert "exit code: 2" in refused.content[0].text

        neither = await client.call_tool("profile", {})
        assert "either a command to run or recordings" in neither.content[0].text

        missing = await client.call_tool("explain", {"recordings": ["nowhere"]})
        assert missing.is_error
        assert "next:" in missing.content[0].text

        wrong = await client.call_tool("profile", {"command": ["app"], "runs": 0})
        assert wrong.is_error

        unknown = await client.call_tool("profile", {"recordings": ["recorded"], "kernal": "copy"})
        assert unknown.is_error
        said = unknown.content[0].text
        assert "profile has no argument 'kernal'; did you mean kernel?" in said
        unknown = await client.call_tool("evidence", {"folder": ".", "xyz": 1})
        assert "evidence has no argument 'xyz'; it takes folder" in unknown.content[0].text
        for tool in listed:
            assert tool.input_schema["additionalProperties"] is False, tool.name

        files = await client.read_resource("rocm-perf://files")
        paths = [entry["path"] for entry in json.loads(files.contents[0].text)]
        assert str(root / "space.json") in paths
        text = await client.read_resource("rocm-perf://file/space.json")
        assert json.loads(text.contents[0].text) == SPACE
        for outside in ("rocm-perf://file/../../etc/passwd", "rocm-perf://file//etc/passwd"):
            with pytest.raises(mcp.MCPError):
                await client.read_resource(outside)

    talk(root, say)


def test_a_report_is_written_and_evidence_and_programs_are_checked(root: Path) -> None:
    async def say(client: Any) -> None:
        written = await client.call_tool("report", {"out": "page.md", "recordings": ["recorded"]})
        assert not written.is_error, written.content[0].text
        document = written.structured_content["document"]
        assert document["measured"][0]["profile"]["device"]["gfx"] == "gfx942"
        assert "vecCopy" in (root / "page.md").read_text()
        outside = await client.call_tool("report", {"out": "/tmp/page.md", "recordings": ["app"]})
        assert "outside of the folders" in outside.content[0].text

        nothing = await client.call_tool("evidence", {"folder": "recorded"})
        assert nothing.is_error
        assert "is not evidence" in nothing.content[0].text

        for name in ("old", "new", "wrong"):
            program = root / name
            program.write_text(f"#!/bin/sh\necho {'2' if name == 'wrong' else '1'}\n")
            program.chmod(0o700)
        for candidate, verdict in (("new", "equal"), ("wrong", "different")):
            arguments = {"baseline": ["old"], "candidate": [candidate]}
            checked = await client.call_tool("verify", arguments)
            assert not checked.is_error, checked.content[0].text
            assert checked.structured_content["document"]["verdict"] == verdict
            assert checked.structured_content["exit_code"] == int(verdict != "equal")

        alone = await client.call_tool("verify", {"capture": "recorded"})
        assert "a capture and --hsaco belong together" in alone.content[0].text

    talk(root, say)


def test_answers_are_no_larger_than_asked_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocm_perf_lab.agent import server
    from rocm_perf_lab.cli.main import main

    asked: list[int] = []
    monkeypatch.setattr(server, "build_server", lambda roots, most: asked.append(most) or Silent())
    assert main(["mcp", "--root", str(root), "--most-kb", "3"]) == 0
    assert asked == [3 * 1024]


class Silent:
    def run(self, transport: str) -> None:
        assert transport == "stdio"


def test_a_cancelled_call_ends_what_it_started(root: Path) -> None:
    """Autotuning runs a program that sleeps; the caller gives up in the middle."""
    marker = f"{time.time() % 1000 + 1000:.6f}"  # seconds to sleep, and no one else's

    async def say(client: Any) -> None:
        arguments = {
            "space": "space.json",
            "command": ["app", marker, "{TILE}", "{UNROLL}"],
            "budget": "2",
        }
        call = asyncio.ensure_future(client.call_tool("autotune", arguments))
        while not _running(marker):
            assert not call.done(), call.result()
            await asyncio.sleep(0.1)
        call.cancel()
        await client.list_tools()  # the server still answers

    talk(root, say)
    deadline = time.monotonic() + 20
    while _running(marker) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _running(marker)


def _running(marker: str) -> bool:
    """The program itself; the command line of the verb has a template."""
    found = subprocess.run(["pgrep", "-f", f"app {marker}"], stdout=subprocess.PIPE, check=False)
    return bool(found.stdout.strip())
