"""What may be kept of command lines and environments: no password, no token, no key.

Captures, profiles and recordings travel. Variables are kept by exact name only. Of arguments,
whatever stands behind a name such as ``--token``, the user part of a URL and strings in the known
shapes of tokens are replaced. In doubt more is hidden than needed: a lost word costs little.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

REDACTED = "<redacted>"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They decide what runs where and how; nobody puts a secret into them.
KEPT_VARIABLES = _words("""
    AMD_DIRECT_DISPATCH AMD_LOG_LEVEL AMD_SERIALIZE_COPY AMD_SERIALIZE_KERNEL
    GPU_DEVICE_ORDINAL GPU_MAX_HEAP_SIZE GPU_MAX_HW_QUEUES GPU_SINGLE_ALLOC_PERCENT
    HIP_FORCE_DEV_KERNARG HIP_HOST_COHERENT HIP_LAUNCH_BLOCKING HIP_PLATFORM HIP_VISIBLE_DEVICES
    HSA_CU_MASK HSA_ENABLE_DEBUG HSA_ENABLE_INTERRUPT HSA_ENABLE_PEER_SDMA HSA_ENABLE_SDMA
    HSA_FORCE_FINE_GRAIN_PCIE HSA_MAX_QUEUES HSA_NO_SCRATCH_RECLAIM HSA_OVERRIDE_GFX_VERSION
    HSA_SCRATCH_SINGLE_LIMIT HSA_TOOLS_LIB HSA_XNACK
    OMP_NUM_THREADS OMP_PROC_BIND OMP_TARGET_OFFLOAD
    ROCM_PATH ROCR_VISIBLE_DEVICES
    VROCM_CHECK VROCM_CHECK_FATAL VROCM_CPU VROCM_DEVICES VROCM_IDEAL VROCM_MODEL
    VROCM_MOST_INSTRUCTIONS VROCM_NOISE VROCM_ORDER VROCM_POISON VROCM_PROGRESS VROCM_ROUNDING
    VROCM_ROUNDING_BITS
    VROCM_THREADS VROCM_TIMEOUT VROCM_TIMING
""")

# Parts of names whose value is always hidden, alone or as two parts beside each other.
_SECRET_PARTS = _words("""
    token secret secrets password passwords passwd passwort passphrase passcode pwd pass pw
    credential credentials cred creds auth authorization authentication bearer jwt cookie apikey
    accesskey secretkey privatekey oauth otp
""")
_KEY_OWNERS = _words(
    "api access private secret encryption signing ssh account storage license service"
)
_KEYS = frozenset(("key", "keys"))
# Parts of names whose value is hidden when it looks like chance.
_MAYBE_PARTS = frozenset(("key", "keys", "sig", "signature", "session", "salt", "nonce", "user"))

_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMED = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_.-]*)[\"']?\s*(?P<sign>[=:])\s*(?P<value>.*)", re.S
)
_OPTION = re.compile(r"-{1,2}(?P<name>[A-Za-z][A-Za-z0-9_.-]*)$")
_QUERY = re.compile(r"(?P<before>[?&;])(?P<name>[A-Za-z0-9_.-]+)=(?P<value>[^&;#\s]*)")
# user:password@ or user@, up to the last @: passwords are often not encoded.
_URL_USER = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?:\S*:\S*@|[^\s/?#]*@)")
_TOKEN_SHAPES = re.compile(
    r"gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|hf_\w{16,}|sk-[\w-]{16,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{12,}|xox[a-z]-[\w-]{10,}|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"
    r"|AIza[\w-]{30,}|npm_\w{20,}|dckr_pat_[\w-]{16,}"
)
_BEARER = re.compile(r"\b(?P<kind>bearer|basic)\s+\S+", re.IGNORECASE)
_LEAST_RANDOM_LENGTH = 16
_LEAST_RANDOM_BITS = 3.0  # per character; English words in lower case have less in 16 characters


def kept_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that may be written down, by name; their values are looked at too."""
    return {
        name: redacted_value(environment[name])
        for name in sorted(KEPT_VARIABLES & environment.keys())
    }


def redacted_words(words: Sequence[str]) -> list[str]:
    """A command line, word by word, without what looks secret."""
    shown: list[str] = []
    hides_next = False
    for word in words:
        option = _OPTION.match(word)
        secret_option = option is not None and is_secret_name(option.group("name"))
        if hides_next and not secret_option:
            shown.append(REDACTED)
            hides_next = False
            continue
        hides_next = secret_option
        shown.append(redacted_value(word))
    return shown


def redacted_line(line: str) -> str:
    """A command line whose words were joined: a hidden value goes on until the next option."""
    shown: list[str] = []
    hiding = False
    for word in line.split(" "):
        if hiding and not word.startswith("-"):
            hiding = word != REDACTED  # hidden before: it is one word
            if shown[-1] != REDACTED:
                shown.append(REDACTED)
            continue
        one = redacted_value(word)
        option = _OPTION.match(word)
        hiding = one != word or (option is not None and is_secret_name(option.group("name")))
        shown.append(one)
    return " ".join(shown)


def redacted_value(text: str) -> str:
    """One word or value without the secrets that are inside of it."""
    text = _URL_USER.sub(rf"\g<scheme>{REDACTED}@", text)
    text = _QUERY.sub(_query, text)
    text = _TOKEN_SHAPES.sub(REDACTED, text)
    text = _BEARER.sub(rf"\g<kind> {REDACTED}", text)
    return _hide_named(text)


def redacted_text(text: str, secrets: Sequence[str] = ()) -> str:
    """A longer text, such as source code, that stays readable: only what is known to be secret,
    the user part of URLs and the known shapes of tokens are hidden."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, REDACTED)
    text = _URL_USER.sub(rf"\g<scheme>{REDACTED}@", text)
    return _TOKEN_SHAPES.sub(REDACTED, text)


def is_secret_name(name: str) -> bool:
    """Whether whatever has this name is hidden: ``--api-key``, ``DB_PASSWORD``, ``authToken``."""
    parts = _parts(name)
    pairs = zip(parts, parts[1:])
    return any(part in _SECRET_PARTS for part in parts) or any(
        first in _KEY_OWNERS and second in _KEYS for first, second in pairs
    )


def looks_random(value: str) -> bool:
    """Long, of letters and digits, and with as many different characters as chance has."""
    if len(value) < _LEAST_RANDOM_LENGTH or not re.search(r"\d", value):
        return False
    counts = Counter(value).values()
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
    return bits >= _LEAST_RANDOM_BITS


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _NAME_PARTS.findall(name)]


def _hides(name: str, value: str) -> bool:
    maybe = any(part in _MAYBE_PARTS for part in _parts(name))
    return is_secret_name(name) or (maybe and looks_random(value))


def _query(match: re.Match[str]) -> str:
    if not _hides(match.group("name"), match.group("value")):
        return match.group(0)
    return f"{match.group('before')}{match.group('name')}={REDACTED}"


def _hide_named(text: str) -> str:
    """Everything behind the first ``name=`` or ``name:`` that hides its value, to the end."""
    start = 0
    while True:
        match = _NAMED.search(text, start)
        if match is None:
            return text
        value = match.group("value")
        # A URL's scheme is not a name; its query was looked at by itself.
        is_scheme = match.group("sign") == ":" and value.startswith("//")
        if value and not is_scheme and _hides(match.group("name"), value):
            return text[: match.start("value")] + REDACTED
        start = match.end("sign")
