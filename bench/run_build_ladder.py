"""The ladder of schemas: what Build Graph makes of the nine documents with ever more fields filled in.

    python bench/run_build_ladder.py --uri bolt://127.0.0.1:7687 --wipe [--rung 5] [--chunks] [--answers FOLDER]
    python bench/run_build_ladder.py --uri … --wipe --endpoint            # a model at OPENAI_BASE_URL (and OPENAI_API_KEY, MODEL)

Answers come from a folder of recordings; a request that has none is written to its ``asked`` and counts as pending, so run it
again after answering until nothing is pending (without a schema the proposal comes first, the documents after it).
What is right is computed from ``assets/incidencias.json``. It wipes the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase
from recorded import RecordedModel
from wiping import wipe

from lfx_neo4j_graphrag.cli.build_graph import documents_of_file
from lfx_neo4j_graphrag.cli.models import chat_model
from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.errors import ModelFailed
from lfx_neo4j_graphrag.extraction.names import fold_key
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph
from lfx_neo4j_graphrag.records.documents import Document

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
PATTERNS = "(Incidencia)-[:DE_CLIENTE]->(Cliente)\n(Incidencia)-[:ASIGNADA_A]->(Tecnico)\n(Incidencia)-[:EN_MAQUINA]->(Maquina)"
OTHERS = "Cliente(nombre), Tecnico(nombre), Maquina(modelo, marca)"
PLAIN = f"Incidencia(codigo, fecha, estado, codigo_error), {OTHERS}"
STATES = f"Incidencia(codigo, fecha, estado: abierta | cerrada, codigo_error), {OTHERS}"
LINES = (
    "El modelo de una Maquina se escribe sin la marca (Brío 2G, Aurora 3G, M64 OD); la marca va en marca.\n"
    "Técnicos y modelos se escriben con su nombre entero; lo que el texto solo nombra a medias se deja fuera."
)
RUNGS: dict[int, tuple[str, dict[str, str]]] = {
    1: ("no schema", {}),
    2: ("patterns", {"allowed_patterns": PATTERNS}),
    3: ("+ properties", {"allowed_patterns": PATTERNS, "node_types": PLAIN}),
    4: ("+ instructions", {"allowed_patterns": PATTERNS, "node_types": PLAIN, "extraction_instructions": LINES}),
    5: ("+ state values", {"allowed_patterns": PATTERNS, "node_types": STATES, "extraction_instructions": LINES}),
}
# Truth: type -> (key column, columns whose values are checked); link type -> (column, type of the end)
KEYS = {"Incidencia": "codigo", "Cliente": "cliente", "Tecnico": "tecnico", "Maquina": "modelo"}
LINKS = {"DE_CLIENTE": "Cliente", "ASIGNADA_A": "Tecnico", "EN_MAQUINA": "Maquina"}


def documents() -> list[Document]:
    """The nine documents as the command reads them: PDFs page by page, Markdown whole."""
    files = [*sorted(ASSETS.glob("informes/*.pdf")), *sorted(ASSETS.glob("base_conocimiento/*.md"))]
    return [document for file in files for document in documents_of_file(file)]


def truth() -> dict[str, Any]:
    rows = json.loads((ASSETS / "incidencias.json").read_text(encoding="utf-8"))
    nodes = {label: {fold_key(row[column]) for row in rows} for label, column in KEYS.items()}
    links = {(fold_key(row["codigo"]), label, fold_key(row[KEYS[label]])) for row in rows for label in LINKS.values()}
    return {"nodes": nodes, "links": links, "rows": {fold_key(row["codigo"]): row for row in rows}}


async def read_graph(connection: Connection) -> tuple[list[dict], list[dict]]:
    async with driver_for(connection) as driver:
        nodes = await driver.execute_query(
            "MATCH (n) WHERE NOT n:Chunk RETURN elementId(n) AS id, labels(n)[0] AS label, properties(n) AS p"
        )
        links = await driver.execute_query(
            "MATCH (a)-[r]->(b) WHERE NOT a:Chunk RETURN elementId(a) AS a, type(r) AS t, elementId(b) AS b"
        )
    return [r.data() for r in nodes.records], [r.data() for r in links.records]


def compare(nodes: list[dict], links: list[dict]) -> dict[str, Any]:
    """Counts of what is right, missing and wrong. A type of the truth is the label that has most of its keys."""
    right = truth()
    by_label: dict[str, list[dict]] = {}
    for node in nodes:
        by_label.setdefault(node["label"], []).append(node)
    keys = {
        node["id"]: {fold_key(v) for k, v in node["p"].items() if isinstance(v, (str, int)) and k not in ("text",)}
        for node in nodes
    }
    label_of = {
        kind: max(
            by_label, key=lambda label: (sum(bool(keys[n["id"]] & wanted) for n in by_label[label]), label == kind), default=kind
        )
        for kind, wanted in right["nodes"].items()
    }
    found: dict[str, dict[str, list[str]]] = {}
    key_of: dict[str, tuple[str, str]] = {}
    result: dict[str, Any] = {"types": len(by_label), "nodes": {}, "others": Counter()}
    for kind, wanted in right["nodes"].items():
        here = found[kind] = {}
        wrong = []
        for node in by_label.get(label_of[kind], []):
            hits = keys[node["id"]] & wanted
            if hits:
                key = min(hits)
                here.setdefault(key, []).append(node["id"])
                key_of[node["id"]] = (kind, key)
            else:
                wrong.append(str(next(iter(node["p"].values()), "?")))
        doubled = sum(len(ids) - 1 for ids in here.values())
        total = len(by_label.get(label_of[kind], []))
        result["nodes"][kind] = {
            "total": total,
            "right": len(here),
            "missing": sorted(wanted - set(here)),
            "wrong": sorted(wrong),
            "doubled": doubled,
        }
    result["others"] = {label: len(own) for label, own in by_label.items() if label not in label_of.values()}
    made = set()
    stray = 0
    for link in links:
        ends = [key_of.get(link["a"]), key_of.get(link["b"])]
        if None in ends:
            stray += 1
            continue
        (a, x), (b, y) = ends if ends[0][0] == "Incidencia" else reversed(ends)
        made.add((x, b, y)) if a == "Incidencia" else None
    result["links"] = {
        "total": len(links),
        "right": len(made & right["links"]),
        "missing": sorted(right["links"] - made),
        "wrong": sorted(made - right["links"]),
        "to others": stray,
    }
    values: Counter[str] = Counter()
    misses = []
    by_id = {node["id"]: node["p"] for node in nodes}
    for key, ids in found["Incidencia"].items():
        row, own = right["rows"][key], {fold_key(v) for node in ids for v in map(str, by_id[node].values())}
        for column in ("estado", "fecha", "codigo_error"):
            if not row[column] or fold_key(row[column]) in own:
                values[column] += 1
            else:
                misses.append(f"{row['codigo']}.{column}")
    result["values"], result["misses"] = dict(values), sorted(misses)
    return result


async def run(connection: Connection, model: Any, rung: int, chunks: bool) -> dict[str, Any]:
    """One rung on an empty database: the report of the run beside what is right of it."""
    wipe(GraphDatabase.driver(connection.uri, auth=(connection.username, connection.password)))
    name, fields = RUNGS[rung]
    request = BuildGraphRequest(
        documents(), model, save_source_chunks=chunks, fulltext_analyzer="spanish", use_cache=False, model_timeout=900, **fields
    )
    result = await build_graph(connection, request)
    report = result.details["report"]
    async with driver_for(connection) as driver:
        stored = (await driver.execute_query("MATCH (c:Chunk) RETURN count(c) AS n")).records[0]["n"]
    pending = sum(failed["reason"].count("Pending") for failed in report["failed_documents"])
    return {"rung": rung, "name": name, "pending": pending, "chunks": stored, "report": report} | compare(
        *await read_graph(connection)
    )


def lines(outcome: dict[str, Any]) -> list[str]:
    """The row of the table, then what is wrong in detail."""
    nodes, links, report = outcome["nodes"], outcome["links"], outcome["report"]
    counts = " ".join(f"{kind} {n['right']}/{n['total']}" for kind, n in nodes.items())
    cells = [
        f"{outcome['rung']} {outcome['name']}",
        f"{outcome['types']} types",
        counts,
        f"links: {links['right']} right, {len(links['wrong'])} wrong, {links['total']} in all",
        str(outcome["values"]),
        f"{report['model_calls']} calls, {report['output_tokens']} tokens out",
        f"{outcome['chunks']} chunks",
        f"{outcome['pending']} pending",
    ]
    found = ["| " + " | ".join(cells) + " |"]
    for kind, n in nodes.items():
        if n["missing"] or n["wrong"] or n["doubled"]:
            found.append(f"    {kind}: missing {n['missing']}, wrong {n['wrong'][:20]}, doubled {n['doubled']}")
    found.append(f"    values missed {outcome['misses'][:20]}; other types {outcome['others']}")
    found.append(f"    links missing {links['missing'][:10]}, wrong {links['wrong'][:10]}")
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="neo4j")
    parser.add_argument("--password", default="")
    parser.add_argument("--wipe", action="store_true", required=True, help="everything in the database is deleted")
    parser.add_argument("--rung", type=int, choices=RUNGS, action="append")
    parser.add_argument("--chunks", action="store_true", help="with Save Source Chunks")
    parser.add_argument("--answers", type=Path, default=ROOT / "tests/fixtures/relay_build")
    parser.add_argument("--endpoint", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    connection = Connection(arguments.uri, arguments.username, arguments.password)
    outcomes = []
    with tempfile.TemporaryDirectory() as home:
        os.environ["NEO4J_GRAPHRAG_HOME"] = home
        for rung in arguments.rung or RUNGS:
            model = chat_model(os.environ["MODEL"]) if arguments.endpoint else RecordedModel(arguments.answers)
            try:
                outcome = await run(connection, model, rung, arguments.chunks)
            except ModelFailed as failure:  # the proposal itself, without which no document can be asked about
                print(f"| {rung} {RUNGS[rung][0]} | {failure.sentence} | 1 pending |", flush=True)
                continue
            outcomes.append(outcome)
            print("\n".join(lines(outcome)), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(outcomes, ensure_ascii=False, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
