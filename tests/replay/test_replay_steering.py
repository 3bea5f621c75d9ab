"""The runtime spreads over the addresses of a capture, unless they are taken before it starts."""

from __future__ import annotations

from pathlib import Path

from replay_support import Bench, needs_replay

pytestmark = needs_replay

RUNS = 50


def test_steering_decides_whether_addresses_collide(bench: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    bench.isolate("host_memory", "add_all", capture)
    without = [bench.replay("check", capture, "--no-steering")[0] for _ in range(RUNS)]
    assert any(code != 0 for code in without)
    with_steering = [bench.replay("check", capture)[0] for _ in range(RUNS)]
    assert with_steering == [0] * RUNS


def test_a_replay_that_collides_is_not_run(bench: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    bench.isolate("host_memory", "add_all", capture)
    words = ("replay", "run", "--rocm", bench.rocm, "--no-steering", capture)
    results = [bench.rocm_perf(*words) for _ in range(RUNS // 5)]
    collided = [(code, out, err) for code, out, err in results if code != 0]
    assert collided
    for code, out, err in collided:
        assert code in (1, 2)
        assert "0x" in err
        assert not out
