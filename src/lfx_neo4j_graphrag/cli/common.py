"""What every command shares: the connection options, errors as sentences, progress bars, models.

A command is a function, mostly an async one, with typer's annotations::

    @command(app, "query")
    async def query(connect: Connect, cypher: Annotated[str, typer.Argument(help="…")]) -> None:
        request = CypherQueryRequest(...)          # what is wrong with the arguments is said before connecting
        await cypher_query(connect(), request)

A parameter called ``connect`` gives the command the options ``--uri --username --password --database``; calling it
finds the Connection, starting the embedded Neo4j when nothing else is configured. Every command gets ``--debug``.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from ..database.connection import Connection, resolve
from ..errors import ExtraMissing, GraphRAGError, InputError
from ..local.embeddings import LocalEmbeddings
from ..local.jars import Progress
Connect = Callable[..., Connection]


class Format(str, Enum):
    """How a reading command answers."""

    yaml = "yaml"
    json = "json"
    table = "table"


FormatOption = Annotated[Format, typer.Option("--format", help="How the answer is written.")]
TokenLimitOption = Annotated[int, typer.Option("--token-limit", min=0, help="Most tokens of the answer; 0 for all of it.")]
TimeoutOption = Annotated[float, typer.Option("--query-timeout", min=0.1, help="Seconds that a statement may take.")]
EmbeddingOption = Annotated[
    str, typer.Option("--embedding-model", envvar="EMBEDDING_MODEL", help="local, or provider:model.", metavar="MODEL")
]

_PANEL = "Connection (default: NEO4J_URI …, else the embedded Neo4j)"
_CONNECTION_OPTIONS = {
    "uri": Annotated[str, typer.Option("--uri", help="bolt://, neo4j:// or neo4j+s:// address.", rich_help_panel=_PANEL)],
    "username": Annotated[str, typer.Option("--username", rich_help_panel=_PANEL)],
    "password": Annotated[str, typer.Option("--password", help="Better given as NEO4J_PASSWORD.", rich_help_panel=_PANEL)],
    "database": Annotated[str, typer.Option("--database", help="Default: the home database.", rich_help_panel=_PANEL)],
}
_DEBUG_OPTION = Annotated[bool, typer.Option("--debug", help="Show where in the program an error came from.")]


def new_app() -> typer.Typer:
    """The app without commands. Tracebacks of typer would show local variables, passwords among them."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

    @app.callback(help="Save data in a Neo4j graph and get right answers from it, without writing Cypher.")
    def options(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=_show_version)
        ] = False,
    ) -> None:
        pass

    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


def command(app: typer.Typer, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a command of ``app``; see the top of this file."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = inspect.signature(function, eval_str=True).parameters
        connects = "connect" in own
        added = (_CONNECTION_OPTIONS if connects else {}) | {"debug": _DEBUG_OPTION}
        parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in own.values() if p.name != "connect"]
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default="" if name != "debug" else False, annotation=kind)
            for name, kind in added.items()
        ]

        def run(debug: bool, **given: Any) -> None:
            with errors_as_sentences(debug):
                if connects:
                    given["connect"] = partial(find_connection, *(given.pop(name) for name in _CONNECTION_OPTIONS))
                result = function(**given)
                if inspect.iscoroutine(result):
                    asyncio.run(result)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__doc__ = function.__doc__
        app.command(name)(run)
        return function

    return decorate


def stop_at_once() -> None:
    """Let Ctrl-C, and the end of the terminal, interrupt whatever runs.

    asyncio.run would only cancel at the next await, long after a download, and other signals would leave processes behind.
    """

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup stays nohup
            signal.signal(number, interrupt)


@contextlib.contextmanager
def errors_as_sentences(debug: bool = False) -> Iterator[None]:
    """Whatever goes wrong becomes a sentence on stderr and exit status 1, never a trace (unless ``debug``)."""
    try:
        yield
    except GraphRAGError as error:
        _fail(str(error), debug)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise
    except Exception as error:  # the text of a foreign error may hold values or secrets
        _fail(f"Something unexpected went wrong ({type(error).__name__}). Run it again with --debug to see where.", debug)


