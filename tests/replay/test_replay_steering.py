"""The runtime spreads over the addresses of a capture, unless they are taken before it starts.

Without steering a collision is a matter of chance: how likely it is depends on where the captured
process happened to lie. Several captures make it as good as certain (all but 1 of 10^7 times).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from replay_support import Bench, needs_replay

pytestmark = needs_replay

CAPTURES, RUNS_EACH = 10, 5


def captures(bench: Bench, folder: Path) -> Iterator[Path]:
    for number in range(CAPTURES):
        bench.isolate("host_memory", "add_all", folder / str(number))
        yield folder / str(number)


def test_steering_decides_whether_addresses_collide(bench: Bench, tmp_path: Path) -> None:
    without, steered = [], []
    for capture in captures(bench, tmp_path):
        for _ in range(RUNS_EACH):
            without.append(bench.replay("check", capture, "--no-steering")[0])
            steered.append(bench.replay("check", capture)[0])
    assert len(without) == 50
    assert any(code != 0 for code in without)
    assert steered == [0] * 50


def test_a_replay_that_collides_is_not_run(bench: Bench, tmp_path: Path) -> None:
    for capture in captures(bench, tmp_path):
        for _ in range(RUNS_EACH):
            words = ("replay", "run", "--rocm", bench.rocm, "--no-steering", capture)
            code, out, err = bench.rocm_perf(*words)
            if code != 0:
                assert code in (1, 2)
                assert "is in use" in err or "is not free" in err
                assert not out
                return
    raise AssertionError("no replay of 50 collided")
