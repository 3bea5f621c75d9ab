"""Reading samples: what is damaged is refused with a sentence, never judged and never a crash."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.noise_models import simulated
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.errors import SamplesError
from rocm_perf_lab.prove.judge import Block, Samples, judge
from rocm_perf_lab.prove.judge.samples import Times
from rocm_perf_lab.prove.judge.samples_file import parse_samples, read_samples, samples_text

GOOD = {"schema_version": "1.0", "unit": "ns", "blocks": [{"A": [2.5], "A2": [1], "B": [2]}]}


def with_block(**changes: object) -> str:
    return json.dumps({**GOOD, "blocks": [{**GOOD["blocks"][0], **changes}]})  # type: ignore[index,dict-item]


def test_a_file_is_read() -> None:
    found = parse_samples(json.dumps({**GOOD, "kernel": "k"}))
    assert found.samples == Samples("ns", (Block((2.5,), (1.0,), (2.0,)),))
    assert found.confirmation is None
    assert found.not_used == ("kernel",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no valid JSON"),
        ("[" * 100_000, "no valid JSON"),
        ('{"schema_version": "1.0"', "no valid JSON"),
        ("[]", "the file holds no JSON object"),
        (json.dumps({**GOOD, "schema_version": "2.0"}), "schema_version is '2.0', not '1.0'"),
        ("{}", "schema_version is None"),
        (json.dumps({**GOOD, "unit": None}), "the unit is None"),
        (json.dumps({**GOOD, "unit": "cycles"}), "unknown unit 'cycles'"),
        (json.dumps({**GOOD, "blocks": []}), "the samples hold no block"),
        (json.dumps({**GOOD, "blocks": {}}), "'blocks' is not a list of blocks"),
        (json.dumps({**GOOD, "blocks": [3]}), "block 0 is not an object"),
        (json.dumps({**GOOD, "confirmation": []}), "the samples hold no block"),
        (json.dumps({**GOOD, "confirmation": [{"A": [1], "A2": [1]}]}), "block 0 of the confirm"),
        ('{"unit": "ns", "unit": "us"}', "'unit' stands twice"),
        (json.dumps({**GOOD, "blocks": [{"A": [1], "A2": [1]}]}), "block 0 has no B"),
        (json.dumps({**GOOD, "blocks": [{"A": [1], "B": [1]}]}), "block 0 has no A2"),
        (with_block(B=[]), "block 0: B holds no time"),
        (with_block(B=7), "block 0: B is not a list"),
        (with_block(B=[0]), r"block 0: B\[0\] is 0.0; a time is above 0"),
        (with_block(A=[5, -1]), r"block 0: A\[1\] is -1.0; a time is above 0"),
        (with_block(A=["5"]), r"block 0: A\[0\] is '5', no number"),
        (with_block(A=[True]), r"block 0: A\[0\] is True, no number"),
        (with_block(A=[math.nan]), "NaN is no time"),
        (with_block(A=[-math.inf]), "-Infinity is no time"),
        (with_block(A=[10**400]), "block 0: A holds a number that is no time"),
        (with_block(A=[1]).replace("[1]", "[1e999]", 1), "is inf, not a finite time"),
        (with_block(unit="us"), "block 0 is in 'us', the samples are in 'ns'"),
        (with_block(B=[1, 2]), "block 0: B holds 2 times, A of block 0 holds 1"),
        (with_block(A2=[1, 2]), "block 0: A2 holds 2 times, A of block 0 holds 1"),
    ],
)
def test_what_cannot_be_judged_is_refused(text: str, message: str) -> None:
    with pytest.raises(SamplesError, match=message):
        parse_samples(text)


def test_the_message_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_bytes(b"\xff\xfe")
    with pytest.raises(SamplesError, match=r"s\.json is not text: "):
        read_samples(tmp_path / "s.json")
    (tmp_path / "s.json").write_text("{}")
    with pytest.raises(SamplesError, match=r"s\.json: schema_version is None"):
        read_samples(tmp_path / "s.json")
    with pytest.raises(SamplesError, match=r"cannot read .*: No such file"):
        read_samples(tmp_path / "none.json")


def test_written_samples_are_the_same_samples() -> None:
    samples = simulated("typical", 10, 0.03, np.random.default_rng(1), dispatches=3)
    fresh = simulated("typical", 10, 0.03, np.random.default_rng(2), dispatches=3)
    found = parse_samples(samples_text(samples, fresh))
    assert (found.samples, found.confirmation) == (samples, fresh)
    assert judge(found.samples) == judge(samples)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["A", "A2", "B", "unit", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
TIME = st.floats(1e-6, 1e12)
BLOCKS = st.integers(1, 3).flatmap(
    lambda launches: st.lists(
        st.tuples(*[st.tuples(*[TIME] * launches)] * 3), min_size=1, max_size=14
    )
)


def read_or_refused(text: str) -> None:
    """Any other exception is a fault."""
    with contextlib.suppress(SamplesError):
        assert parse_samples(text).samples.blocks


@settings(max_examples=100, deadline=None)
@given(unit=JSON_VALUES, blocks=JSON_VALUES, version=st.sampled_from(["1.0", 1.0, None]))
def test_anything_is_read_or_refused(unit: object, blocks: object, version: object) -> None:
    text = json.dumps({"schema_version": version, "unit": unit, "blocks": blocks})
    read_or_refused(text)


@settings(max_examples=100, deadline=None)
@given(cut=st.integers(0, 400), put=st.binary(max_size=3), at=st.integers(0, 400))
def test_damaged_bytes_are_read_or_refused(cut: int, put: bytes, at: int) -> None:
    text = samples_text(simulated("quiet", 2, 0.0, np.random.default_rng(0), dispatches=2)).encode()
    damaged = (text[:at] + put + text[at:])[: len(text) - cut].decode("utf-8", "replace")
    read_or_refused(damaged)


@settings(max_examples=20, deadline=None)
@given(BLOCKS)
def test_whatever_is_read_is_judged(blocks: list[tuple[Times, Times, Times]]) -> None:
    samples = Samples("ns", tuple(Block(*block) for block in blocks))
    verdict = judge(samples)
    assert verdict.low <= verdict.effect <= verdict.high
    assert 0 < verdict.p <= 1
    assert judge(samples) == verdict
