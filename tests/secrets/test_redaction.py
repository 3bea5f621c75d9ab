"""A planted secret never survives redaction; what is no secret stays as it is."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.documents.profile import Origin
from rocm_perf_lab.redaction import (
    KEPT_VARIABLES,
    REDACTED,
    is_secret_name,
    kept_variables,
    redacted_line,
    redacted_value,
    redacted_words,
)
from rocm_perf_lab.trace.model import Process


def words(text: str) -> list[str]:
    return text.split()


# What somebody may choose as a password: at least long enough not to be part of other words.
SECRETS = st.text(
    alphabet=string.ascii_letters + string.digits + "!#$%&()*+,-./:;<=>?@[]^_{|}~ ",
    min_size=8,
    max_size=40,
).map(lambda text: f"Zq{text}9X")
NAMES = st.sampled_from(
    words(
        "token password passwd api-key apiKey API_KEY access_key secret auth-token db.password pwd "
        "PASSWORD registry_password GPU_CLOUD_API_KEY HIP_API_TOKEN clientSecret bearer credentials"
    )
)
URL_SECRETS = st.text(
    alphabet=string.ascii_letters + string.digits + "!$&'()*+,;=:@._~%/-", min_size=8, max_size=30
).map(lambda text: f"Zq{text}9X")


@settings(deadline=None)
@given(NAMES, SECRETS)
@example("token", "-starts-with-a-dash")
@example("password", "--looks-like-an-option")
def test_behind_a_name(name: str, secret: str) -> None:
    for line in (
        ["app", f"--{name}={secret}", "--size", "5"],
        ["app", f"--{name}", secret, "--size", "5"],
        ["app", f"-{name}", secret, "--size", "5"],
        ["app", f"{name}={secret}", "--size", "5"],
        ["app", f"--header={name}: {secret}", "--size", "5"],
        ["app", f"{{'{name}': '{secret}'}}", "--size", "5"],
        ["sh", "-c", f"tool --{name}={secret} rest"],
    ):
        shown = redacted_words(line)
        assert secret not in "\0".join(shown)
        assert REDACTED in "\0".join(shown)
        if "--size" in line:
            assert shown[-2:] == ["--size", "5"]
        assert redacted_words(shown) == shown


@settings(deadline=None)
@given(NAMES, SECRETS.filter(lambda text: " -" not in text and not text.startswith("-")))
def test_in_a_joined_line(name: str, secret: str) -> None:
    for line in (f"app --{name} {secret} --size 5", f"app --{name}={secret} --size 5"):
        shown = redacted_line(line)
        assert all(part not in shown for part in secret.split(" ") if len(part) > 3)
        assert shown.endswith(" --size 5")
        assert redacted_line(shown) == shown
        assert Process("", 1, line, None, "file").command == shown


@settings(deadline=None)
@given(URL_SECRETS)
@example("Zq0000@PW=9X")  # a second @ does not end the secret
@example("Zqabcd@efgh9X")
def test_inside_of_a_url(secret: str) -> None:
    for url in (
        f"https://user:{secret}@host.example/path",
        f"postgres://{secret.replace('/', 'x')}@host/db",
        f"proxy=http://u:{secret}@host:8080",
    ):
        shown = redacted_value(url)
        assert secret not in shown
        assert secret.replace("/", "x") not in shown
        assert not [part for part in secret.split("@") if len(part) > 5 and part in shown]
        assert "host" in shown
    in_query = secret.replace("&", "").replace(";", "")
    shown = redacted_value(f"https://host/x?size=3&token={in_query}")
    assert in_query not in shown
    assert shown.startswith("https://")


@settings(deadline=None)
@given(st.text(alphabet=string.ascii_letters + string.digits, min_size=40, max_size=60))
def test_shapes_of_tokens_and_chance_behind_a_key(text: str) -> None:
    for token in (f"ghp_{text}", f"hf_{text}", f"sk-{text}", f"AKIA{text.upper()[:16]}"):
        assert token not in redacted_value(f"--login={token}")
        assert token not in " ".join(redacted_words(["app", token]))
    assert text not in redacted_value(f"Authorization: Bearer {text}")


def test_chance_behind_a_key_is_hidden_and_words_are_not() -> None:
    assert redacted_value("--key=f3A9c0d17be24Q55a1") == f"--key={REDACTED}"
    assert redacted_value("--key=column_name") == "--key=column_name"
    assert redacted_value("--sort-key=price-then-name-and-so-on") == (
        "--sort-key=price-then-name-and-so-on"
    )


@pytest.mark.parametrize(
    "word",
    [
        "./app", "100", "--size=5", "--max-tokens=4096", "--num-tokens", "--tokenizer=bert", "-n",
        "--author=me", "--keyboard=us", "https://host:8080/path?x=1", "a=b:c", "--seed=12345678901",
        "C:/x", "f32:1e-5", "--kernel=gemm.*float", "user@host", "--compass=3", "--monkey=banana",
        "/opt/rocm-7.0.2/bin/app", "--passes=3", "0123456789abcdef0123456789abcdef", "",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(word: str) -> None:
    assert redacted_words([word, "next"]) == [word, "next"]
    assert redacted_line(f"{word} next") == f"{word} next"


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            words(
                "HIP_API_TOKEN ROCM_REGISTRY_PASSWORD GPU_CLOUD_API_KEY HSA_SECRET AWS_KEY VROCM_X "
                "AMD_TOKEN OMP_PASSWORD HIP_VISIBLE_DEVICES_TOKEN hip_visible_devices"
            )
        ),
        SECRETS,
        min_size=1,
    ),
    URL_SECRETS,
)
def test_variables_are_kept_by_exact_name(environment: dict[str, str], secret: str) -> None:
    harmless = {"HIP_VISIBLE_DEVICES": "0,1", "VROCM_CHECK": "race"}
    url = {"HSA_TOOLS_LIB": f"http://u:{secret}@host/lib.so"}
    kept = kept_variables({**environment, **harmless, **url})
    assert set(kept) == {*harmless, *url}
    assert {name: kept[name] for name in harmless} == harmless
    assert secret not in kept["HSA_TOOLS_LIB"]


def test_no_kept_name_looks_secret() -> None:
    assert not [name for name in KEPT_VARIABLES if is_secret_name(name)]


def test_a_profile_is_about_a_redacted_command() -> None:
    origin = Origin("recorded", "1", ["app", "--token=abc", "3"])
    assert origin.command == ["app", f"--token={REDACTED}", "3"]
