"""Agent records of real recordings: the device is recognised and nothing contradicts the data."""

from __future__ import annotations

import csv

import pytest

from fakes.recordings import Known
from rocm_perf_lab.analysis.kernels.occupancy import occupancy
from rocm_perf_lab.arch import (
    candidate_products,
    device_facts,
    known_targets,
    load_target,
    memory_bandwidth,
    theoretical_peak_flops,
)
from rocm_perf_lab.trace.load import load


def test_mi300x_rocpd(known: Known) -> None:
    agents = load([known("mi300x-batched-gemm-trace/28_results.db")]).gpu_agents
    assert len(agents) == 8
    for agent in agents:
        facts = device_facts(agent.name, agent.facts)
        assert facts.product is not None
        assert (facts.product.name, facts.partition) == ("MI300X", "SPX")
        assert facts.conflicts == ()
        assert theoretical_peak_flops(facts) == pytest.approx(163.4e12, rel=1e-3)
        assert memory_bandwidth(facts) == 5300e9
        # bus and clock of the record itself: 8192 bit, 1300 MHz, four transfers per clock
        assert facts.memory_bandwidth_computed == pytest.approx(5324.8e9)
        assert facts.shader_engines == 32
    # the GEMM kernel of this recording: the whole register file and the whole LDS
    kernel = {"arch_vgpr": 128, "accum_vgpr": 384, "sgpr": 112, "lds_bytes": 65536}
    assert occupancy(facts, workgroup_size=256, **kernel).theoretical == 0.125


def test_mi325x_csv(known: Known) -> None:
    path = known("rocprofv3-csv/mi325x-older-header/66960_agent_info.csv")
    with path.open(newline="") as file:
        rows = [{key.lower(): value for key, value in row.items()} for row in csv.DictReader(file)]
    gpus = [row for row in rows if row["agent_type"] == "GPU"]
    assert gpus
    for row in gpus:
        facts = device_facts(row["name"], row)
        assert facts.product is not None
        assert facts.product.name == "MI325X"
        assert facts.conflicts == ()
        assert memory_bandwidth(facts) == 6000e9
        by_id = device_facts(row["name"], {"device_id": row["device_id"]})
        assert by_id.product == facts.product


@pytest.mark.parametrize("name", known_targets())
def test_every_partition_of_every_product_is_recognised(name: str) -> None:
    target = load_target(name)
    for product in target.products:
        for mode, xccs in (product.partitions or {"SPX": product.xcc_count}).items():
            cus = product.cu_count // product.xcc_count * xccs
            assert product in candidate_products(target, cus, xccs)
            assert candidate_products(target, cus, xccs, f"AMD {product.name}") == (product,)
            assert product.partition_mode(cus, xccs) == mode
