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
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
from saving import wipe
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
        parts = r"[^\n]*".join(map(re.escape, line.rstrip().split("…")))
        lines.append(r"(?:[^\n]*\n)*" if line.strip() == "…" else parts + r"\n")
    return re.compile("".join(lines))


@pytest.fixture(scope="module")
def app():
    app = new_app()
    for group in GROUPS:
        import_module(f"lfx_neo4j_graphrag.cli.{group}").register(app)
    return app


@pytest.fixture
def command(app, server: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[int, str]]:
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


def same(expected: str, output: str, any_order: bool) -> bool:
    if any_order and sorted(expected.splitlines()) == sorted(output.splitlines()):
        return True
    return pattern_of(expected).fullmatch(output) is not None


class Graph:
    """What is in the database of this module: pages that only read share one loading of the example."""

    def __init__(self, server: Connection) -> None:
        self.server, self.is_example = server, False

    def prepare(self, page: Page) -> None:
        if page.steps and not (self.is_example and EMPTY not in page.text):
            asyncio.run(self._fill(EMPTY in page.text))
        for name, text in page.files.items():
            Path(name).write_text(text, encoding="utf-8")

    def load(self) -> None:
        if not self.is_example:
            asyncio.run(self._fill(empty=False))

    async def _fill(self, empty: bool) -> None:
        await wipe(self.server)
        if not empty:
            await load_example(self.server)
        self.is_example = not empty


@pytest.fixture(scope="module")
def graph(server: Connection) -> Graph:
    return Graph(server)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(path: Path, command, graph: Graph) -> None:
    page = Page(path)
    graph.prepare(page)
    for line, expected in page.steps:
        status, output = command(line)
        assert expected, f"{line}\nshows nothing"
        by_a_model = " ask " in line  # whose query may give rows in any order
        told = f"$ {line}\n--- the page\n{expected}\n--- it printed (status {status})\n{output}"
        assert same(expected, output, by_a_model), told


def test_every_page_with_an_operation_shows_something_that_is_run() -> None:
    without = {path.stem for path in PAGES if not Page(path).steps}
    assert without <= {"architecture", "benchmarks", "measurements", "techniques", "mcp", "agents", "from-nappai"}, without


@pytest.mark.parametrize("language", ["docs", "docs/es"])
def test_every_example_pair_is_a_query_that_finds_something(language: str, graph: Graph) -> None:
    page = Page(ROOT / language / "text2cypher.md")
    examples = [example for text in page.files.values() for example in parse_examples(text)]
    assert len(examples) == 5
    graph.load()

    async def ask() -> list[list]:
        return [(await cypher_query(graph.server, CypherQueryRequest(example.cypher))).rows for example in examples]

    rows = asyncio.run(ask())
    assert all(rows)
    assert [list(row.values()) for row in rows[2]] == [["Lucía Ortega", 3]], "who has the most open ones"
    assert {row["modelo"] for row in rows[3]} == {"Aurora 3G", "Brío 2G", "M64 OD", "Mistral 1G"}, "E09 was in July and September"
    assert sorted(row["codigo"] for row in rows[4]) == ["INC-2607-01", "INC-2608-05", "INC-2609-07"]


@pytest.mark.parametrize(("language", "file"), [("docs", "body.json"), ("docs/es", "cuerpo.json")])
def test_the_call_by_api_gives_a_picture(language: str, file: str, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    from lfx.graph import Graph as Flow
    from lfx.processing.process import process_tweaks, run_graph

    server = graph.server
    for name, value in (("URI", server.uri), ("USERNAME", server.username), ("PASSWORD", server.password)):
        monkeypatch.setenv(f"NEO4J_{name}", value)
    graph.load()
    tweaks = json.loads(Page(ROOT / language / "connect.md").files[file])["tweaks"]
    saved = json.loads((ROOT / "flows" / "guardar_registros.json").read_text(encoding="utf-8"))

    async def call(changed: dict) -> str:
        flow = Flow.from_payload(process_tweaks(saved, changed)["data"], flow_id=saved["id"])
        return str(await run_graph(flow, "", "chat", "chat"))

    assert "40 nodes, 72 relationships" in asyncio.run(call({})), "what the flow says as it is"
    assert "```mermaid" in asyncio.run(call(tweaks))
