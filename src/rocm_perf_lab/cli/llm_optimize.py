"""``rocm-perf llm-optimize``: a language model proposes, the gate decides.

What is sent is what ``rocm-perf prompt`` shows. Keys come from the environment only.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli import options, search_options
from rocm_perf_lab.errors import (
    EXIT_ANSWER_IS_NO,
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_TOOL_MISSING,
    UsageError,
)

if TYPE_CHECKING:
    from rocm_perf_lab.optimize.document import OptimizeDocument
    from rocm_perf_lab.optimize.llm.search import LlmRequest
    from rocm_perf_lab.optimize.providers.budget import Ceilings
    from rocm_perf_lab.optimize.providers.provider import Provider, ReplyLimits

EXAMPLES = """\
exit codes:
  0 faster code was accepted   1 none was accepted   3 the model did not answer

examples:
  rocm-perf llm-optimize saxpy.hip "./saxpy 1000" --model gpt-4.1 --auto-approve
  rocm-perf llm-optimize saxpy.hip --base-url http://localhost:8000/v1 --model m -- ./saxpy 1000
  rocm-perf llm-optimize saxpy.hip --provider transcript:replies.jsonl -- ./saxpy 1000
  rocm-perf llm-optimize saxpy.hip --provider "command:my-model --quiet" -- ./saxpy 1000
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "llm-optimize",
        help="optimize with proposals of a language model",
        description=__doc__,
        epilog=EXAMPLES,
    )
    search_options.add_search_arguments(parser, max_iters=3)
    parser.add_argument(
        "--engine",
        choices=("llm", "rules", "both"),
        default="llm",
        help="source of proposals: the model, the rules of optimize, or both alternately (llm)",
    )
    search_options.add_style_arguments(parser)
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("reassociate", "precision", "unseen"),
        metavar="WHAT",
        help="reassociate (another order of sums), precision (narrower types, faster functions); "
        "the result is still proven; unseen: accept code that no trial executed",
    )
    _add_model(parser.add_argument_group("the model"))
    _add_budget(parser.add_argument_group("limits of cost"))
    parser.set_defaults(run=run)


def _add_model(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--provider",
        default="openai",
        metavar="P",
        help="openai (any compatible server), anthropic, command:PROGRAM ARGS, transcript:FILE",
    )
    group.add_argument("--model", metavar="NAME", help="name of the model at the provider")
    group.add_argument(
        "--base-url", metavar="URL", help="URL of the server, for example a local one"
    )
    group.add_argument(
        "--key-from",
        metavar="NAME",
        help="environment variable with the key (OPENAI_API_KEY or ANTHROPIC_API_KEY)",
    )
    group.add_argument(
        "--temperature", type=float, metavar="T", help="sampling temperature, 0 to 2 (0.2)"
    )
    group.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="environment variable passed to a command: provider",
    )


def _add_budget(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--max-tokens", type=int, metavar="N", help="limit of tokens of all prompts and replies"
    )
    group.add_argument("--max-cost", type=float, metavar="M", help="limit of cost, needs --price")
    group.add_argument(
        "--price",
        type=float,
        nargs=2,
        metavar=("PROMPT", "REPLY"),
        help="prices of a million tokens of prompt and of reply",
    )
    group.add_argument(
        "--reply-tokens",
        type=int,
        default=16384,
        metavar="N",
        help="limit of tokens of one reply (16384)",
    )
    group.add_argument(
        "--reply-timeout",
        type=options.seconds,
        default=300.0,
        metavar="S",
        help="time limit of one reply in seconds (300)",
    )


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.optimize.llm.search import llm_optimize
    from rocm_perf_lab.reporters.decisions.optimize import render_optimize

    document = llm_optimize(_request(arguments), search_options.consent(arguments))
    options.show(arguments, document, render_optimize)
    return _exit_code(document)


def _exit_code(document: OptimizeDocument) -> int:
    if document.interrupted:
        return EXIT_INTERRUPTED
    if document.verdict == "accept":
        return EXIT_DONE
    silent = document.model is not None and document.model.requests == 0
    return EXIT_TOOL_MISSING if silent and document.engine == "llm" else EXIT_ANSWER_IS_NO


def _request(arguments: argparse.Namespace) -> LlmRequest:
    from rocm_perf_lab.optimize.llm.search import LlmRequest
    from rocm_perf_lab.optimize.prompt import PromptStyle

    return LlmRequest(
        search=search_options.request_of(arguments),
        engine=arguments.engine,
        provider=_provider(arguments),
        ceilings=_ceilings(arguments),
        reply=_reply_limits(arguments),
        style=PromptStyle(arguments.compact, arguments.full_source),
    )


def _provider(arguments: argparse.Namespace) -> Optional[Provider]:
    from rocm_perf_lab.optimize.providers.choose import ProviderChoice, chosen

    if arguments.engine == "rules":
        return None
    return chosen(
        ProviderChoice(
            provider=arguments.provider,
            model=arguments.model,
            base_url=arguments.base_url,
            key_from=arguments.key_from,
            temperature=arguments.temperature,
            pass_env=tuple(arguments.pass_env),
        )
    )


def _ceilings(arguments: argparse.Namespace) -> Ceilings:
    from rocm_perf_lab.optimize.providers.budget import Ceilings, Prices

    if arguments.max_cost is not None and arguments.price is None:
        raise UsageError("--max-cost needs --price", "--price PROMPT REPLY, per million tokens")
    for name in ("max_tokens", "max_cost"):
        value = getattr(arguments, name)
        if value is not None and value <= 0:
            raise UsageError(f"--{name.replace('_', '-')} {value:g} is not a valid budget")
    prices = arguments.price
    if prices is not None and min(prices) < 0:
        raise UsageError("--price must not be below 0")
    return Ceilings(
        tokens=arguments.max_tokens,
        cost=arguments.max_cost,
        prices=None if prices is None else Prices(*prices),
        seconds=arguments.budget,
    )


def _reply_limits(arguments: argparse.Namespace) -> ReplyLimits:
    from rocm_perf_lab.optimize.providers.provider import ReplyLimits

    if arguments.reply_tokens < 1:
        raise UsageError("--reply-tokens must be above 0")
    return ReplyLimits(seconds=arguments.reply_timeout, tokens=arguments.reply_tokens)
