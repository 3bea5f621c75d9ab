"""The message of a prompt: plain sections, every number with its unit, all foreign text fenced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import EvidenceModel
from rocm_perf_lab.optimize.prompt import document as models
from rocm_perf_lab.optimize.prompt.fence import fenced

_MOST_COMPILER = 6000  # characters; the first errors say most


def user_text(
    prompt: models.PromptDocument, repair: Optional[tuple[str, str]], *, compact: bool
) -> str:
    """``repair`` is code that does not compile, and what the compiler wrote."""
    sections = [
        ("Task", _task(prompt)),
        ("What limits it", list(_bottleneck(prompt, compact))),
        ("Measured", [] if compact else list(_measured(prompt))),
        ("Hot lines", list(_hot_lines(prompt))),
        ("Limits of the change", list(_limits(prompt.limits))),
        ("Attempts so far", list(_attempts(prompt))),
        ("Source", list(_source(prompt.source))),
        ("Repair", [] if repair is None else _repair(*repair)),
    ]
    return "\n\n".join(f"# {title}\n\n" + "\n".join(lines) for title, lines in sections if lines)


def _task(prompt: models.PromptDocument) -> list[str]:
    where = "an unknown GPU"
    if prompt.hardware is not None:
        found = prompt.hardware
        names = [name for name in (found.product, found.gfx) if name]
        where = ", ".join(names) or where
        if found.compute_units:
            where += f", {found.compute_units} compute units"
        if found.wave_size:
            where += f", waves of {found.wave_size}"
    return [
        f"Make the kernel {prompt.kernel.name} of {prompt.source.path} faster on {where}."
        " Reply with its whole definition in one block."
    ]


def _bottleneck(prompt: models.PromptDocument, compact: bool) -> Iterator[str]:
    found = prompt.bottleneck
    if found is None:
        return
    sure = "" if found.confidence is None else f" (confidence {found.confidence:.2f})"
    second = f"; next would be: {found.runner_up}" if found.runner_up else ""
    yield f"{found.primary}{sure}{second}"
    yield from (f"- {why}" for why in found.reasoning)
    said = set()  # rules that were tried in sequence look at the same number
    for number in found.numbers:
        if (number.decides or not compact) and number.name not in said:
            said.add(number.name)
            yield f"- {_number(number)}"
    if prompt.headroom_fraction is not None:
        yield f"- headroom to the nearest ceiling: {_share(prompt.headroom_fraction)}"


def _number(found: EvidenceModel) -> str:
    unit = "" if found.unit in ("", "share") else f" {found.unit}"
    value = _share(found.value) if found.unit == "share" else f"{found.value:.4g}{unit}"
    meaning = f" {found.meaning}" if found.meaning else ""
    limit = ""
    if found.threshold is not None:
        limit = f" (threshold {found.threshold:.4g})"
    return f"{found.name}: {value}{meaning}{limit}"


def _measured(prompt: models.PromptDocument) -> Iterator[str]:
    kernel = prompt.kernel
    if kernel.median_us is not None:
        share = "" if kernel.share is None else f", {_share(kernel.share)} of all kernel time"
        yield f"- {kernel.launches} launches, {kernel.median_us:.4g} us each{share}"
    if kernel.grid is not None and kernel.block is not None:
        grid, block = (" x ".join(map(str, size)) for size in (kernel.grid, kernel.block))
        yield f"- a typical launch: {grid} workgroups of {block} threads"
    if kernel.arguments:
        values = ", ".join(f"{name} = {value:g}" for name, value in kernel.arguments.items())
        yield f"- its scalar arguments: {values}"
    if prompt.critical_path is not None:
        yield f"- {_share(prompt.critical_path.fraction)} of the critical path"
    yield from _hardware_use(prompt)
    yield from _roofline(prompt.roofline)
    yield from _trace(prompt.att)


def _hardware_use(prompt: models.PromptDocument) -> Iterator[str]:
    found = prompt.resources
    if found is not None:
        values = {
            "VGPRs per thread": found.vgpr_per_thread,
            "SGPRs per wave": found.sgpr_per_wave,
            "bytes of LDS per workgroup": found.lds_bytes,
            "bytes of scratch per thread": found.scratch_bytes,
        }
        yield "- " + ", ".join(f"{n} {name}" for name, n in values.items() if n is not None)
    if prompt.occupancy is not None:
        occupancy = prompt.occupancy
        yield f"- occupancy {_share(occupancy.theoretical)}, limited by {occupancy.limiter}"


def _roofline(found: Optional[models.PromptRooflineModel]) -> Iterator[str]:
    if found is None:
        return
    if found.flops is not None:
        yield f"- {found.flops:.4g} FLOP per launch"
    if found.bytes is not None:
        yield f"- {found.bytes:.4g} bytes leave the L2 per launch"
    if found.arithmetic_intensity is not None:
        yield f"- {found.arithmetic_intensity:.3g} FLOP per byte"
    if found.binding is not None and found.reached is not None:
        yield f"- {_share(found.reached)} of its nearest ceiling, {found.binding}"


def _trace(found: Optional[models.PromptTraceModel]) -> Iterator[str]:
    if found is None:
        return
    yield (
        f"- its waves are stalled {_share(found.stall_fraction)} and idle"
        f" {_share(found.idle_fraction)} of their time, {found.ipc:.3g} instructions per cycle"
    )
    mix = sorted(found.instruction_mix.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {_share(share)}" for name, share in mix if share >= 0.01)
    yield f"- executed instructions: {shown}"
    if found.avg_memory_latency is not None:
        yield f"- a vector memory access takes {found.avg_memory_latency:.4g} cycles"


def _hot_lines(prompt: models.PromptDocument) -> Iterator[str]:
    if not prompt.hot_lines:
        return
    yield "Share of the waves' time, share of that which is stalled, line, code:"
    yield fenced(
        "\n".join(
            f"{_share(hot.share):>6} {_share(hot.stall_share):>6} {hot.line:5}  {hot.code}"
            for hot in prompt.hot_lines
        )
    )


def _limits(limits: models.LimitsModel) -> Iterator[str]:
    yield f"- the kernel must be at least {_share(limits.min_improvement)} faster"
    most = {
        "run time of the whole application": limits.runtime,
        "VGPRs": limits.vgpr,
        "LDS": limits.lds,
        "bytes that leave the L2": limits.dram_bytes,
    }
    for name, share in most.items():
        if share is not None:
            yield f"- {name}: at most +{_share(share)}"
    if limits.occupancy is not None:
        yield f"- occupancy: at most -{_share(limits.occupancy)}"
    if limits.growth_waiver:
        yield "- more VGPRs and LDS than that are fine as long as the occupancy keeps its limit"
    if limits.spills:
        yield "- no scratch memory that is not there now"
    allowed = ", ".join(limits.allowed) or "nothing"
    yield f"- allowed beyond the rules: {allowed}"


def _attempts(prompt: models.PromptDocument) -> Iterator[str]:
    if not prompt.attempts:
        return
    yield "Oldest first; what was accepted is in the source below:"
    lines = []
    for number, found in enumerate(prompt.attempts, 1):
        gain = "" if found.speedup is None else f", {found.speedup:.3f}x"
        lines.append(f"{number}. {found.kernel}: {found.proposal}")
        lines.append(f"   {found.verdict} at stage {found.stage}{gain}: {found.reason}")
    yield fenced("\n".join(lines))


def _source(found: models.SourceModel) -> Iterator[str]:
    if found.file is not None:
        yield f"The file {found.path}, to read; nothing but the kernel's body may change:"
        yield fenced(found.file, "cpp")
        yield ""
    yield f"The kernel {found.kernel_name}, line {found.line} of {found.path}, as it is now:"
    yield fenced(found.code, "cpp")


def _repair(code: str, compiler: str) -> list[str]:
    return [
        "Your last reply does not compile. Reply again with the whole kernel, corrected.",
        "It was:",
        fenced(code, "cpp"),
        "",
        "The compiler says:",
        fenced(compiler[:_MOST_COMPILER]),
    ]


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"
