"""The values of the node's fields as plain Python, whatever a flow, a tweak or a connection put into them."""

from __future__ import annotations

from typing import Any

from ..errors import InputError


class Values:
    """Typed reading of a dict of field values; a missing name reads as its default."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def raw(self, name: str) -> Any:
        return self._values.get(name)

    def is_empty(self, name: str) -> bool:
        """True for what a person would call empty: nothing, blank text, an empty list or table."""
        value = self._values.get(name)
        if isinstance(value, str) or is_message(value):
            return not self.text(name)
        return value is None or (hasattr(type(value), "__len__") and len(value) == 0)

    def text(self, name: str, default: str = "") -> str:
        """Text, stripped; a Message gives its text."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            value = value.get_text() if is_message(value) else str(value)
        return (value or "").strip() or default

    def flag(self, name: str) -> bool:
        """A switch; the text of an API call counts by its meaning."""
        value = self._values.get(name)
        return value.strip().lower() in {"true", "1", "yes", "on"} if isinstance(value, str) else bool(value)

    def number(self, name: str, title: str, default: float, *, least: float = 1) -> float:
        """A number of at least ``least``; empty is the default. Raises InputError for anything else."""
        value = self._values.get(name)
        if value is None or value == "":
            return default
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not least <= number < float("inf"):
            raise InputError(f"{title} is not a number of at least {least:g}.", f"Write a number such as {default:g}.")
        return number

    def whole(self, name: str, title: str, default: int) -> int:
        return int(self.number(name, title, default))

    def parameter(self, name: str) -> Any:
        """The value of a $parameter: text, number or list as it is; a table or JSON as its list of rows."""
        value = self._values.get(name)
        if isinstance(value, str) or is_message(value):
            return self.text(name)
        if isinstance(value, (bool, int, float)) or (isinstance(value, list) and not any(_is_container(item) for item in value)):
            return value
        from ..records.rows import rows_from

        return list(rows_from(value))


def is_message(value: Any) -> bool:
    """Langflow's Message, known by its shape: the engine does not import Langflow."""
    return hasattr(type(value), "get_text") and hasattr(type(value), "format_text")


def _is_container(value: Any) -> bool:
    return not isinstance(value, (str, bool, int, float, list, type(None)))
