"""The best configuration of each key of a Triton kernel, and the file that says so."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.strict_json import as_text
from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.triton.report import Key, Report, TritonConfig
from rocm_perf_lab.tune.triton.target import TritonTarget
from rocm_perf_lab.tune.tuning import Tuning
from rocm_perf_lab.tune.tuning_schema import (
    SCHEMA_VERSION,
    TritonChoiceModel,
    TritonConfigModel,
    TritonTable,
)


def triton_table(
    tuning: Tuning, looked: Report, target: TritonTarget, virtual: bool
) -> TritonTable:
    choices = [(key, _choice(tuning, looked.configs, key)) for key in looked.keys]
    missing = [key for key, choice in choices if choice is None]
    reason = None
    if missing:
        reason = (
            f"{len(missing)} of {len(choices)} keys have no time: every configuration failed, or "
            f"{target.kernel} was launched more or less often than the profiler recorded it"
        )
    return TritonTable(
        schema_version=SCHEMA_VERSION,
        file=target.file.name,
        kernel=target.kernel,
        key=looked.key_names,
        virtual=virtual,
        table=tuple(choice for _, choice in choices if choice is not None),
        reason=reason,
    )


def _choice(
    tuning: Tuning, configs: tuple[TritonConfig, ...], key: Key
) -> Optional[TritonChoiceModel]:
    """The first that was measured, of equal ones."""
    timed = [one for one in tuning.measurements if key.text in one.parts]
    best = min(timed, key=lambda one: one.parts[key.text], default=None)
    if best is None:
        return None
    config = _config(configs, best)
    return TritonChoiceModel(
        key=dict(key.values),
        dtypes=key.dtypes,
        config=TritonConfigModel(
            kwargs=dict(config.kwargs), options=dict(config.options), exact=config.exact
        ),
        ms=best.parts[key.text],
        default_ms=None if tuning.default is None else tuning.default.parts.get(key.text),
    )


def _config(configs: tuple[TritonConfig, ...], measured: Measurement) -> TritonConfig:
    return next(one for one in configs if dict(one.row) == dict(measured.configuration))


def table_text(table: TritonTable, suffix: str) -> str:
    """Python for ``.py``, else JSON."""
    return _python(table) if suffix == ".py" else as_text(table, indent=2) + "\n"


_MODULE = '''\
"""The fastest configurations of {kernel} ({file}), written by rocm-perf autotune{where}.

    @triton.autotune(CONFIGS, key=KEY, prune_configs_by={{"early_config_prune": choose}})
"""

import triton

KEY = {key!r}
CONFIGS = [
{configs}
]
# The values of KEY and the dtypes of the arguments, and the milliseconds of a launch.
BEST = {{
{entries}
}}


def choose(configs, named_args, **kwargs):
    """The fastest for these arguments; all of them for arguments that were not measured."""
    arguments = {{**named_args, **kwargs}}
    values = tuple(arguments[name] for name in KEY)
    dtypes = tuple(str(one.dtype) for one in arguments.values() if hasattr(one, "dtype"))
    best = BEST.get((values, dtypes))
    return configs if best is None else [best]
'''


def _python(table: TritonTable) -> str:
    calls = [_call(choice.config) for choice in table.table]
    different = list(dict.fromkeys(calls))
    entries = [
        f"    {_key(choice)}: CONFIGS[{different.index(call)}],  # {choice.ms:.6g}"
        for choice, call in zip(table.table, calls)
    ]
    return _MODULE.format(
        kernel=table.kernel,
        file=table.file,
        where=" on the virtual device" if table.virtual else "",
        key=list(table.key),
        configs="\n".join(f"    {call}," for call in different),
        entries="\n".join(entries),
    )


def _key(choice: TritonChoiceModel) -> str:
    return repr((tuple(choice.key.values()), choice.dtypes))


def _call(config: TritonConfigModel) -> str:
    options = "".join(f", {name}={value!r}" for name, value in config.options.items())
    return f"triton.Config({config.kwargs!r}{options})"
