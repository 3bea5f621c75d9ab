"""The compiler's figure, compared with what llc prints for kernels of random appetite.

llc-19 does not know gfx950; that target follows the same rules and is in the golden table only.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.analysis.kernels.occupancy import occupancy
from rocm_perf_lab.arch import Target, known_targets, load_target

LLC = shutil.which("llc-19")
KERNELS_PER_TARGET = 25

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(LLC is None, reason="llc-19 is not installed"),
]

COUNTS = {
    "vgprs": "NumVgprs",
    "agprs": "NumAgprs",
    "sgprs": "NumSgprs",
    "lds": "LDSByteSize",
    "occupancy": "Occupancy",
}


def random_kernel(rng: random.Random, target: Target, number: int) -> tuple[str, dict[str, Any]]:
    wave = rng.choice(target.wave_sizes)
    wgp = target.has_wgp_mode and rng.random() < 0.5
    lds = rng.choice([0, rng.randrange(4, 65536, 4), rng.randrange(4, 12000, 4)])
    size = rng.choice([32, 64, 96, 128, 192, 256, 320, 512, 768, 1024])
    # Registers beyond what one workgroup can have are cut down by the compiler: stay below.
    most = 128 if size >= 512 else 256
    clobbers = [f"~{{v{rng.randrange(1, most)}}}", f"~{{s{rng.randrange(8, 100)}}}"]
    if target.has_accumulation_registers and size <= 256 and rng.random() < 0.5:
        clobbers.append(f"~{{a{rng.randrange(0, 250)}}}")
    uses_lds = f"  store volatile i8 0, ptr addrspace(3) @lds{number}\n" if lds else ""
    features = "" if not target.has_wgp_mode else ' "target-features"="' + wave_features(wave, wgp)
    text = (
        (f"@lds{number} = internal addrspace(3) global [{lds} x i8] poison\n" if lds else "")
        + f"define amdgpu_kernel void @k{number}() #{number} {{\n{uses_lds}"
        + f'  call void asm sideeffect "", "{",".join(clobbers)}"()\n  ret void\n}}\n'
        + f'attributes #{number} = {{ "amdgpu-flat-work-group-size"="1,{size}"{features} }}\n'
    )
    return text, {"wave_size": wave, "wgp_mode": wgp, "workgroup_size": size}


def wave_features(wave: int, wgp: bool) -> str:
    waves = (
        "+wavefrontsize32,-wavefrontsize64" if wave == 32 else "+wavefrontsize64,-wavefrontsize32"
    )
    return f'{waves},{"-" if wgp else "+"}cumode"'


def printed(assembly: str, number: int) -> dict[str, int]:
    body = assembly.split(f"\nk{number}:", 1)[1]
    result = {}
    for key, label in COUNTS.items():
        found = re.search(rf"^; {label}: (\d+)", body, re.MULTILINE)
        assert found or key == "agprs", label
        result[key] = int(found.group(1)) if found else 0
    return result


@pytest.mark.parametrize("name", [name for name in known_targets() if name != "gfx950"])
def test_llvm19_occupancy(name: str, tmp_path: Path) -> None:
    target = load_target(name)
    rng = random.Random(f"occupancy {name}")
    kernels = [random_kernel(rng, target, number) for number in range(KERNELS_PER_TARGET)]
    source = tmp_path / "kernels.ll"
    source.write_text("".join(text for text, _ in kernels))
    assert LLC is not None
    run = subprocess.run(
        [LLC, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={name}", "-O0", str(source), "-o", "-"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "not a recognized processor" not in run.stderr
    seen = set()
    for number, (_, launch) in enumerate(kernels):
        counted = printed(run.stdout, number)
        result = occupancy(
            target,
            arch_vgpr=counted["vgprs"],
            accum_vgpr=counted["agprs"],
            sgpr=counted["sgprs"],
            lds_bytes=counted["lds"],
            **launch,
        )
        assert result.compiler.llvm19 == counted["occupancy"], (number, launch, counted)
        seen.add(counted["occupancy"])
    assert len(seen) > 2, "the kernels are too much alike to prove anything"
