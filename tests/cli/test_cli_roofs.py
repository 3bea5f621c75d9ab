"""``rocm-perf roofs``: measured on the virtual device, kept, and used for equal devices only."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.roof_store import roofs_document, store, store_folder, stored_roofs
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.measured_roofs import Fingerprint, MeasuredRoofs

ROOT = Path(__file__).resolve().parents[2]
DEVICE = Fingerprint("gfx942", "MI300X", 304, 8, 2100)
ROOFS = MeasuredRoofs(0, {"hbm": 4e12}, {("matrix", "bf16"): 9e14}, "test", DEVICE)


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own data"))


def test_what_is_stored_is_found_again() -> None:
    path = store(roofs_document(ROOFS))
    (found,) = stored_roofs()
    assert (found.bandwidth, found.rate, found.made_on) == (ROOFS.bandwidth, ROOFS.rate, DEVICE)
    schema = json.loads((ROOT / "docs" / "schema" / "roofs-1.0.json").read_text())
    jsonschema.validate(json.loads(path.read_text()), schema)
    assert store(roofs_document(ROOFS)) == path
    assert len(list(store_folder().iterdir())) == 1


@pytest.mark.parametrize("damage", ["", "{", '{"schema_version": "2.0"}', "[]"])
def test_a_damaged_file_is_as_good_as_none(damage: str) -> None:
    store(roofs_document(ROOFS)).write_text(damage)
    assert stored_roofs() == []


def test_a_store_that_cannot_be_written_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match=r"cannot write .*gfx942") as raised:
        store(roofs_document(ROOFS))
    assert "XDG_DATA_HOME" in (raised.value.next_step or "")


def recorded(folder: Path, device: str) -> Path:
    folder.mkdir()
    (folder / "sysinfo.csv").write_text(
        f"command,gpu_model,gpu_arch,cu_per_gpu,max_sclk,num_xcd\n./app,{device}\n"
    )
    (folder / "pmc_perf.csv").write_text(
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,SQ_WAVES,Start_Timestamp,"
        "End_Timestamp\n0,copy,0,64,64,1,0,90000\n"
    )
    return folder


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        pytest.param("MI300X_A1,gfx942,304,2100,8", (4e12, "measured"), id="equal"),
        pytest.param("MI300A_A1,gfx942,304,2100,8", None, id="product"),
        pytest.param("MI300X_A1,gfx942,304,1900,8", None, id="clock"),
        pytest.param("MI300X_A1,gfx942,38,2100,1", None, id="partition"),
    ],
)
def test_roofs_are_used_for_an_equal_device_only(
    device: str,
    expected: object,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store(roofs_document(ROOFS))
    folder = recorded(tmp_path / "workload", device)
    assert main(["profile", "--json", "--roofline", "--from", str(folder)]) == 0
    document = json.loads(capsys.readouterr().out)["rooflines"]
    roofs = {roof["name"]: (roof["value"], roof["source"]) for roof in document["roofs"]}
    if expected is None:
        assert roofs["hbm"][1] == "theoretical"
    else:
        assert roofs["hbm"] == expected
    assert roofs["matrix.fp8"][1] == "theoretical"


def test_measured_on_the_virtual_device(
    virtual_rocm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["roofs", "--rocm", str(virtual_rocm), "--json", "--only", "vector.fp64"]
    assert main(argv) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rate"] == {
        "vector.fp64": pytest.approx(81.7e12, rel=0.04)
    }  # 3.4 % above, as a difference of two samples; the limit was 3 % when that came
    assert document["device"]["product"] == "AMD Instinct MI300X (virtual)"
    assert stored_roofs() == []  # a part is not kept


@pytest.mark.weekly
def test_the_lds_in_full_and_by_a_sample(
    virtual_rocm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["roofs", "--rocm", str(virtual_rocm), "--json", "--only", "lds"]
    found = []
    for timing in ("1", "full"):
        monkeypatch.setenv("VROCM_TIMING", timing)
        assert main(argv) == 0
        found.append(json.loads(capsys.readouterr().out)["bandwidth"]["lds"])
    sampled, whole = found
    assert 0.8 * 81.7e12 < whole < 1.02 * 81.7e12
    assert sampled == pytest.approx(whole, rel=0.15)


def test_an_unknown_roof_is_a_usage_error(
    virtual_rocm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["roofs", "--rocm", str(virtual_rocm), "--only", "vector.fp128"]) == 2
    error = capsys.readouterr().err
    assert "gfx942 has no roof vector.fp128" in error
    assert "choose from lds, l1, l2" in error


def test_a_prefix_without_a_gpu(fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roofs", "--rocm", str(fake_rocm.path)]) == 3
    error = capsys.readouterr().err
    assert "no GPU to measure" in error
    assert "rocm-perf doctor" in error
