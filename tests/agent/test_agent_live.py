"""Tools that run applications on the virtual device, as an agent would: measure, explain, change,
compare."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_agent_server import ROOT, mcp, talk

pytestmark = [pytest.mark.native, pytest.mark.weekly, pytest.mark.timeout(1200)]
UNTUNED = ROOT / "examples" / "untuned" / "histogram_global_atomics.hip"


@pytest.fixture(scope="module")
def project(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(UNTUNED, folder / "app.hip")
    compiler = [str(virtual_rocm / "bin" / "hipcc"), "-O3", "-g", "app.hip", "-o", "app"]
    subprocess.run(compiler, cwd=folder, check=True)
    (folder / "space.json").write_text(json.dumps({"OPT": ["-O1", "-O2", "-O3"]}))
    return folder


def test_from_slow_to_proven(project: Path) -> None:
    async def say(client: Any) -> None:
        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            found = await client.call_tool(name, arguments)
            assert not found.is_error, found.content[0].text
            document: dict[str, Any] = found.structured_content["document"]
            return document

        assert (await call("doctor"))["can_profile"]
        profile = await call("profile", command=["app"], runs=1)
        assert profile["device"]["kind"] == "virtual"
        explained = await call("explain", command=["app"], runs=1)
        assert explained["advice"][0]["mend"] == "atomics"
        assert (await call("roofline", command=["app"], runs=1))["kernels"]
        assert (await call("critical_path", command=["app"]))["kernels"]
        captured = await call("isolate", command=["app"], kernel="histogram", out="capture")
        assert captured["kernel"]
        assert (await call("replay", capture="capture", iterations=2))["verification"]
        tuned = await call(
            "autotune",
            space="space.json",
            build=["hipcc", "{OPT}", str(project / "app.hip"), "-o", "{output}"],
            command=["{output}"],
            budget="2",
        )
        assert tuned["best_config"]
        better = await call("optimize", source="app.hip", command=["app"], max_iters=1)
        assert better["verdict"] == "accept"
        compared = await call("compare", base=["app"], head=["app"])
        assert compared["verdict"] == "no change"

    assert mcp is not None
    talk(project, say)
