"""What the compiler made of a configuration: read without running it, and known to the search."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytest.importorskip("sklearn")

import numpy as np

from codeobject.codeobject_builder import code_object, hip_bundle, host_program, kernel_metadata
from codeobject.codeobject_builder import metadata as document_of
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.run import compiled as compiled_module
from rocm_perf_lab.tune.run.builds import Builds
from rocm_perf_lab.tune.run.code_facts import code_facts
from rocm_perf_lab.tune.run.compiled import compiled
from rocm_perf_lab.tune.run.template import read_template
from rocm_perf_lab.tune.search.features import FeatureMap
from rocm_perf_lab.tune.search.search import Search
from rocm_perf_lab.tune.space.space_file import space_of

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "autotune-1.0.json"
SPACE = space_of({"BM": [1, 2, 3, 4], "BN": [1, 2]})


def built(*kernels: dict[str, Any]) -> bytes:
    return host_program(hip_bundle(code_object(document_of(*kernels), {})))


def kernel(name: str = "scale", vgprs: int = 32, lds: int = 1024, spills: int = 0) -> Any:
    changes = {".vgpr_count": vgprs, ".agpr_count": 0, ".group_segment_fixed_size": lds}
    spilled = {".vgpr_spill_count": spills, ".sgpr_spill_count": 0}
    return kernel_metadata(name, **changes, **spilled)


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    """BM chooses one of four programs that are there; 4 is not."""
    for bm in (1, 2, 3):
        (tmp_path / f"{bm}.bin").write_bytes(built(kernel(vgprs=64 * bm, lds=8192 * bm)))
    return builds_of(tmp_path)


def builds_of(folder: Path) -> Builds:
    words = f"cp '{folder}/{{BM}}.bin' {{output}}"
    template = read_template(words, "--build-template", frozenset({"BM", "BN", "output"}))
    (folder / "builds").mkdir(exist_ok=True)
    return Builds(template, folder / "builds")


def test_lds_that_only_a_launch_asks_for(tmp_path: Path) -> None:
    """Triton's code says 0; occupancy is that of what the launch needs."""
    program = tmp_path / "program"
    program.write_bytes(built(kernel(vgprs=16, lds=0)))
    alone, launched = code_facts(program), code_facts(program, launch_lds=65536)
    assert alone is not None
    assert launched is not None
    assert (alone.lds_bytes, launched.lds_bytes) == (0, 65536)
    assert alone.occupancy == 1.0
    assert launched.occupancy is not None
    assert launched.occupancy < 1.0


def test_the_kernel_that_needs_most_decides(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(built(kernel("small"), kernel("large", 200, 32768, spills=7)))
    facts = code_facts(program)
    assert facts is not None
    assert (facts.vgprs, facts.lds_bytes, facts.spills, facts.scratch_bytes) == (200, 32768, 7, 16)
    assert facts.occupancy == pytest.approx(2 / 8)  # 64 KB of LDS: two workgroups of four waves
    only = code_facts(program, "small")
    assert only is not None
    assert (only.vgprs, only.occupancy) == (32, 1.0)
    assert code_facts(program, "of another name") == facts


def test_a_script_has_no_code(tmp_path: Path) -> None:
    script = tmp_path / "k.sh"
    script.write_text("#!/bin/sh\n")
    assert code_facts(script) is None
    assert code_facts(tmp_path / "nowhere") is None


def test_everything_compiled_first(builds: Builds) -> None:
    told: list[tuple[int, int]] = []
    static = compiled(SPACE, builds, lambda number, count: told.append((number, count)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]  # BN does not enter a build
    assert static.names == ("vgprs", "LDS", "occupancy")
    rows = SPACE.all_rows()
    assert static.allows(rows).sum() == 6  # without BM = 4
    features = FeatureMap(SPACE.parameters, static)(rows)
    vgprs = {int(row[0]): one[-3] for row, one in zip(rows, features)}
    assert vgprs[0] == 0
    assert vgprs[1] == pytest.approx(np.log2(129 / 65) / np.log2(193 / 65))
    assert vgprs[2] == 1


def test_what_does_not_build_is_never_asked_for(builds: Builds) -> None:
    search = Search(SPACE, 8, static=compiled(SPACE, builds))
    asked = []
    while rows := search.ask():
        asked.append(SPACE.configuration(rows[0]))
        search.tell(rows[0], float(asked[-1]["BM"]))
    assert len(asked) == 6
    assert 4 not in {one["BM"] for one in asked}


def test_too_many_builds(builds: Builds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_module, "_MOST_BUILDS", 3)
    with pytest.raises(UsageError, match="4 different builds are too many"):
        compiled(SPACE, builds)


def test_the_verb_shows_the_code(
    builds: Builds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = tmp_path / "space.json"
    space.write_text(json.dumps({"BM": [1, 2, 3, 4], "BN": [1, 2]}))
    words = ["autotune", "--space", str(space), "--budget", "7", "--no-judge", "--compile-first"]
    words += ["--build-template", f"cp '{tmp_path}/{{BM}}.bin' {{output}}"]
    words += ["--cmd-template", f"{sys.executable} -S -c 'print(\"t=%d\" % (9 - {{BM}}))'"]
    words += ["--objective", "stdout:t=([0-9]+)", "--journal", str(tmp_path / "j.jsonl")]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["evaluated_configs"] == 6
    assert document["best_config"]["parameters"]["BM"] == 3
    assert document["best_config"]["code"]["vgprs"] == 192
    assert main([*words, "--resume"]) == 0  # the journal keeps it
    assert "Its code: 192 VGPRs, 24576 bytes of LDS, occupancy at most" in capsys.readouterr().out


def test_nothing_to_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = tmp_path / "space.json"
    space.write_text('{"BM": [1, 2]}')
    words = ["autotune", "--space", str(space), "--cmd-template", "true {BM}", "--compile-first"]
    assert main([*words, "--objective", "stdout:([0-9])"]) == 2
    assert "--compile-first has nothing to compile" in capsys.readouterr().err
