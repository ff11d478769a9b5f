"""The command against a real server, as a user types it: round trips, refusals, and every way to mistype a connection."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.reading import fetch

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = [
    *("add-records", str(ROOT / "assets" / "incidencias.json"), "--label", "Incidencia", "--key", "codigo"),
    *("--relationship", "cliente -> DE_CLIENTE -> Cliente.nombre"),
    *("--relationship", "tecnico -> ASIGNADA_A -> Tecnico.nombre"),
    *("--relationship", "modelo -> EN_MAQUINA -> Maquina.modelo (marca)"),
]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(connection: Connection) -> Run:
    """Run the command with the test server in its environment."""
    login = {"NEO4J_URI": connection.uri, "NEO4J_USERNAME": connection.username, "NEO4J_PASSWORD": connection.password}

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from lfx_neo4j_graphrag.cli import main; main()", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | login | environment, timeout=300)

    return run


def refused(answer: subprocess.CompletedProcess[str], *said: str) -> None:
    """Status 1, nothing on stdout, one line on stderr that says what and what to do, and no trace of the machinery."""
    assert answer.returncode == 1, answer
    assert answer.stdout == ""
    assert len(answer.stderr.strip().splitlines()) == 1, answer.stderr
    for text in said:
        assert text in answer.stderr
    for text in ("Traceback", "Exception", "org.neo4j", "neo4j.exceptions", "Neo.ClientError"):
        assert text not in answer.stderr


async def test_a_file_in_a_question_out_and_a_second_load_changes_nothing(run: Run, connection: Connection) -> None:
    first = run(*EXAMPLE, "--fulltext-analyzer", "spanish")
    assert first.returncode == 0, first.stderr
    assert "40 nodes and 72 relationships created, 0 deleted" in first.stdout
    assert "24/24" in first.stderr, "the progress bar"
    assert "0 nodes and 0 relationships created, 0 deleted" in run(*EXAMPLE).stdout

    cypher = "MATCH (i:Incidencia {estado: 'abierta'})-[:ASIGNADA_A]->(:Tecnico {nombre: $quien}) RETURN i.codigo AS codigo ORDER BY codigo"
    asked = run("query", cypher, "--param", "quien=Lucía Ortega", "--format", "json")
    assert json.loads(asked.stdout) == {"rows": [{"codigo": c} for c in ("INC-2608-06", "INC-2609-02", "INC-2609-05")]}
    assert run("query", cypher, "--param", "quien=Ana Ruiz", "--format", "json").stdout.split() == ['{"rows":', "[]}"]

    for form, sign in {"text": "Incidencia (24)", "mermaid": "Incidencia", "table": "|", "json": '"Incidencia"'}.items():
        schema = run("schema", "--format", form)
        assert schema.returncode == 0 and sign in schema.stdout, (form, schema)
        if form == "json":
            json.loads(schema.stdout)


async def test_a_dry_run_writes_nothing(run: Run, connection: Connection) -> None:
    answer = run(*EXAMPLE, "--dry-run")
    assert answer.returncode == 0 and "40" in answer.stdout
    assert await fetch(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    assert await fetch(connection, "SHOW CONSTRAINTS YIELD name RETURN name") == []


async def test_local_embeddings_make_vectors_of_384(run: Run, connection: Connection, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("codigo;text\nA-1;gotea el grupo\nA-2;no calienta\n", encoding="utf-8")
    answer = run("add-records", str(tmp_path / "a.csv"), "--label", "Aviso", "--key", "codigo", "--local-embedding")
    assert answer.returncode == 0, answer.stderr
    rows = await fetch(connection, "MATCH (a:Aviso) RETURN a.codigo AS codigo, size(a.embedding) AS size ORDER BY codigo")
    assert rows == [{"codigo": "A-1", "size": 384}, {"codigo": "A-2", "size": 384}]
    doctor = run("doctor")
    assert doctor.returncode == 0 and "aviso_vector (vector, 384 dimensions)" in doctor.stdout, doctor


async def test_a_write_query_from_a_file(run: Run, connection: Connection, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "n": 2}\n{"id": 2, "n": 3}\n')
    (tmp_path / "w.cypher").write_text("UNWIND $rows AS row MERGE (t:Total {id: row.id}) SET t.double = 2 * row.n")
    answer = run("add-records", str(tmp_path / "rows.jsonl"), "--label", "Total", "--key", "id", "--write-query", f"@{tmp_path}/w.cypher")
    assert answer.returncode == 0, answer.stderr
    assert await fetch(connection, "MATCH (t:Total) RETURN t.id AS id, t.double AS d ORDER BY id") == [{"id": 1, "d": 4}, {"id": 2, "d": 6}]


async def test_what_is_refused_is_one_sentence(run: Run, connection: Connection, tmp_path: Path) -> None:
    refused(run("query", "CREATE (n:Pwned)"), "CREATE")
    refused(run("query", "RETURN $a + $b", "--param", "a=1"), "$b")
    refused(run("query", "MATCH (n RETURN n", "--query-timeout", "60"), "not valid Cypher")
    refused(run(*EXAMPLE[:4], "--key", "nope"), "nope", "codigo")
    refused(run(*EXAMPLE, "--relationship", "cliente => X"), "cliente => X")
    assert await fetch(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"NEO4J_PASSWORD": "not-the-secret"}, "refused the user name or the password"),
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, "No Neo4j answers at 127.0.0.1:1"),
        ({"NEO4J_URI": "bolt://no-such-host.test:7687"}, "No Neo4j answers at no-such-host.test"),
        ({"NEO4J_URI": "http://localhost:7474"}, "not a Neo4j address"),
        ({"NEO4J_URI": "bolt+s://{place}"}, "does not speak what bolt+s:// expects"),
        ({"NEO4J_DATABASE": "nowhere"}, "no database 'nowhere'"),
    ],
)
def test_a_wrong_connection_is_named_and_keeps_its_secret(run: Run, connection: Connection, change: dict[str, str], said: str) -> None:
    place = connection.uri.partition("://")[2]
    environment = {name: value.format(place=place) for name, value in change.items()}
    answer = run("query", "RETURN 1", **environment)
    refused(answer, said)
    doctor = run("doctor", **environment)
    assert doctor.returncode == 1 and said in doctor.stdout and "1 thing is wrong." in doctor.stderr
    for text in (answer.stderr, doctor.stdout, doctor.stderr):
        assert connection.password not in text and "not-the-secret" not in text


def test_up_is_found_by_every_command_and_down_ends_it(tmp_path: Path, run: Run) -> None:
    home = {"NEO4J_GRAPHRAG_HOME": str(tmp_path / "home"), "NEO4J_URI": "", "NEO4J_PASSWORD": ""}
    try:
        up = run("up", **home)
        assert up.returncode == 0 and "runs at bolt://127.0.0.1:" in up.stdout, up
        password = json.loads((tmp_path / "home" / "server.json").read_text())["password"]
        assert "runs already" in run("up", **home).stdout
        doctor = run("doctor", **home)
        assert doctor.returncode == 0 and "(the embedded Neo4j)" in doctor.stdout, doctor
        query = run("query", "RETURN 1 AS one", "--format", "json", **home)
        assert json.loads(query.stdout) == {"rows": [{"one": 1}]}
        assert password not in up.stdout + up.stderr + doctor.stdout + query.stderr

        unsure = run("down", "--delete-data", **home)  # no terminal to answer the question
        assert unsure.returncode == 1 and "for ever?" in unsure.stdout + unsure.stderr
        assert run("query", "RETURN 1", **home).returncode == 0, "nothing was stopped"
        assert "is stopped" in run("down", **home).stdout
        assert "was not running" in run("down", **home).stdout
        assert "not running" in run("doctor", **home).stdout
        assert "deleted" in run("down", "--delete-data", "--yes", **home).stdout
    finally:
        run("down", "--delete-data", "--yes", **home)
    assert not (tmp_path / "home" / "server.json").exists()
