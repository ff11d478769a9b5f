"""Settings of the MCP server: flags, else the environment, else defaults; each checked at start with a sentence."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..defaults import MAX_ROWS, MAX_WRITES, MCP_HOST, MCP_PORT, QUERY_TIMEOUT, TOKEN_LIMIT
from ..errors import InputError
from ..reply.rendering import FORMATS

TRANSPORTS = ("stdio", "http")
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
_NAMESPACE = re.compile(r"[a-zA-Z0-9_-]{1,24}")
_MODEL = re.compile(r"local|[\w.-]+:\S+")


class _Wrong(Exception):
    """What a value is instead of what it should be: ``(is, should be)``."""


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise _Wrong("is no whole number", f"Write one from {low} to {high}.") from None
        if not low <= value <= high:
            raise _Wrong("is out of range", f"Write a whole number from {low} to {high}.")
        return value

    return read


def _token_limit(text: str) -> int:
    value = _whole(0, 1_000_000)(text)
    if 0 < value < 32:
        raise _Wrong("is too small for any reply", "Write 0 for no limit, or at least 32.")
    return value


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _Wrong("is no number of seconds", "Write one from 0.1 to 3600, for example 10.") from None
    if not 0.1 <= value <= 3600:
        raise _Wrong("is out of range", "Write a number of seconds from 0.1 to 3600.")
    return value


def _choice(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in names:
            raise _Wrong("is not one of the choices", f"Write one of: {', '.join(names)}.")
        return text.lower()

    return read


def _switch(text: str) -> bool:
    if text.lower() not in _TRUE + _FALSE:
        raise _Wrong("is neither true nor false", "Write true or false.")
    return text.lower() in _TRUE


def _namespace(text: str) -> str:
    if not _NAMESPACE.fullmatch(text):
        raise _Wrong("is no prefix for tool names", "Write at most 24 letters of a to z, digits, _ or -.")
    return text


def _model(text: str) -> str:
    if not _MODEL.fullmatch(text):
        raise _Wrong("is not an embedding model", "Write local, or provider:model, for example openai:text-embedding-3-small.")
    return text


def _token(text: str) -> str:
    if not re.fullmatch(r"[!-~]+", text):
        raise _Wrong("cannot be sent in a header", "Write a long random token of ASCII characters without spaces.")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _setting(default: Any, environment: str, read: Callable[[str], Any], help: str, *, secret: bool = False) -> Any:
    return field(default=default, metadata={"environment": environment, "read": read, "help": help, "secret": secret}, repr=not secret)


@dataclass(frozen=True)
class Settings:
    """Everything that can be configured. Each field is the flag of that name; ``options()`` lists them."""

    transport: str = _setting("stdio", "MCP_TRANSPORT", _choice(*TRANSPORTS), "stdio, or http (streamable HTTP at /mcp).")
    host: str = _setting(MCP_HOST, "MCP_HOST", str, "Address to listen on with http; one that others reach needs a token.")
    port: int = _setting(MCP_PORT, "MCP_PORT", _whole(1, 65535), "Port to listen on with http.")
    token: str = _setting("", "MCP_TOKEN", _token, "Bearer token that http clients must send.", secret=True)
    allowed_hosts: tuple[str, ...] = _setting(
        (), "MCP_ALLOWED_HOSTS", _names, "Host names, by commas, that http requests may be addressed to, beside this machine's."
    )
    allowed_origins: tuple[str, ...] = _setting(
        (), "MCP_ALLOWED_ORIGINS", _names, "Origins, by commas, of web pages that may send http requests."
    )
    namespace: str = _setting("", "MCP_NAMESPACE", _namespace, "Prefix of all tool names, for several servers in one client.")
    query_timeout: float = _setting(QUERY_TIMEOUT, "QUERY_TIMEOUT", _seconds, "Seconds that a statement may take.")
    token_limit: int = _setting(TOKEN_LIMIT, "TOKEN_LIMIT", _token_limit, "Most tokens of a reply; 0 for no limit.")
    max_rows: int = _setting(MAX_ROWS, "MAX_ROWS", _whole(1, 100_000), "Most rows of a reply.")
    format: str = _setting("yaml", "FORMAT", _choice(*FORMATS), f"How replies are written: {', '.join(FORMATS)}.")
    embedding_model: str = _setting(
        "", "EMBEDDING_MODEL", _model, "Model that made the vectors: local, or provider:model. Without it searches go by words."
    )
    allow_writes: bool = _setting(False, "ALLOW_WRITES", _switch, "Offer write_cypher, which changes data.")
    max_writes: int = _setting(
        MAX_WRITES, "MAX_WRITES", _whole(1, 10_000_000), "Most changes of one write_cypher; more are rolled back."
    )
    sample_values: bool = _setting(True, "SAMPLE_VALUES", _switch, "Show example values of the graph in schema and tool descriptions.")
    hidden: tuple[str, ...] = _setting(
        (), "NEO4J_GRAPHRAG_HIDDEN", _names, "Labels, types and properties (Label.property) that never show, by commas."
    )
    log_level: str = _setting(
        "warning", "LOG_LEVEL", _choice("debug", "info", "warning", "error"), "What is logged on stderr: debug, info, warning, error."
    )

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach ``host``."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """``localhost``, ``127.0.0.1``, ``::1``… No name is looked up."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


@dataclass(frozen=True)
class Option:
    """A setting as the command line sees it. ``shown`` is its default, None when there is none."""

    name: str
    flag: str
    environment: str
    help: str
    switch: bool
    shown: str | None


def options() -> list[Option]:
    """All settings in the order of the help."""
    return [
        Option(
            name=f.name,
            flag="--" + f.name.replace("_", "-"),
            environment=f.metadata["environment"],
            help=f.metadata["help"],
            switch=isinstance(f.default, bool),
            shown=None if f.default in ("", ()) else f"{f.default:g}" if isinstance(f.default, float) else str(f.default).lower(),
        )
        for f in fields(Settings)
    ]


def load(flags: Mapping[str, Any] = {}, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings. ``flags`` maps names of settings to what the command line gave, as text, or None.

    What is blank counts as not set. Raises InputError with one sentence about the first setting that is wrong.
    """
    found: dict[str, Any] = {}
    for f in fields(Settings):
        place = "--" + f.name.replace("_", "-")
        text = "" if flags.get(f.name) is None else str(flags[f.name]).strip()
        if not text:
            place = f.metadata["environment"]
            text = environ.get(place, "").strip()
        if not text:
            continue
        try:
            found[f.name] = f.metadata["read"](text)
        except _Wrong as wrong:
            value = "" if f.metadata["secret"] else f" is '{text[:60]}', which"
            raise InputError(f"{place}{value} {wrong.args[0]}.", wrong.args[1]) from None
    settings = Settings(**found)
    if settings.transport == "http" and not settings.loopback and not settings.token:
        raise InputError(
            f"The MCP server would listen on {settings.host}, which other machines reach, without a token.",
            "Set MCP_TOKEN to a long random text that the clients send too, or listen on 127.0.0.1.",
        )
    return settings
