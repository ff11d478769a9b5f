"""The documentation, run: each command that a page shows is run on the example graph, and what the page shows is compared.

Blocks of a page that count, in their order:

    ```console           lines "$ neo4j-graphrag …" (continued by a backslash at the end) and below each what it prints;
                         "…" stands for any text in a line, and alone in a line for any lines
    ```language file=X   becomes the file X, which later commands of the page read

A page that begins with ``<!-- graph: empty -->`` starts with an empty database, the others with the example in it.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
from conftest import wipe
from typer.testing import CliRunner

from lfx_neo4j_graphrag.asking.examples import parse_examples
from lfx_neo4j_graphrag.cli import GROUPS
from lfx_neo4j_graphrag.cli.common import new_app
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local.demo import load_example
from lfx_neo4j_graphrag.operations import text2cypher
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query
from recorded_answers import Answers

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "README.es.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<more>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
EMPTY = "<!-- graph: empty -->"


class Page:
    """The blocks of a page: ``files`` name -> text, ``steps`` (command line, what it prints)."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")
        self.blocks = [match.groupdict() for match in BLOCK.finditer(self.text)]
        named = [(re.search(r"file=(\S+)", block["more"]), block["text"]) for block in self.blocks]
        self.files = {name[1]: text for name, text in named if name}
        self.steps = [step for block in self.blocks if block["language"] == "console" for step in steps_of(block["text"])]


def steps_of(block: str) -> list[tuple[str, str]]:
    """The commands of a console block with their output."""
    found: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)
        assert command, part
        found.append((command[0].replace("\\\n", " ").strip(), part[command.end() :].rstrip("\n")))
    return found


def pattern_of(expected: str) -> re.Pattern[str]:
    """What a page shows, as an expression that the real output matches from end to end."""
    lines = []
    for line in expected.splitlines():
        lines.append(r"(?:[^\n]*\n)*" if line.strip() == "…" else r"[^\n]*".join(map(re.escape, line.rstrip().split("…"))) + r"\n")
    return re.compile("".join(lines))


@pytest.fixture(scope="module")
def app():
    app = new_app()
    for group in GROUPS:
        import_module(f"lfx_neo4j_graphrag.cli.{group}").register(app)
    return app


@pytest.fixture
def command(app, server: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Run a command line as the reader would: in a folder with ``assets``, the test server in the environment."""
    shutil.copytree(ROOT / "assets", tmp_path / "assets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path / "home"))  # what Build Graph remembers is of this page alone
    monkeypatch.setenv("COLUMNS", "200")
    answers = Answers(ROOT / "tests" / "fixtures" / "ask", ROOT / "tests" / "fixtures" / "docs")
    for module in ("ask", "build_graph"):
        monkeypatch.setattr(import_module(f"lfx_neo4j_graphrag.cli.{module}"), "chat_model", lambda name: answers)
    monkeypatch.setattr(text2cypher, "date", _FixedDay)
    login = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}

    def run(line: str) -> tuple[int, str]:
        words = shlex.split(line)
        variables = dict(word.split("=", 1) for word in words[: words.index("neo4j-graphrag")])
        done = CliRunner().invoke(app, words[words.index("neo4j-graphrag") + 1 :], env=login | variables)
        said = done.stdout if done.exit_code == 0 or done.stdout.strip() else done.stderr
        return done.exit_code, "".join(f"{part.rstrip()}\n" for part in said.strip("\n").splitlines())

    return run


class _FixedDay(date):
    """The day of the recordings: prompts name it."""

    @classmethod
    def today(cls) -> date:
        return date(2026, 10, 1)


def prepare(server: Connection, page: Page) -> None:
    async def fill() -> None:
        await wipe(server)
        if EMPTY not in page.text:
            await load_example(server)

    if page.steps:
        asyncio.run(fill())
    for name, text in page.files.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(path: Path, command, server: Connection) -> None:
    page = Page(path)
    prepare(server, page)
    for line, expected in page.steps:
        status, output = command(line)
        assert expected, f"{line}\nshows nothing"
        assert pattern_of(expected).fullmatch(output), f"$ {line}\n--- the page\n{expected}\n--- it printed (status {status})\n{output}"


def test_every_page_with_an_operation_shows_something_that_is_run() -> None:
    without = {path.stem for path in PAGES if not Page(path).steps}
    assert without <= {"README", "README.es", "architecture", "benchmarks", "mcp", "agents", "from-nappai"}, without


@pytest.mark.parametrize("language", ["docs", "docs/es"])
def test_every_example_pair_is_a_query_that_finds_something(language: str, server: Connection) -> None:
    page = Page(ROOT / language / "text2cypher.md")
    examples = [example for text in page.files.values() for example in parse_examples(text)]
    assert len(examples) == 5

    async def ask() -> list[list]:
        await wipe(server)
        await load_example(server)
        return [(await cypher_query(server, CypherQueryRequest(example.cypher))).rows for example in examples]

    rows = asyncio.run(ask())
    assert all(rows)
    assert [list(row.values()) for row in rows[2]] == [["Lucía Ortega", 3]], "who has the most open ones"
    assert {row["modelo"] for row in rows[3]} == {"Aurora 3G", "Brío 2G", "M64 OD", "Mistral 1G"}, "E09 was in July and September"
    assert [row["codigo"] for row in sorted(rows[4], key=lambda row: row["codigo"])] == ["INC-2607-01", "INC-2608-05", "INC-2609-07"]


def test_the_call_by_api_gives_the_report_and_a_picture(server: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    from lfx.testing import AsyncLocalFlowRunner

    for name, value in (("URI", server.uri), ("USERNAME", server.username), ("PASSWORD", server.password)):
        monkeypatch.setenv(f"NEO4J_{name}", value)
    for language, file in (("docs", "body.json"), ("docs/es", "cuerpo.json")):
        body = json.loads(Page(ROOT / language / "connect.md").files[file])

        async def call(tweaks: dict) -> str:
            await wipe(server)
            return str((await AsyncLocalFlowRunner()(ROOT / "flows" / "guardar_registros.json", tweaks=tweaks)).raw_output)

        said = asyncio.run(call(body["tweaks"]))
        assert "```mermaid" in said, said[:2000]
