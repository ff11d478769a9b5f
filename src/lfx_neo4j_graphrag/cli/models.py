"""The language model of a command: ``provider:model``, or a bare name behind OPENAI_BASE_URL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ..errors import ExtraMissing, InputError

ModelOption = Annotated[
    str, typer.Option("--model", envvar="MODEL", help="provider:model, or a bare name with OPENAI_BASE_URL set.", metavar="MODEL")
]
_HOW = "Write provider:model, for example openai:gpt-4.1-mini, or a bare name with OPENAI_BASE_URL set."


def chat_model(name: str, environ: Mapping[str, str] = os.environ) -> Any:
    """The LangChain chat model called ``name``. With OPENAI_BASE_URL a bare name is a model of that server.

    Raises InputError for a name that means nothing or a provider's missing key, ExtraMissing without the extra ``models``.
    """
    name = name.strip()
    if not name:
        raise InputError("No language model is given.", f"Give --model, or set MODEL. {_HOW}")
    try:
        if ":" not in name and environ.get("OPENAI_BASE_URL"):
            from langchain_openai import ChatOpenAI

            # Servers that speak this protocol without a key want some text in its place.
            return ChatOpenAI(model=name, base_url=environ["OPENAI_BASE_URL"], api_key=environ.get("OPENAI_API_KEY") or "none")
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise ExtraMissing("A language model on the command line", "models") from None
    if ":" not in name:
        raise InputError(f"'{name}' does not say whose model it is.", _HOW)
    try:
        return init_chat_model(name)
    except ImportError as error:
        package = getattr(error, "name", None) or f"langchain-{name.partition(':')[0]}"
        raise InputError(
            f"The provider of '{name}' needs the package {package.replace('_', '-')}.", "Install it beside this one."
        ) from None
    except ValueError as error:
        raise InputError(f"The model '{name}' cannot be used.", f"{str(error).splitlines()[0]} {_HOW}") from None
    except Exception as error:  # a provider's own complaint, mostly a key that isn't set
        raise InputError(f"The model '{name}' cannot be used ({type(error).__name__}).", "Check that its key is set.") from None
