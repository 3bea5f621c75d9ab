"""A program of the user's that is given the prompt on its input and prints the reply."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Reply,
    ReplyLimits,
    estimated_usage,
)
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.trace.files.temporary import temporary_folder

# What programs need to start and to find their own settings; keys are passed on by name only.
_KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_CONFIG_HOME")


@dataclass(frozen=True)
class Command:
    """Never through a shell; in an empty folder; ``passed`` names variables that it may see."""

    argv: tuple[str, ...]
    passed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"command {redacted_words(self.argv)[0]}"

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(os.environ[name] for name in self.passed if os.environ.get(name))

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        with temporary_folder("prompt") as folder:
            prompt = Path(folder, "prompt")
            prompt.touch(0o600)
            prompt.write_text("\n\n".join(m.text for m in messages), "utf-8")
            empty = Path(folder, "empty")
            empty.mkdir()
            try:
                done = run_process(
                    self.argv,
                    env=self._environment(empty),
                    cwd=empty,
                    timeout_s=limits.seconds,
                    stdout=Stdout.CAPTURE,
                    most_stdout=limits.bytes + 1,
                    echo_stderr=False,
                    stdin_from=prompt,
                )
            except OSError as error:
                raise ProviderFailed(
                    "connection", f"{self.argv[0]} cannot be started: {error.strerror}"
                ) from error
        if done.timed_out:
            raise ProviderFailed("timeout", f"{self.argv[0]} took more than {limits.seconds:.0f} s")
        if not done.ok:
            said = done.stderr_tail.strip().splitlines()[-1:] or ["it said nothing"]
            raise ProviderFailed(
                "refused", f"{self.argv[0]} ended with {done.ending}: {said[0][:500]}"
            )
        if len(done.stdout) > limits.bytes:
            raise ProviderFailed("too-long", f"the answer has more than {limits.bytes} bytes")
        return Reply(done.answer, estimated_usage(messages, done.answer), self.name, "stop")

    def _environment(self, folder: Path) -> dict[str, str]:
        names = (*_KEPT, *self.passed)
        kept = {name: os.environ[name] for name in names if name in os.environ}
        return {**kept, "TMPDIR": str(folder)}
