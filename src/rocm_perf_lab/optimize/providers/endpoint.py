"""Where a model is asked over HTTP, and the key that opens it."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional
from urllib.parse import urlsplit

from rocm_perf_lab.errors import ProviderFailed, UsageError
from rocm_perf_lab.redaction import redacted_value


@dataclass(frozen=True)
class Endpoint:
    base_url: str  # without a slash at its end
    key: Optional[str] = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        return redacted_value(self.base_url)


def endpoint(base_url: str, key_variable: str, *, needs_key: bool) -> Endpoint:
    """The key comes from the environment only. It never goes over a network unencrypted."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"--base-url {redacted_value(base_url)} is no address",
            "for example --base-url http://localhost:8000/v1",
        )
    key = os.environ.get(key_variable) or None
    if needs_key and key is None:
        raise UsageError(
            f"there is no key: the variable {key_variable} is not set",
            f"export {key_variable}, name another with --key-from, or --base-url a local server",
        )
    if key is not None and (not key.isascii() or not key.isprintable()):
        raise UsageError(f"what {key_variable} holds is not a key: it has unusual characters")
    if key is not None and parts.scheme == "http" and not _is_here(parts.hostname):
        raise UsageError(
            f"the key in {key_variable} would go to {parts.hostname} unencrypted",
            f"use https, or unset {key_variable}",
        )
    return Endpoint(base_url.rstrip("/"), key)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def events(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """Server-sent events whose data is JSON, up to "[DONE]"; or one JSON document, from servers
    that do not stream."""
    plain: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            data = line[5:].strip()
            if data == "[DONE]":
                yield {"done": True}
                return
            yield _parsed(data)
        elif line and not line.startswith((":", "event:", "id:", "retry:")):
            plain.append(line)
    if plain:
        yield _parsed("\n".join(plain))


def _parsed(data: str) -> Mapping[str, Any]:
    try:
        content = json.loads(data)
    except ValueError as error:
        raise ProviderFailed("protocol", "the answer of the server is not JSON") from error
    if not isinstance(content, dict):
        raise ProviderFailed("protocol", "the answer of the server is not a JSON object")
    if content.get("error"):
        said = content["error"]
        message = said.get("message") if isinstance(said, dict) else said
        raise ProviderFailed("refused", f"the server broke off: {str(message)[:500]}")
    return content
