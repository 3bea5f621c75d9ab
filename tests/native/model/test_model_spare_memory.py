"""Memory of the timing model that one dispatch leaves to the next."""

from __future__ import annotations

import resource

import pytest
from exec_support import Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness

WARM, MEASURED = 4, 6


def loop(name: str, passes: int) -> str:
    return assembly_kernel(
        name,
        f"""
  s_movk_i32 s4, {passes}
again:
  v_add_u32 v1, v1, v0
  v_add_u32 v2, v2, v0
  s_sub_i32 s4, s4, 1
  s_cmp_lg_i32 s4, 0
  s_cbranch_scc1 again
  s_endpgm
""".replace("again", f"again_{name}"),
    )


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    kernels = loop("whole", 100) + loop("cut", 4000)
    return build(kernels, tmp_path_factory.mktemp("spare"), "assembler")


def faults_per_dispatch(code: Code, kernel: str, groups: int) -> float:
    """Pages that the host had to give, once earlier dispatches have left theirs."""
    for _ in range(WARM):
        code.run(kernel, groups * 64, 64)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(MEASURED):
        code.run(kernel, groups * 64, 64)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / MEASURED


@pytest.mark.parametrize(("kernel", "groups"), [("whole", 256), ("cut", 256)])
def test_a_dispatch_uses_the_tapes_of_those_before(code: Code, kernel: str, groups: int) -> None:
    # All tapes of such a dispatch are some hundred pages at least.
    assert faults_per_dispatch(code, kernel, groups) < 60
