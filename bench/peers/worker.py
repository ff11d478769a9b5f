"""Runs one workload with one contender, in the contender's own environment.

    python bench/peers/worker.py CONTENDER < JOB       # a file of this folder, and what ``bench/__main__.py`` sends

A file has ``Contender(job)`` with the operations that it has: ``load(rows, label, key, rules)``,
``search(vector, count, below)`` (``below``: None, or the percentage under which ``pct`` must be), ``hybrid(text, vector, count)``,
``describe()``, ``neighbours(ids)``. Prints one JSON line: ``times`` and what came out, or ``cannot`` with the reason.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))


def timed(work: Any, *arguments: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - started, result


def load(contender: Any, job: dict[str, Any]) -> dict[str, Any]:
    data = json.loads(Path(job["data"]).read_text(encoding="utf-8"))
    contender.load(data["customers"], "Cliente", "nombre", [])
    return {"times": [timed(contender.load, rows, "Pedido", "id", data["rules"])[0] for rows in data["loads"]]}


def search(contender: Any, job: dict[str, Any]) -> dict[str, Any]:
    """The questions twice; the second time counts."""
    data = json.loads(Path(job["data"]).read_text(encoding="utf-8"))
    for vector in data["vectors"]:
        contender.search(vector, 10, job["below"])
    found = [timed(contender.search, vector, 10, job["below"]) for vector in data["vectors"]]
    return {"times": [seconds * 1000 for seconds, _ in found], "ids": [ids for _, ids in found]}


def hybrid(contender: Any, job: dict[str, Any]) -> dict[str, Any]:
    """Questions twice, then odd queries, of which those that raise are counted."""
    data = json.loads(Path(job["data"]).read_text(encoding="utf-8"))
    for question in data["questions"]:
        contender.hybrid(*question, 10)
    found = [timed(contender.hybrid, *question, 10) for question in data["questions"]]
    raised = 0
    for question in data["odd"]:
        try:
            contender.hybrid(*question, 10)
        except Exception as error:
            raised += type(error).__name__ != "InputError"  # our sentence for a question without a word
    return {"times": [seconds * 1000 for seconds, _ in found], "ids": [ids for _, ids in found], "raised": raised}


def describe(contender: Any, job: dict[str, Any]) -> dict[str, Any]:
    found = [timed(contender.describe) for _ in range(job["runs"])]
    return {"times": [seconds for seconds, _ in found], "characters": len(found[-1][1])}


def neighbours(contender: Any, job: dict[str, Any]) -> dict[str, Any]:
    for _ in range(5):
        contender.neighbours(job["ids"])
    found = [timed(contender.neighbours, job["ids"]) for _ in range(job["runs"])]
    return {"times": [seconds * 1000 for seconds, _ in found], "served": found[-1][1]}


WORKLOADS = {"load": load, "search": search, "hybrid": hybrid, "describe": describe, "neighbours": neighbours}


def main() -> None:
    job = json.load(sys.stdin)
    for name in ("neo4j", "neo4j_graphrag"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        contender = importlib.import_module(sys.argv[1]).Contender(job)
        if hasattr(contender, job["workload"]):
            result = WORKLOADS[job["workload"]](contender, job)
        else:
            result = {"cannot": "it has no such operation"}
    except Exception as error:  # a contender that can't run is a result, whatever it raises
        result = {"cannot": f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"}
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
