"""Build Graph against a model that takes half a second a call: time beside the ideal, and what faulty answers cost.

    python bench/run_build.py --uri bolt://127.0.0.1:7687 --wipe [--documents 60] [--seconds 0.5] [--concurrency 4]
    python bench/run_build.py … --peer     # neo4j-graphrag's SimpleKGPipeline beside it (needs it here, and APOC in the server)

Both read the same documents and get the same canned answers, in the form that neo4j-graphrag asks for; ``short`` is the
form that Build Graph asks for. Faults: every tenth call is refused once with 429 (Retry-After 0.2 s), every tenth answer is
broken in one of six ways, five of which hold usable entities. It wipes the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import tempfile
import time
from typing import Any

from neo4j import GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph

CLIENTS = [
    f"Bar {name}"
    for name in ("Alondra", "Bosque", "Cantil", "Duende", "Estrella", "Fuente", "Galeón", "Hiedra", "Isla", "Jarana")
]
MACHINES = ["Lince 1G", "Nube 2G", "Ola 2G", "Pino 3G", "Risco OD"]
FIELDS = {
    "allowed_patterns": "(Aviso)-[:DE_CLIENTE]->(Cliente)\n(Aviso)-[:EN_MAQUINA]->(Maquina)",
    # "name" is the only property by which neo4j-graphrag's resolver knows an entity again.
    "node_types": "Aviso(name, prioridad: alta | media | baja), Cliente(name), Maquina(name)",
}
FILLER = "El técnico anotó la hora de llegada, midió la presión y dejó la máquina probada con tres cafés. " * 6


def facts(number: int) -> dict[str, str]:
    """What document ``number`` states."""
    return {
        "codigo": f"AV-{number:03d}",
        "prioridad": ("alta", "media", "baja")[number % 3],
        "cliente": CLIENTS[number % len(CLIENTS)],
        "modelo": MACHINES[number % len(MACHINES)],
    }


def text(number: int) -> str:
    f = facts(number)
    said = f"El aviso {f['codigo']}, de prioridad {f['prioridad']}, llegó de {f['cliente']} por su {f['modelo']}."
    return f"Documento {number:03d}. {said} {FILLER}"


def usual(number: int) -> dict[str, Any]:
    f = facts(number)
    nodes = [
        ("Aviso", {"name": f["codigo"], "prioridad": f["prioridad"]}),
        ("Cliente", {"name": f["cliente"]}),
        ("Maquina", {"name": f["modelo"]}),
    ]
    return {
        "nodes": [{"id": str(i), "label": label, "properties": p} for i, (label, p) in enumerate(nodes)],
        "relationships": [
            {"type": kind, "start_node_id": "0", "end_node_id": end, "properties": {}}
            for kind, end in (("DE_CLIENTE", "1"), ("EN_MAQUINA", "2"))
        ],
    }


def short(number: int) -> dict[str, Any]:
    f = facts(number)
    return {"Aviso": [{"name": f["codigo"], "prioridad": f["prioridad"], "DE_CLIENTE": f["cliente"], "EN_MAQUINA": f["modelo"]}]}


def broken(number: int) -> str:
    """One of six: cut off inside the last link, fenced with prose, a list, numbers as ids, a node without label, a refusal."""
    answer, kind = usual(number), number // 10 % 6
    whole = json.dumps(answer, ensure_ascii=False)
    if kind == 0:
        return whole[: whole.rindex('"end_node_id"')]
    if kind == 1:
        return f"Claro, esto es lo que he encontrado:\n```json\n{whole}\n```\nDime si falta algo."
    if kind == 2:
        return f"[{whole}]"
    if kind == 3:
        return re.sub(r'"(\d)"', r"\1", whole)
    if kind == 4:
        del answer["nodes"][2]["label"]
        return json.dumps(answer, ensure_ascii=False)
    return "Lo siento, con este texto no puedo ayudar."


class SlowModel:
    """A chat model of ``seconds`` a call; ``limited``: every tenth is refused once; ``form`` makes the answer to a document."""

    def __init__(self, seconds: float, form: Any, *, limited: bool = False) -> None:
        self.seconds, self.form, self.limited, self.model_name = seconds, form, limited, "slow"
        self.calls = self.running = self.most = 0
        self.refused: set[int] = set()

    async def content(self, prompt: str) -> str:
        number = int(re.findall(r"Documento (\d{3})\.", prompt)[-1])
        self.calls += 1
        if self.limited and number % 10 == 5 and number not in self.refused:
            self.refused.add(number)
            error = RuntimeError("Error code: 429")
            error.status_code, error.retry_after = 429, 0.2  # type: ignore[attr-defined]
            raise error
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(self.seconds)
        self.running -= 1
        answer = self.form(number)
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        return AIMessage(await self.content(messages[-1].content))


def some_broken(number: int) -> Any:
    return broken(number) if number % 10 == 0 else usual(number)


def expected(count: int, lost: set[int]) -> dict[str, int]:
    """What the readable parts of the answers state: the cut answer lacks a link, the unlabelled node is lost with its link."""
    kinds = {n: n // 10 % 6 for n in range(0, count, 10)}
    read = [n for n in range(count) if n not in lost]
    machines = {facts(n)["modelo"] for n in read if kinds.get(n) != 4}
    links = sum(1 if kinds.get(n) in (0, 4) else 2 for n in read)
    return {"Aviso": len(read), "Cliente": len({facts(n)["cliente"] for n in read}), "Maquina": len(machines), "links": links}


async def state(connection: Connection) -> dict[str, int]:
    async with driver_for(connection) as driver:
        found = {}
        for label in ("Aviso", "Cliente", "Maquina"):
            found[label] = (await driver.execute_query(f"MATCH (n:{label}) RETURN count(n) AS n")).records[0]["n"]
        links = await driver.execute_query("MATCH (:Aviso)-[r:DE_CLIENTE|EN_MAQUINA]->() RETURN count(r) AS n")
        return found | {"links": links.records[0]["n"]}


async def ours(
    connection: Connection, count: int, seconds: float, concurrency: int, form: Any, limited: bool = False, cache: bool = False
) -> dict[str, Any]:
    model = SlowModel(seconds, form, limited=limited)
    documents = [{"text": text(n), "filename": f"aviso_{n:03d}.md"} for n in range(count)]
    started = time.perf_counter()
    result = await build_graph(
        connection, BuildGraphRequest(documents, model, **FIELDS, concurrency=concurrency, use_cache=cache)
    )
    report = result.details["report"]
    return {
        "seconds": time.perf_counter() - started,
        "extraction": report["extraction_seconds"],
        "calls": model.calls,
        "most": model.most,
        "failed": len(report["failed_documents"]),
        "state": await state(connection),
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="neo4j")
    parser.add_argument("--password", default="")
    parser.add_argument("--wipe", action="store_true", required=True, help="everything in the database is deleted")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--peer", action="store_true")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    connection = Connection(arguments.uri, arguments.username, arguments.password)
    driver = GraphDatabase.driver(arguments.uri, auth=(arguments.username, arguments.password))
    count, seconds, concurrency = arguments.documents, arguments.seconds, arguments.concurrency
    ideal = count * seconds / concurrency
    refused = {n for n in range(0, count, 10) if n // 10 % 6 == 5}
    print(f"{count} documents, {seconds} s a call, {concurrency} at once: ideal {ideal:.2f} s")
    print("| run | whole run | of ideal | extraction | of ideal | calls | at once | failed | graph | expected |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as home:
        os.environ["NEO4J_GRAPHRAG_HOME"] = home
        await ours(connection, 2, 0.0, concurrency, usual)  # the driver is imported, the server has met the statements
        runs = [
            ("ours, short form", True, short, False, False, set()),
            ("ours, usual form", True, usual, False, True, set()),
            ("ours, second run", False, usual, False, True, set()),
            ("ours, 10 % 429 and 10 % broken", True, some_broken, True, False, refused),
        ]
        for name, fresh, form, limited, cache, lost in runs:
            if fresh:
                wipe(driver)
            outcome = await ours(connection, count, seconds, concurrency, form, limited, cache)
            print(
                row(
                    name,
                    outcome,
                    ideal,
                    expected(count, lost) if form is some_broken else expected(count, set()) | {"links": 2 * count},
                ),
                flush=True,
            )
    if arguments.peer:
        from peer_build import peer  # its library is no dependency of this project

        for name, form, lost in (("neo4j-graphrag", usual, set()), ("neo4j-graphrag, 10 % broken", some_broken, refused)):
            wipe(driver)
            outcome = await peer(connection, [text(n) for n in range(count)], SlowModel(seconds, form)) | {
                "state": await state(connection)
            }
            wanted = expected(count, lost) if form is some_broken else expected(count, set()) | {"links": 2 * count}
            print(row(name, outcome, count * seconds / 5, wanted), flush=True)


def row(name: str, outcome: dict[str, Any], ideal: float, wanted: dict[str, int]) -> str:
    extraction = outcome["extraction"]
    shares = f"{outcome['seconds']:.2f} s | {outcome['seconds'] / ideal:.2f}"
    shares += f" | {extraction:.2f} s | {extraction / ideal:.2f}" if extraction is not None else " | | "
    return f"| {name} | {shares} | {outcome['calls']} | {outcome['most']} | {outcome['failed']} | {outcome['state']} | {wanted} |"


if __name__ == "__main__":
    asyncio.run(main())
