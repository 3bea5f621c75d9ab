"""Asking a model within a budget, and keeping what was asked and answered, without secrets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Union

from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.providers.budget import Budget
from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Provider,
    Reply,
    ReplyLimits,
    estimated_tokens,
)
from rocm_perf_lab.prove.evidence import Bundle, SearchLog
from rocm_perf_lab.prove.evidence.durable import append_durable
from rocm_perf_lab.redaction import redacted_text

TRANSCRIPT = "transcript.jsonl"


@dataclass(frozen=True)
class NoReply:
    """``kind`` is that of ``ProviderFailed``, or "budget"."""

    kind: str
    why: str

    @property
    def is_final(self) -> bool:
        """Asking for something else would end the same way."""
        return self.kind in ("budget", "exhausted", "refused")


class Conversation:
    """A folder ``asked-NNNN`` for each question, and ``transcript.jsonl`` to replay them all."""

    def __init__(
        self,
        provider: Provider,
        budget: Budget,
        folder: Path,
        log: SearchLog,
        limits: ReplyLimits = ReplyLimits(),  # noqa: B008 (it is frozen)
    ) -> None:
        self.provider, self.budget = provider, budget
        self._folder, self._log, self._limits = folder, log, limits
        self._asked = 0

    def ask(self, messages: Sequence[Message]) -> Union[Reply, NoReply]:
        tokens = sum(estimated_tokens(message.text) for message in messages)
        limits = self.budget.limits(tokens, self._limits)
        if isinstance(limits, str):
            self._log.append("not asked", reason=limits)
            return NoReply("budget", limits)
        bundle = self._begun(messages)
        try:
            reply = self.provider.complete(messages, limits)
        except ProviderFailed as error:
            return self._failed(error, bundle)
        self.budget.charge(reply.usage)
        self._keep(reply, bundle)
        return reply

    def _begun(self, messages: Sequence[Message]) -> Bundle:
        self._asked += 1
        bundle = Bundle(self._folder / f"asked-{self._asked:04}")
        content = [{"role": m.role, "text": self._clean(m.text)} for m in messages]
        bundle.add_json("prompt.json", {"provider": self.provider.name, "messages": content})
        self._log.append("asked", bundle=bundle.folder.name)
        return bundle

    def _keep(self, reply: Reply, bundle: Bundle) -> None:
        text = self._clean(reply.text)
        bundle.add("reply.txt", text.encode("utf-8", "replace"))
        facts = {**asdict(reply.usage), "model": self._clean(reply.model), "finish": reply.finish}
        bundle.add_json("usage.json", facts)
        append_durable(self._folder / TRANSCRIPT, json.dumps({"reply": text}).encode())
        self._log.append(
            "answered", bundle=bundle.folder.name, manifest_sha256=bundle.manifest_sha256()
        )

    def _failed(self, error: ProviderFailed, bundle: Bundle) -> NoReply:
        why = self._clean(error.cause)
        bundle.add_json("no_reply.json", {"kind": error.kind, "reason": why})
        self._log.append("no reply", bundle=bundle.folder.name, kind=error.kind, reason=why)
        return NoReply(error.kind, why)

    def _clean(self, text: str) -> str:
        return redacted_text(text, self.provider.secrets)
