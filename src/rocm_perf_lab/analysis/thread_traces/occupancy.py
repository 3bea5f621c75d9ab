"""How many waves a thread trace saw on each shader engine, over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import IntColumn
from rocm_perf_lab.trace.thread_trace.model import Occupancy


@dataclass(frozen=True)
class EngineOccupancy:
    """One shader engine, from its first to its last begin or end of a wave.

    ``waves[i]`` waves are there from ``times[i]`` on.
    """

    engine: int
    times: IntColumn
    waves: IntColumn
    cus: int  # that had a wave
    launched: int
    launch_interval: Optional[float]  # median cycles between begins; None for one wave

    @property
    def cycles(self) -> int:
        return int(self.times[-1] - self.times[0])

    @property
    def peak(self) -> int:
        return int(self.waves.max())

    @property
    def mean(self) -> Optional[float]:
        """Waves, weighted by time; None if no time passed."""
        if not self.cycles:
            return None
        return float(np.dot(self.waves[:-1], np.diff(self.times)) / self.cycles)

    def fraction(self, waves_per_cu: int) -> Optional[float]:
        """Of the wave slots of the CUs that had a wave."""
        return None if self.mean is None else self.mean / (self.cus * waves_per_cu)

    def binned(self, bins: int) -> npt.NDArray[np.float64]:
        """Mean waves in equal parts of the time, for plots."""
        edges = np.linspace(self.times[0], self.times[-1], bins + 1)
        spent = np.concatenate(([0.0], np.cumsum(self.waves[:-1] * np.diff(self.times))))
        width = np.diff(edges)
        means = np.zeros(bins)
        np.divide(np.diff(np.interp(edges, self.times, spent)), width, out=means, where=width > 0)
        return means


def wave_occupancy(events: Optional[Occupancy]) -> tuple[EngineOccupancy, ...]:
    """One per shader engine with events, by its number."""
    if events is None:
        return ()
    return tuple(_of_engine(events, int(engine)) for engine in np.unique(events.engine))


def _of_engine(events: Occupancy, engine: int) -> EngineOccupancy:
    mine = np.flatnonzero(events.engine == engine)
    mine = mine[np.argsort(events.time[mine], kind="stable")]
    moments, begins = events.time[mine], events.begins[mine] != 0
    times, where = np.unique(moments, return_inverse=True)
    changes = np.zeros(len(times), dtype=np.int64)
    np.add.at(changes, where.reshape(-1), np.where(begins, 1, -1))
    already_there = _ended_first(events, mine)
    launches = moments[begins]
    return EngineOccupancy(
        engine=engine,
        times=times,
        waves=np.maximum(already_there + np.cumsum(changes), 0),
        cus=len(np.unique(events.cu[mine])),
        launched=len(launches),
        launch_interval=float(np.median(np.diff(launches))) if len(launches) > 1 else None,
    )


def _ended_first(events: Occupancy, mine: IntColumn) -> int:
    """Slots whose first event is an end: their waves began before the trace did."""
    places = np.stack((events.cu[mine], events.simd[mine], events.slot[mine]))
    _, first = np.unique(places, axis=1, return_index=True)
    return int(np.count_nonzero(events.begins[mine][first] == 0))
