"""The command line without a server: what is wrong is one sentence, and nothing leaks."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from lfx_neo4j_graphrag import __version__
from lfx_neo4j_graphrag.cli import common
from lfx_neo4j_graphrag.errors import EmbeddingProblem, ExtraMissing, GraphRAGError, InputError, QueryRefused
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings

COMMAND = [sys.executable, "-c", "from lfx_neo4j_graphrag.cli import main; main()"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=os.environ | environment, check=False)


def app_with(function: object, name: str = "it") -> typer.Typer:
    app = common.new_app()
    common.command(app, name)(function)  # type: ignore[arg-type]
    common.command(app, "other")(lambda: None)  # typer runs a lone command without its name
    return app


def failing(error: BaseException) -> typer.Typer:
    async def it() -> None:
        raise error

    return app_with(it)


def test_an_error_of_ours_is_its_sentence_on_stderr_and_status_1() -> None:
    answer = CliRunner().invoke(failing(QueryRefused("It would write.", "Ask with MATCH.")), ["it"])
    assert (answer.exit_code, answer.stdout, answer.stderr) == (1, "", "It would write. Ask with MATCH.\n")


def test_a_surprise_is_a_sentence_without_its_text_and_debug_shows_the_trace() -> None:
    app = failing(KeyError("hunter2"))
    quiet, loud = CliRunner().invoke(app, ["it"]), CliRunner().invoke(app, ["it", "--debug"])
    assert quiet.exit_code == loud.exit_code == 1
    assert quiet.stderr == "Something unexpected went wrong (KeyError). Run it again with --debug to see where.\n"
    assert "Traceback" in loud.stderr and "test_common.py" in loud.stderr


def test_ctrl_c_is_silent() -> None:
    answer = CliRunner().invoke(failing(KeyboardInterrupt()), ["it"])
    assert (answer.exit_code, answer.output) == (130, "")


def test_a_command_gets_its_options_and_connects_only_when_it_asks() -> None:
    seen = []

    async def it(connect: common.Connect, text: Annotated[str, typer.Argument()], times: int = 1) -> None:
        seen.append((text, times))
        if times > 1:
            seen.append(connect())

    app = app_with(it)
    login = ["--uri", "bolt://localhost:1", "--username", "me", "--password", "secret"]
    assert CliRunner().invoke(app, ["it", "hello", *login]).exit_code == 0
    assert CliRunner().invoke(app, ["it", "hello", "--times", "2", *login]).exit_code == 0
    assert seen[:2] == [("hello", 1), ("hello", 2)]
    assert (seen[2].uri, seen[2].username, seen[2].password) == ("bolt://localhost:1", "me", "secret")


def test_the_environment_is_used_and_a_given_uri_gets_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"URI": "bolt://localhost:2", "USER": "them", "PASSWORD": "theirs"}.items():
        monkeypatch.setenv(f"NEO4J_{name}", value)
    found = common.find_connection()
    assert (found.uri, found.username, found.password) == ("bolt://localhost:2", "them", "theirs")
    assert common.find_connection("bolt://localhost:3").password == ""


def test_nothing_configured_and_nothing_to_start_names_both_remedies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path))

    def no_java(*, progress: object) -> None:
        raise ExtraMissing("The embedded Neo4j", "local")

    monkeypatch.setattr("lfx_neo4j_graphrag.local.server.start", no_java)
    with pytest.raises(InputError) as caught:
        common.find_connection()
    assert "[local]" in str(caught.value) and "NEO4J_URI" in str(caught.value)
    with pytest.raises(InputError, match="not running.*neo4j-graphrag up"):
        common.find_connection(start=False)


@pytest.mark.parametrize("given", ["cliente", "=Bar", ""])
def test_a_parameter_without_name_or_value_is_named(given: str) -> None:
    with pytest.raises(InputError, match="--param name=value"):
        common.pairs([given], "--param")


def test_a_parameter_may_hold_anything() -> None:
    assert common.pairs(["a=1", "b = x=y", "c="], "--param") == {"a": "1", "b": " x=y", "c": ""}


def test_text_comes_from_a_file_when_it_begins_with_at(tmp_path: Path) -> None:
    (tmp_path / "q.cypher").write_text("RETURN 'ñ'", encoding="utf-8")
    assert common.text_or_file("RETURN 1") == "RETURN 1"
    assert common.text_or_file(f"@{tmp_path}/q.cypher") == "RETURN 'ñ'"
    with pytest.raises(InputError, match="cannot be read"):
        common.text_or_file("@nowhere.cypher")


def test_embedding_models_by_name() -> None:
    assert common.embedding_model("") is None
    assert isinstance(common.embedding_model("local"), LocalEmbeddings)
    for wrong in ("text-embedding-3-small", "nonsense:model"):
        with pytest.raises((InputError, ExtraMissing, EmbeddingProblem)):
            common.embedding_model(wrong)


def test_the_bar_counts_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with common.progress_bar("Downloading") as progress:
        for done in range(4):
            progress(done, 3, "Neo4j")
    captured = capsys.readouterr()
    assert captured.out == "" and "Downloading Neo4j" in captured.err and "3/3" in captured.err


def test_a_bar_that_never_moved_draws_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GraphRAGError), common.progress_bar():
        raise GraphRAGError("No.")
    assert capsys.readouterr().err == ""


def test_help_needs_neither_driver_nor_pandas_nor_a_model() -> None:
    code = (
        "import sys\nfrom lfx_neo4j_graphrag.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([m for m in ('neo4j', 'pandas', 'numpy', 'langchain_core', 'tiktoken', 'mcp', 'lfx', 'jgo') if m in sys.modules], file=sys.stderr)"
    )
    answer = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False)
    assert answer.stderr.strip() == "[]"
    for name in ("demo", "up", "down", "doctor", "add-records", "query", "schema"):
        assert name in answer.stdout


def test_a_wrong_option_is_status_2_and_no_trace() -> None:
    answer = run("query", "--nope")
    assert answer.returncode == 2 and "No such option" in answer.stderr and "Traceback" not in answer.stderr


def test_what_is_wrong_with_the_arguments_is_said_before_connecting(tmp_path: Path) -> None:
    nowhere = {"NEO4J_URI": "bolt://127.0.0.1:1"}
    (tmp_path / "rows.json").write_text(json.dumps([{"a": 1}]))
    assert "There is no file" in run("add-records", "gone.json", "--label", "A", "--key", "a", **nowhere).stderr
    assert "--param name=value" in run("query", "RETURN $a", "--param", "a", **nowhere).stderr
    assert "is not a Neo4j address" in run("add-records", str(tmp_path / "rows.json"), "--label", "A", "--key", "a", NEO4J_URI="http://x").stderr


def test_a_running_loop_is_closed_with_the_command() -> None:
    loops = []

    async def it() -> None:
        loops.append(asyncio.get_running_loop())

    CliRunner().invoke(app_with(it), ["it"])
    assert loops[0].is_closed()


def test_the_version_needs_no_command() -> None:
    answer = subprocess.run([sys.executable, "-m", "lfx_neo4j_graphrag", "--version"], capture_output=True, text=True, timeout=120)
    assert (answer.returncode, answer.stdout.strip(), answer.stderr) == (0, __version__, "")


def test_the_command_is_named_as_it_can_be_typed_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "neo4j-graphrag").touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(scripts / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path)
    assert common.own_name() == str(Path(".venv/bin/neo4j-graphrag"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert common.own_name() == str(scripts / "neo4j-graphrag")
    monkeypatch.setenv("PATH", str(scripts))
    assert common.own_name() == "neo4j-graphrag"
