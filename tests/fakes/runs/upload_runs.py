"""An application that uploads its data, launches two kernels again and again, and reads back."""

from __future__ import annotations

from fakes.task_recordings import Recording

_US = 1000
STEPS = 12


def uploads_once() -> Recording:
    """5 ms of copies around 12 steps of 100 us."""
    record = Recording()
    record.copy(0, 3000 * _US, 1 << 20, stack_id=record.call("hipMemcpy", 0, 3000 * _US))
    time = _steps(record, 3010 * _US, upload=False)
    back = record.call("hipMemcpy", time, time + 2000 * _US)
    record.copy(time, time + 2000 * _US, 1 << 20, to_host=True, stack_id=back)
    return record


def uploads_each_step() -> Recording:
    record = Recording()
    _steps(record, 0, upload=True)
    return record


def _steps(record: Recording, time: int, *, upload: bool) -> int:
    """The host launches ahead as far as it can."""
    host = time
    for _ in range(STEPS):
        if upload:
            called = record.call("hipMemcpy", time, time + 400 * _US)
            record.copy(time, time + 400 * _US, 1 << 20, stack_id=called)
            host = time = time + 400 * _US
        for name, us in (("gather", 30), ("product", 70)):
            launch = record.launch(host)
            record.kernel(name, time + _US, time + (us + 1) * _US, stack_id=launch)
            host += 3 * _US
            time += (us + 2) * _US
    return time
