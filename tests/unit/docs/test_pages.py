"""The documentation against the source: sentences, fields, options and links cannot drift apart."""

from __future__ import annotations

import ast
import json
import re
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
import typer

from lfx_neo4j_graphrag.cli import GROUPS
from lfx_neo4j_graphrag.cli.common import new_app
from lfx_neo4j_graphrag.node.catalogue import OPERATIONS
from lfx_neo4j_graphrag.node.spanish import FIELDS as SPANISH

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "lfx_neo4j_graphrag"
NODE = ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py"
ENGLISH_PAGES = {path.stem: path for path in (ROOT / "docs").glob("*.md")}
SPANISH_PAGES = {path.stem: path for path in (ROOT / "docs" / "es").glob("*.md")}
PAGES = [ROOT / "README.md", ROOT / "README.es.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += [*ENGLISH_PAGES.values(), *SPANISH_PAGES.values()]
ONLY_ENGLISH = {"architecture", "benchmarks", "measurements", "techniques"}
ids = {"ids": lambda value: str(value.relative_to(ROOT)) if isinstance(value, Path) else str(value)}


def page_of(operation: str) -> str:
    return operation.lower().replace(" + ", "-").replace(" ", "-")


def titles() -> dict[str, str]:
    """Field -> title, as the node's file has them."""
    found = {}
    for call in (node for node in ast.walk(ast.parse(NODE.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)):
        named = {word.arg: word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)}
        plain = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
        if "name" in named and "display_name" in named:
            found[named["name"]] = named["display_name"]
        elif getattr(call.func, "id", "") in ("_line", "_text"):
            found[plain[0]] = plain[1]
    return found


def test_every_page_is_there_in_both_languages_and_linked_from_the_readme():
    assert set(ENGLISH_PAGES) - ONLY_ENGLISH == set(SPANISH_PAGES)
    for readme, pages in (("README.md", ENGLISH_PAGES), ("README.es.md", SPANISH_PAGES)):
        text = (ROOT / readme).read_text(encoding="utf-8")
        assert [page for page in pages.values() if f"({page.relative_to(ROOT).as_posix()}" not in text] == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_page_per_operation_names_each_of_its_fields(operation):
    title = titles()
    for pages, translated in ((ENGLISH_PAGES, False), (SPANISH_PAGES, True)):
        text = pages[page_of(operation)].read_text(encoding="utf-8")
        for field in OPERATIONS[operation].fields:
            row = f"| **{title[field]}**"
            if translated and SPANISH[field][0] != title[field]:
                row += f" ({SPANISH[field][0]})"
            assert f"\n{row} |" in text, (pages[page_of(operation)], row)


# ------------------------------------------------------------------------------------------------------- sentences


def said_in_source() -> list[str]:
    """Every text of the source; what is filled in is a ``…``."""
    texts = []
    for path in [NODE, *SOURCE.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(re.sub(r"\{\w+\}", "…", node.value))
    return texts


def error_rows() -> list[tuple[Path, str]]:
    rows = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for table in re.findall(r"^\| (?:You see|Ves) \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", text, re.M):
            rows += [(path, re.split(r"(?<!\\)\|", line)[1].strip()) for line in table.splitlines()]
    return rows


def test_what_a_reader_sees_is_what_the_source_says():
    said, rows = said_in_source(), error_rows()
    assert len(rows) > 100
    unknown = []
    for path, sentence in rows:
        pieces = [piece.strip() for piece in sentence.split("…")]
        wanted = re.compile(".*".join(map(re.escape, pieces)), re.S)
        assert max(map(len, pieces)) > 8, sentence
        if not any(wanted.search(text) for text in said):
            unknown.append((path.name, sentence))
    assert unknown == []


# ------------------------------------------------------------------------------------------- options, variables, links


def options() -> set[str]:
    app = new_app()
    for group in GROUPS:
        import_module(f"lfx_neo4j_graphrag.cli.{group}").register(app)
    commands = typer.main.get_command(app).commands.values()
    own = [option for command in commands for option in command.params]
    return {name for option in own for name in (*option.opts, *option.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("path", PAGES, **ids)
def test_options_and_variables_exist(path):
    text = path.read_text(encoding="utf-8")
    known = options()
    shown = "\n".join(re.findall(r"^```(?:console|sh)?\n(.*?)^```", text, re.M | re.S) + re.findall(r"`([^`\n]+)`", text))
    ours = [line for line in re.sub(r"\\\n", " ", shown).splitlines() if "neo4j-graphrag" in line or line.startswith("--")]
    named = {option for line in ours for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", line.partition(" #")[0])}
    assert named - known - {"--from", "--neo4j"} == set()  # of uvx and of our pytest
    source = "\n".join(file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py"))
    source += (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    for variable in set(re.findall(r"\b(?:NEO4J|MCP)_[A-Z_]*[A-Z]\b", text)):
        assert variable in source or variable.startswith("NEO4J_TEST_"), variable


@pytest.mark.parametrize("path", PAGES, **ids)
def test_links_lead_somewhere_and_no_place_of_a_machine_is_named(path):
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if link.startswith("http"):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        if anchor:
            heads = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, link
    machine = [re.escape(str(place)) for place in (ROOT, Path.home(), tempfile.gettempdir()) if len(str(place)) > 1]
    for place in (*machine, r"pypi\.org", r"files\.pythonhosted", r"repo1?\.maven"):
        assert not re.search(rf"{place}\b", text), place


def test_a_variable_applied_to_the_titles_fills_every_node_of_a_flow_run_by_api():
    from langflow.api.v1.global_variable_defaults import apply_unavailable_fields_to_graph

    rows = re.findall(r"^\| `(NEO4J_\w+)` \| (\w+) \| ([^|]+) \|$", ENGLISH_PAGES["connect"].read_text(encoding="utf-8"), re.M)
    assert [(name, kind) for name, kind, _ in rows if kind == "Credential"] == [("NEO4J_PASSWORD", "Credential")]
    fields = {title.strip(): name for name, _, title in rows}
    assert set(fields) == {titles()[name] for name in ("uri", "username", "password", "database")}
    graph = json.loads((ROOT / "flows" / "guardar_registros.json").read_text(encoding="utf-8"))["data"]
    filled = apply_unavailable_fields_to_graph(graph, fields)
    ours = [node["data"]["node"]["template"] for node in filled["nodes"] if node["data"]["type"] == "Neo4jGraphRAG"]
    assert len(ours) == 2
    for template in ours:
        assert {template[name]["value"] for name in ("uri", "username", "password", "database")} == {name for name, *_ in rows}
        assert all(template[name]["load_from_db"] for name in ("uri", "username", "password", "database"))


@pytest.mark.parametrize("pages", [ENGLISH_PAGES, SPANISH_PAGES], ids=["english", "spanish"])
def test_the_page_on_agents_shows_the_tools_and_instructions_of_the_flow(pages):
    text = pages["agents"].read_text(encoding="utf-8")
    nodes = json.loads((ROOT / "flows" / "agente.json").read_text(encoding="utf-8"))["data"]["nodes"]
    templates = {node["id"]: node["data"]["node"]["template"] for node in nodes if node["type"] != "noteNode"}
    ours = [template for template in templates.values() if "tools_metadata" in template and "cypher" in template]
    assert len(ours) == 5
    for template in ours:
        (tool,) = template["tools_metadata"]["value"]
        assert f"\n| {template['operation']['value']} | `{tool['name']}` | {tool['description']} |\n" in text
    assert templates["Agent-agente"]["system_prompt"]["value"].strip() in text


def test_both_languages_run_the_same_commands():
    for name, page in SPANISH_PAGES.items():
        texts = [path.read_text(encoding="utf-8") for path in (ENGLISH_PAGES[name], page)]
        assert len({len(re.findall(r"^\$ ", text, re.M)) for text in texts}) == 1, name
