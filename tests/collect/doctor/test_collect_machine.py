"""What the operating system tells about GPUs, read from a directory that looks like its own."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from rocm_perf_lab.collect.doctor.environment import fingerprint
from rocm_perf_lab.collect.doctor.machine import Machine, group_of, target_of_node
from rocm_perf_lab.collect.prefix import find_prefix


def add_node(root, number, version):
    node = root / "sys/class/kfd/kfd/topology/nodes" / str(number)
    node.mkdir(parents=True)
    text = f"cpu_cores_count 0\nsimd_count 1216\ngfx_target_version {version}\nvendor_id 4098\n"
    (node / "properties").write_text(text)


@pytest.mark.parametrize(
    ("version", "target"),
    [
        ("90402", "gfx942"),
        ("90010", "gfx90a"),
        ("90500", "gfx950"),
        ("100300", "gfx1030"),
        ("120001", "gfx1201"),
        ("0", None),
        ("none", None),
    ],
)
def test_targets_are_decoded(tmp_path, version, target):
    properties = tmp_path / "properties"
    properties.write_text(f"simd_count 4\ngfx_target_version {version}\n")
    assert target_of_node(properties) == target


def test_gpus_are_listed_in_node_order(tmp_path):
    for number, version in ((0, 0), (10, 110000), (2, 90402)):
        add_node(tmp_path, number, version)
    assert Machine(root=tmp_path).kernel_gpus == ("gfx942", "gfx1100")


def test_an_empty_machine(tmp_path):
    machine = Machine(root=tmp_path, environ={})
    assert machine.kernel_gpus == ()
    assert machine.render_nodes == ()
    assert not machine.driver_loaded
    assert machine.driver_version is None
    assert machine.container is None
    assert machine.processor is None


@pytest.mark.parametrize(
    ("mark", "name"), [(".dockerenv", "Docker"), ("run/.containerenv", "Podman")]
)
def test_containers_are_recognised(tmp_path, mark, name):
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).touch()
    assert Machine(root=tmp_path).container == name


def test_a_group_without_a_name_is_its_number(tmp_path, monkeypatch):
    def unknown(_group):
        raise KeyError

    monkeypatch.setattr("grp.getgrgid", unknown)
    assert group_of(tmp_path) == str(tmp_path.stat().st_gid)


def test_the_fingerprint_compares_machines_and_tells_no_secret(tmp_path, fake_rocm, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "the secret of the user")
    monkeypatch.setattr("socket.gethostname", lambda: "private-host")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor : 0\nmodel name : AMD EPYC 9654\n")
    (tmp_path / "sys/module/amdgpu").mkdir(parents=True)
    (tmp_path / "sys/module/amdgpu/version").write_text("6.10.5\n")
    found = fingerprint(find_prefix(fake_rocm.path), Machine(root=tmp_path))
    assert found.cpu == "AMD EPYC 9654"
    assert found.driver_version == "6.10.5"
    assert found.rocm_version == "7.0.2-56"
    assert found.rocm_kind == "rocm"
    text = json.dumps(asdict(found))
    for private in ("the secret", "private-host", str(tmp_path)):
        assert private not in text


def test_the_fingerprint_works_without_rocm(tmp_path):
    found = fingerprint(None, Machine(root=tmp_path))
    assert (found.rocm_version, found.rocm_kind, found.cpu) == (None, None, None)
    assert found.kernel.startswith("Linux")
