"""The $parameters of the Cypher field: their fields in the node and their arguments in the tool."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..cypher.parameters import find_parameters

PREFIX = "param_"
# LangChain passes these beside a tool's own arguments; a pydantic model has the others as attributes.
_TAKEN = {"config", "kwargs", "args", "self", "run_manager", "callbacks", "schema", "json", "dict", "copy", "validate", "construct"}


@dataclass(frozen=True)
class Hole:
    """One ``$name``: ``key`` is its field in the saved node, ``argument`` its name for an agent."""

    name: str
    key: str
    argument: str


def holes_of(cypher: str) -> list[Hole]:
    """The $parameters in order of appearance, with keys and arguments that are unique among them."""
    found: list[Hole] = []
    for name in find_parameters(cypher or ""):
        keys, arguments = {hole.key for hole in found}, {hole.argument for hole in found}
        found.append(Hole(name, _unique(PREFIX + _broken_up(name), keys), _unique(_argument(name), arguments)))
    return found


def is_parameter_field(key: str) -> bool:
    """Whether a field of a saved node belongs to a $parameter."""
    return key.startswith(PREFIX)


def _broken_up(name: str) -> str:
    """Langflow parses the value of any field with 'config' or 'kwargs' in its name as JSON and drops what is none."""
    return name.replace("config", "con_fig").replace("kwargs", "kw_args")


def _argument(name: str) -> str:
    """A name that every model provider takes: ASCII letters, digits and _, at most 64."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"\W", "_", ascii_name).strip("_")[:60] or "value"
    return f"{plain}_value" if plain in _TAKEN or plain.startswith("model_") else plain


def _unique(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
