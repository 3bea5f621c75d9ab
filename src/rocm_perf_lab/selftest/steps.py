"""The table of steps: a verb as a user types it, and what must hold of what it leaves.

Arguments may name ``{prefix}``, ``{target}`` and ``{examples}``. Steps share one folder of work, so
that one may use what another has left there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.selftest import looks
from rocm_perf_lab.selftest.seen import Look

BUILD = "build"  # what is not a verb: the compiler of the prefix, and what it compiled
ROCM = ("--rocm", "{prefix}")
PIPELINE = ("--", "./pipeline")
VECTOR_ADD = ("--", "./vector_add")


@dataclass(frozen=True)
class Step:
    name: str
    verb: str
    words: tuple[str, ...]  # behind ``rocm-perf``; of BUILD the whole command
    says: str  # what holds
    look: Look
    needs: tuple[str, ...] = ()  # steps before it
    exit_code: int = 0
    seconds: float = 120.0  # the time limit


def _hipcc(source: str, output: str, *options: str) -> tuple[str, ...]:
    return (
        *("{prefix}/bin/hipcc", "-O3", "-g", "--offload-arch={target}", *options),
        *("-Wl,-rpath,{prefix}/lib", source, "-o", output),
    )


# Verbs that are no step, and why.
LEFT_OUT = {
    "ci": "it compares two commits of a repository; the step of compare tries the same",
    "llm-optimize": "it asks a language model",
    "mcp": "it serves a client until that disconnects",
    "vrocm": "it builds another prefix than the one that is looked at",
    "selftest": "it is this verb",
}

STEPS = (
    Step(
        "doctor", "doctor", ("doctor", "--json", *ROCM),
        "nothing keeps this machine from profiling", looks.can_profile,
    ),
    Step(
        "examples", "examples", ("examples", "examples"),
        "the example programs are copied", looks.examples_are_there,
    ),
    Step(
        "build vector_add", BUILD, _hipcc("examples/vector_add.hip", "vector_add"),
        "hipcc compiles an example", looks.program("vector_add"), ("examples",),
    ),
    Step(
        "run vector_add", BUILD, ("./vector_add",),
        "the example computes what its host code expects", looks.passes, ("build vector_add",),
    ),
    Step(
        "build pipeline", BUILD, _hipcc("examples/pipeline.hip", "pipeline"),
        "hipcc compiles a program of three kernels", looks.program("pipeline"), ("examples",),
    ),
    Step(
        "profile", "profile",
        ("profile", "--json", "--runs", "2", "--keep-trace", "traces", "--out", "results",
         *ROCM, *PIPELINE),
        "two runs with four launches of each of three kernels", looks.launches,
        ("build pipeline",),
    ),
    Step(
        "profile recordings", "profile", ("profile", "--json", "--from", "traces"),
        "what was kept tells the same launches and times", looks.same_profile, ("profile",),
    ),
    Step(
        "counters", "profile",
        ("profile", "--json", "--runs", "1", "--roofline", *ROCM, *VECTOR_ADD),
        "counters tell the additions of vector_add one by one", looks.additions,
        ("build vector_add",),
    ),
    Step(
        "critical path", "profile",
        ("profile", "--json", "--runs", "1", "--critical-path", *ROCM, *PIPELINE),
        "a path with kernels and copies on it, no longer than the run", looks.path,
        ("build pipeline",),
    ),
    Step(
        "thread trace", "profile",
        ("profile", "--json", "--runs", "1", "--deep-analysis", *ROCM, *VECTOR_ADD),
        "a trace of the waves says how long they waited", looks.thread_trace,
        ("build vector_add",),
    ),
    Step(
        "explain", "explain",
        ("explain", "--json", "--runs", "1", "--no-deep-analysis", "--no-walls", *ROCM, *PIPELINE),
        "a limit is named, and the shares of the time sum to one", looks.explained,
        ("build pipeline",),
    ),
    Step(
        "report", "report", ("report", "--from", "traces", "-o", "report.json"),
        "the report has the kernels of the profile", looks.reported, ("profile",),
    ),
    Step(
        "history", "history",
        ("history", "add", "results/profile.json", "--db", "history.db", "--json"),
        "the profile is kept with its two runs", looks.kept, ("profile",),
    ),
    Step(
        "isolate", "isolate",
        ("isolate", "--json", "--kernel", "vector_add", "--out", "capture", *ROCM, *VECTOR_ADD),
        "one launch is captured with its three arrays", looks.captured, ("build vector_add",),
    ),
    Step(
        "replay", "replay", ("replay", "run", "capture", "--json", "--iterations", "3", *ROCM),
        "the replayed launch leaves the same bytes", looks.replayed, ("isolate",),
    ),
    Step(
        "verify", "verify",
        ("verify", "capture", "--json", "--hsaco", "capture/kernel.hsaco", *ROCM),
        "the same code is found to be equal", looks.verdict("equal"), ("isolate",),
    ),
    Step(
        "build a wrong kernel", BUILD, _hipcc("wrong.hip", "wrong.hsaco", "--genco"),
        "hipcc compiles a kernel that subtracts", looks.program("wrong.hsaco"), ("examples",),
    ),
    Step(
        "verify a wrong kernel", "verify",
        ("verify", "capture", "--json", "--hsaco", "wrong.hsaco", *ROCM),
        "a kernel that subtracts instead is found to be different", looks.verdict("different"),
        ("isolate", "build a wrong kernel"), 1,
    ),
    Step(
        "compare", "compare",
        ("compare", "--json", "--blocks", "12", "--out", "compared", *ROCM,
         "./vector_add 1000000", "./vector_add 65536"),
        "a fifteenth of the work is an improvement", looks.verdict("improvement"),
        ("build vector_add",),
    ),
    Step(
        "judge", "judge", ("judge", "--json", "compared/samples/end_to_end.json"),
        "the kept times prove it again", looks.verdict("ACCEPT"), ("compare",),
    ),
    Step(
        "autotune", "autotune",
        ("autotune", "--json", "--no-judge", "--repeat", "1", "--space", "space.json",
         "--budget", "3", "--cmd-template", "./vector_add {{ELEMENTS}}", *ROCM),
        "three sizes are measured, and the smallest of them is best", looks.tuned,
        ("build vector_add",),
    ),
    Step(
        "build scalar_copy", BUILD, _hipcc("examples/untuned/scalar_copy.hip", "scalar_copy"),
        "hipcc compiles an example that can be faster", looks.program("scalar_copy"),
        ("examples",),
    ),
    Step(
        "optimize", "optimize",
        ("optimize", "--json", "--dry-run", "--max-iters", "1", "--budget", "40",
         "--evidence", "evidence", *ROCM, "examples/untuned/scalar_copy.hip",
         "--", "./scalar_copy", "16384"),
        "changes are proposed, and each is said to pass or why not", looks.attempted,
        ("build scalar_copy",),
    ),
    Step(
        "evidence", "evidence", ("evidence", "verify", "evidence", "--json"),
        "what the search kept is whole and follows from itself", looks.verdict("intact"),
        ("optimize",),
    ),
    Step(
        "prompt", "prompt",
        ("prompt", "--json", *ROCM, "examples/vector_add.hip", *VECTOR_ADD),
        "a model would be told the kernel and what limits it", looks.prompted,
        ("build vector_add",),
    ),
    Step(
        "roofs", "roofs", ("roofs", "--json", "--only", "lds", *ROCM),
        "the bandwidth of the local memory is measured", looks.roofs,
    ),
    Step(
        "skill", "skill", ("skill", "install", "skills"),
        "what agents read is copied", looks.program("skills/rocm-perf/SKILL.md"),
    ),
    Step(
        "completion", "completion", ("completion", "bash"),
        "a script for the shell", looks.script,
    ),
)  # fmt: skip


def verbs() -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.verb for step in STEPS if step.verb != BUILD))


def chosen(only: Sequence[str], steps: Sequence[Step] = STEPS) -> tuple[Step, ...]:
    """The steps of these verbs with all that they need; without a verb all of them."""
    if not only:
        return tuple(steps)
    known = dict.fromkeys(step.verb for step in steps)
    for verb in only:
        if verb not in known:
            why = LEFT_OUT.get(verb)
            raise UsageError(
                f"no step is about {verb}" + (f": {why}" if why else ""),
                f"choose from {', '.join(known)}",
            )
    wanted = _with_needs({step.name for step in steps if step.verb in only}, steps)
    return tuple(step for step in steps if step.name in wanted)


def _with_needs(names: Collection[str], steps: Sequence[Step]) -> set[str]:
    """Needs stand before who needs them, so that one look from the end is enough."""
    wanted = set(names)
    for step in reversed(steps):
        if step.name in wanted:
            wanted.update(step.needs)
    return wanted