def _fail(sentence: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    typer.echo(sentence, err=True)
    raise typer.Exit(1)


def find_connection(
    uri: str = "", username: str = "", password: str = "", database: str = "", *, start: bool = True
) -> Connection:
    """The connection of the options, else of the environment, else the embedded Neo4j.

    With ``start`` the embedded one is started when it does not run, else that is an InputError. Raises what
    ``database.connection.resolve`` and ``local.server.start`` raise.
    """
    if not (uri or password or os.environ.get("NEO4J_URI", "").strip()):
        _need_embedded(start)
    return resolve(uri, username, password, database)


def _need_embedded(start: bool) -> None:
    from ..local import server

    other = "give --uri, --username and NEO4J_PASSWORD of another one (or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD)."
    try:
        if server.running():
            return
        if not start:
            raise InputError("The embedded Neo4j is not running.", f"Start it with: {own_name()} up. Or {other}")
        say("Starting the embedded Neo4j …")
        with progress_bar("Downloading") as progress:
            server.start(progress=progress)
    except ExtraMissing as error:
        raise InputError("There is no Neo4j to connect to.", f"{error.advice} for the embedded one, or {other}") from None


def own_name() -> str:
    """How the user starts this command from here: after ``make demo`` it lies in ``.venv/bin``, which is on no PATH."""
    name = "neo4j-graphrag"
    script = Path(sys.executable).parent / name
    found = shutil.which(name)
    if not script.exists() or (found and Path(found).resolve() == script.resolve()):
        return name
    return os.path.relpath(script) if script.is_relative_to(Path.cwd()) else str(script)


def say(text: str) -> None:
    """A remark for the person at the terminal: on stderr, so that an answer can be piped."""
    typer.echo(text, err=True)


@contextlib.contextmanager
def progress_bar(verb: str = "") -> Iterator[Progress]:
    """A callable ``progress(done, total, what)`` that draws one bar on stderr; nothing is drawn before its first call."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True))
    tasks: dict[str, Any] = {}

    def progress(done: int, total: int, what: str) -> None:
        if not tasks:
            bar.start()
        if what not in tasks:
            tasks[what] = bar.add_task(f"{verb} {what}".strip(), total=total)
        bar.update(tasks[what], completed=done, total=total)

    try:
        yield progress
        for task in bar.tasks:
            bar.update(task.id, completed=task.total)
    finally:
        if tasks:
            bar.stop()


def text_or_file(value: str) -> str:
    """The text itself, or the content of the file when it begins with ``@``."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file {value[1:]} cannot be read ({type(error).__name__}).", "Check its name.") from None


def pairs(values: list[str], option: str) -> Mapping[str, str]:
    """``["k=v", …]`` as a mapping. Raises InputError for one without ``=`` or with an empty name."""
    found = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip():
            raise InputError(f"'{value[:40]}' is not a pair for {option}.", f"Write {option} name=value.")
        found[name.strip()] = text
    return found


def embedding_model(name: str) -> Any:
    """The embedder called ``local`` or ``provider:model``; None for an empty name.

    Raises ExtraMissing when the extra that it needs is not installed, InputError for a name that means nothing.
    """
    if not name:
        return None
    if name == "local":
        return LocalEmbeddings()
    if ":" not in name:
        how = "Write local, or provider:model, for example openai:text-embedding-3-small."
        raise InputError(f"'{name}' is not an embedding model.", how)
    try:
        from langchain.embeddings import init_embeddings
    except ImportError:
        raise ExtraMissing("An embedding model named as provider:model", "models") from None
    try:
        return init_embeddings(name)
    except (ImportError, ValueError) as error:
        raise InputError(f"The embedding model '{name}' cannot be used.", str(error).splitlines()[0]) from None


def print_answer(text: str) -> None:
    """Write an answer to stdout, whatever characters the terminal knows."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    typer.echo(text.rstrip("\n"))
