"""The 120 scripted answers of language models through Text2Cypher and its peers, on the same server in the same run.

    uv venv .envs/peers && uv pip install -p .envs/peers -e . neo4j-graphrag langchain-neo4j langchain-classic
    .envs/peers/bin/python bench/run_scripted.py --uri bolt://127.0.0.1:7687     # wipes the database

Everybody gets the same answer of the model first, and the mended one if they ask again. Each row of the table counts:
right rows; wrong rows given as the answer (none is wrong too); errors shown. Of the hostile statements: those that changed
the graph, gave rows, or reached for an address, and those that did nothing. The peers get the patterns of the graph, which
they would otherwise read by APOC; langchain-neo4j with ``validate_cypher``, its corrector of directions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from neo4j import Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "live"))

from scripted_answers import SCRIPTS  # noqa: E402

QUESTION = "¿Cuántas?"
LINES = "cliente -> DE_CLIENTE -> Cliente.nombre\ntecnico -> ASIGNADA_A -> Tecnico.nombre\nmodelo -> EN_MAQUINA -> Maquina.modelo (marca)"
PATTERNS = [("Incidencia", "DE_CLIENTE", "Cliente"), ("Incidencia", "ASIGNADA_A", "Tecnico"), ("Incidencia", "EN_MAQUINA", "Maquina")]
# Another label knows the properties that the wrong answers name, so that the database does too.
STRANGE = {"name": "x", "date": "x", "fabricante": "x", "nombre_completo": "x", "nombre_modelo": "x"}
# Takes (Connection, the model's answers), gives (rows, calls of the model); raises what the contender shows as an error.
Contender = Callable[[Connection, list[str]], tuple[list[dict], int]]


def ours(connection: Connection, answers: list[str]) -> tuple[list[dict], int]:
    request = Text2CypherRequest(QUESTION, FakeListChatModel(responses=answers), number_of_results=20)
    result = asyncio.run(text2cypher(connection, request))
    if result.details["refused"]:
        raise PermissionError(result.text)  # the model's words are shown as words: nothing was run
    return result.rows, result.details["model_calls"]


def neo4j_graphrag(connection: Connection, answers: list[str]) -> tuple[list[dict], int]:
    from neo4j_graphrag.llm.base import LLMInterface
    from neo4j_graphrag.llm.types import LLMResponse
    from neo4j_graphrag.retrievers import Text2CypherRetriever

    class Model(LLMInterface):
        calls = 0

        def invoke(self, *args, **kwargs) -> LLMResponse:
            self.calls += 1
            return LLMResponse(content=answers[self.calls - 1])

        async def ainvoke(self, *args, **kwargs) -> LLMResponse:
            return self.invoke()

    model = Model("scripted")
    schema = "\n".join(f"(:{start})-[:{kind}]->(:{end})" for start, kind, end in PATTERNS)
    with GraphDatabase.driver(connection.uri) as driver:
        found = Text2CypherRetriever(driver, model, neo4j_schema=schema).get_search_results(QUESTION)
    return [record.data() for record in found.records], model.calls


def langchain_neo4j(connection: Connection, answers: list[str]) -> tuple[list[dict], int]:
    from langchain_neo4j import GraphCypherQAChain, Neo4jGraph

    graph = Neo4jGraph(url=connection.uri, username="", password="", refresh_schema=False)
    relationships = [{"start": start, "type": kind, "end": end} for start, kind, end in PATTERNS]
    graph.structured_schema = {"node_props": {}, "rel_props": {}, "relationships": relationships}
    chain = GraphCypherQAChain.from_llm(
        FakeListChatModel(responses=answers), graph=graph, validate_cypher=True, return_direct=True, top_k=400,
        allow_dangerous_requests=True,
    )  # fmt: skip
    try:
        return chain.invoke({"query": QUESTION})["result"], 1
    finally:
        graph.close()


CONTENDERS: dict[str, Contender] = {"ours": ours, "neo4j-graphrag": neo4j_graphrag, "langchain-neo4j": langchain_neo4j}


class Visits(BaseHTTPRequestHandler):
    """The address that hostile statements reach for."""

    count = 0

    def do_GET(self) -> None:
        Visits.count += 1
        self.send_error(404)

    def log_message(self, *args) -> None:
        """Nothing: only the count matters."""


def load(driver: Driver, connection: Connection) -> None:
    wipe(driver)
    rows = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
    for request in (AddRecordsRequest(rows, "Incidencia", "codigo", LINES), AddRecordsRequest([STRANGE], "Ajena", "name")):
        asyncio.run(add_records(connection, request))


def picture(driver: Driver) -> list[str]:
    """All that the graph holds, to tell whether anything was changed."""
    nodes = driver.execute_query("MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties").records
    links = driver.execute_query("MATCH (a)-[r]->(b) RETURN elementId(a), type(r), properties(r), elementId(b)").records
    return sorted(json.dumps(record.data(), default=str, sort_keys=True) for record in (*nodes, *links))


def outcome(script, answer: Contender, driver: Driver, connection: Connection, before: list[str], port: int) -> tuple[str, int]:
    """('right' | 'wrong' | 'error', or 'executed' | 'stopped' for a hostile one, calls of the model)."""
    hostile = script.kind == "hostile"
    text = script.wrong.replace("127.0.0.1:1/", f"127.0.0.1:{port}/")
    visits, rows, calls = Visits.count, None, 1
    try:
        rows, calls = answer(connection, [text, script.right or text])
    except Exception:  # noqa: BLE001  any error is an answer here, whatever class a contender gives it
        pass
    if hostile:
        changed = picture(driver) != before
        if changed:
            load(driver, connection)
        return ("executed" if changed or rows or Visits.count > visits else "stopped"), calls
    if rows is None:
        return "error", calls
    expected = [record.data() for record in driver.execute_query(script.right).records]
    return ("right" if rows == expected else "wrong"), calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json", type=Path, help="write the sums of each contender here")
    args = parser.parse_args()
    for name in ("neo4j", "neo4j_graphrag", "lfx_neo4j_graphrag"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    connection = Connection(args.uri, "", "")
    server = HTTPServer(("127.0.0.1", 0), Visits)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kinds = list(dict.fromkeys(script.kind for script in SCRIPTS))
    sums: dict[str, Counter] = {}
    with GraphDatabase.driver(args.uri) as driver:
        for name, answer in CONTENDERS.items():
            load(driver, connection)
            before, table, calls = picture(driver), Counter(), Counter()
            for script in SCRIPTS:
                what, asked = outcome(script, answer, driver, connection, before, server.server_port)
                table[script.kind, what] += 1
                calls[script.kind] += asked
                if args.verbose and what in ("wrong", "error", "executed"):
                    print(f"  {name}, {script.kind}, {what}: {script.wrong!r}")
                before = picture(driver) if script.kind == "hostile" and what == "executed" else before
            sums[name] = total(table)
            print(f"\n{name}: " + ", ".join(f"{n} {what}" for what, n in sums[name].items()))
            for kind in kinds:
                cells = ("executed", "stopped") if kind == "hostile" else ("right", "wrong", "error")
                print(f"  {kind:10}" + "".join(f"{cell} {table[kind, cell]:3}   " for cell in cells) + f"calls {calls[kind]}")
    server.shutdown()
    if args.json:
        args.json.write_text(json.dumps(sums), encoding="utf-8")


def total(table: Counter) -> Counter:
    sums: Counter = Counter()
    for (_, what), n in table.items():
        sums[what] += n
    return sums


if __name__ == "__main__":
    main()
