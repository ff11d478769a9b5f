"""The editor's refresh of the node beside that of another component file, in one Langflow server, taking turns.

    python bench/run_refresh.py --beside TOY/components/toy_ref/toy_ref.py [--rounds 40]

Each refresh is what the editor posts when the operation changes. Prints one JSON line: medians in ms, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "langflow"))
from langflow_server import NODE_FILE, LangflowServer  # noqa: E402


def described(langflow: LangflowServer, file: Path) -> dict:
    """The node of a component file, as the editor gets it."""
    answer = langflow.http.post("/api/v1/custom_component", json={"code": file.read_text(encoding="utf-8")})
    answer.raise_for_status()
    return answer.json()["data"]


def refresh_ms(langflow: LangflowServer, node: dict, operation: str) -> float:
    started = time.perf_counter()
    answer = langflow.refresh(node, "operation", operation)
    elapsed = (time.perf_counter() - started) * 1000
    answer.raise_for_status()
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", type=Path, required=True, help="the other component's file, two levels below its components folder's parent")
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        langflow = LangflowServer(Path(folder), LANGFLOW_COMPONENTS_PATH=str(options.beside.resolve().parents[1]))
        try:
            nodes = {"node": described(langflow, NODE_FILE), "beside": described(langflow, options.beside)}
            times: dict[str, list[float]] = {name: [] for name in nodes}
            for turn in range(options.rounds + 3):  # three to warm up
                operation = ("Cypher Query", "Graph Schema")[turn % 2]
                for name, node in nodes.items():
                    elapsed = refresh_ms(langflow, node, operation)
                    if turn >= 3:
                        times[name].append(elapsed)
        finally:
            langflow.stop()
    medians = {name: statistics.median(each) for name, each in times.items()}
    lows = {name: min(each) for name, each in times.items()}
    result = {"rounds": options.rounds, "median_ms": {n: round(m, 1) for n, m in medians.items()}, "best_ms": {n: round(m, 1) for n, m in lows.items()}}
    print(json.dumps(result | {"ratio": round(medians["node"] / medians["beside"], 2), "ratio_of_best": round(lows["node"] / lows["beside"], 2)}))


if __name__ == "__main__":
    main()
