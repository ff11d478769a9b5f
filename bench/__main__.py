"""The same workloads for this project, the bare driver and other libraries, on one embedded server (``make bench``).

    python -m bench [--rows 20000] [--vectors 20000] [--nodes 200000] [--repeat 3] [--only ours "bare driver" …] [--plugins FOLDER]

About six minutes on two cores. Other libraries run in environments of their own under ``.envs``, made at first use. One
that can't do a workload is a row that says why; most need APOC for writing and describing, which an embedded server doesn't have
(``--plugins`` puts the jars of a folder there). Prints a Markdown table and writes results/peers.json, which ``plot.py`` draws.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "peers")]

import numpy as np  # noqa: E402
from environments import PEERS, python_of, version_of  # noqa: E402
from neo4j import Driver, GraphDatabase  # noqa: E402
from own_server import Own, circumstances, own_server  # noqa: E402
from plot import peers_table  # noqa: E402
from ranking import documents, judge, mean, prepare  # noqa: E402
from run_hub import SEEDS  # noqa: E402
from run_hub import load as load_hub  # noqa: E402
from run_load import RULES, Raw, check, customers, orders  # noqa: E402
from run_mcp import ROWS, bare_driver, over_stdio, peer, timed  # noqa: E402
from run_schema import load as load_labels  # noqa: E402
from run_vector import data  # noqa: E402
from run_vector import load as load_vectors  # noqa: E402
from wiping import wipe  # noqa: E402

from lfx_neo4j_graphrag.database.capabilities import capabilities  # noqa: E402
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings  # noqa: E402
from lfx_neo4j_graphrag.local.server import DEFAULT_VERSION  # noqa: E402
from lfx_neo4j_graphrag.retrieval.words import without_codes  # noqa: E402

FILES = {"bare driver": "bare", "ours": "ours", "neo4j-graphrag": "lib_neo4j_graphrag", "langchain-neo4j": "lib_langchain_neo4j"}
CONTENDERS = [*FILES, "mcp-neo4j-cypher"]
LOADS = ("first load, s", "same rows again, s", "10 % moved, s")
Rows = dict[str, dict[str, Any]]  # contender -> median, worst and note, or cannot


class Bench:
    """Runs the contenders in their environments. ``results`` is workload -> contender -> figures."""

    def __init__(self, own: Own, driver: Driver, pythons: dict[str, Path | str], folder: Path, given: argparse.Namespace) -> None:
        self.own, self.driver, self.pythons, self.folder, self.given = own, driver, pythons, folder, given
        self.results: dict[str, Rows] = {}

    def names(self) -> list[str]:
        return [name for name in self.given.only if name in FILES]

    def ask(self, name: str, workload: str, **job: Any) -> dict[str, Any]:
        """What the worker printed."""
        python = self.pythons[name]
        if isinstance(python, str):
            return {"cannot": python}
        job |= {"uri": self.own.connection.uri, "workload": workload}
        command = [str(python), str(HERE / "peers" / "worker.py"), FILES[name]]
        try:
            done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, timeout=self.given.patience)
        except subprocess.TimeoutExpired:
            return {"cannot": f"not done after {self.given.patience} s"}
        lines = done.stdout.strip().splitlines()
        if done.returncode or not lines:
            return {"cannot": f"it ended with {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1][:160]}"}
        return json.loads(lines[-1])

    def keep(self, workload: str, name: str, result: dict[str, Any], note: str = "") -> None:
        """Median and worst of the times, beside what came out."""
        if "cannot" in result:
            row = {"cannot": reason(result["cannot"])}
        else:
            row = {"median": statistics.median(result["times"]), "worst": max(result["times"]), "note": note}
        self.results.setdefault(workload, {})[name] = row
        print(f"  {workload}: {name}: {row}", flush=True)

    def write(self, name: str, content: Any) -> str:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    # ------------------------------------------------------------------------------------------------ workloads

    def loading(self) -> None:
        loads = [orders(self.given.rows), orders(self.given.rows), orders(self.given.rows, moved=True)]
        path = self.write("rows", {"customers": customers(), "loads": loads, "rules": RULES})
        wipe(self.driver)
        Raw(self.driver, 2, True).load(loads[0], "Pedido", "id", RULES)  # the server's compiler gets warm before it counts
        found: dict[str, list[dict]] = {name: [] for name in self.names()}
        notes: dict[str, str] = {}
        for turn in range(self.given.repeat):
            order = self.names()
            for name in order[turn % len(order) :] + order[: turn % len(order)]:
                if found[name] and "cannot" in found[name][-1]:
                    continue  # it won't do the next time either
                wipe(self.driver)
                found[name].append(self.ask(name, "load", data=path))
                if "cannot" not in found[name][-1]:
                    notes[name] = self.state(loads[2])
        for place, load in enumerate(LOADS):
            for name, runs in found.items():
                result = runs[-1] if "cannot" in runs[-1] else {"times": [run["times"][place] for run in runs]}
                self.keep(load, name, result, notes.get(name, "") if place == 2 else "")

    def state(self, rows: list[dict]) -> str:
        """What the graph holds after the third load."""
        nodes = self.driver.execute_query("MATCH (n:Pedido) RETURN count(n) AS n").records[0]["n"]
        return f"{check(self.driver, rows)}; {nodes:,} orders of {len(rows):,}"

    def searching(self) -> None:
        made = data(self.given.vectors, self.given.questions)
        can = asyncio.run(capabilities(self.own.connection))
        load_vectors(self.driver, can, made.vectors, made.texts, made.pct, False)
        path = self.write("vectors", {"vectors": made.asked.tolist()})
        for below in (None, 10, 50):
            truth = made.nearest(None if below is None else np.less(made.pct, below))
            workload = "vector search, ms" if below is None else f"vector search, filter keeps {below} %, ms"
            for name in self.names():
                result = self.ask(name, "search", data=path, below=below, vectors="chunk_vector", words="chunk_text")
                recall = mean(len(set(ids) & want) / 10 for ids, want in zip(result.get("ids", []), truth, strict=False))
                self.keep(workload, name, result, f"recall@10 {recall:.3f}")

    def ranking(self) -> None:
        rows, asked, odd = documents()
        prepare(self.driver, "Documento", rows, [row["text"] for row in rows])
        model = LocalEmbeddings()
        for name in self.names():
            # Embedded beforehand, as each of them would: this project's Hybrid embeds what is left without the codes.
            embedded = without_codes if name == "ours" else str
            content = {
                "questions": [[question.text, model.embed_query(embedded(question.text))] for question in asked],
                "odd": [[question["text"], model.embed_query(embedded(question["text"]) or " ")] for question in odd],
            }
            path = self.write("questions", content)
            result = self.ask(name, "hybrid", data=path, vectors="vectors", words="words")
            judged = [judge(ids, question.relevant) for ids, question in zip(result.get("ids", []), asked, strict=False)]
            note = f"nDCG@10 {mean(one.ndcg for one in judged):.3f}; {result.get('raised')} of {len(odd)} odd queries raised"
            self.keep("hybrid search of 120 documents, ms", name, result, note)

    def describing(self) -> None:
        load_labels(self.driver, self.given.nodes)
        for name in self.names():
            result = self.ask(name, "describe", runs=max(3, self.given.repeat))
            self.keep(f"description of {self.given.nodes:,} nodes, s", name, result, f"{result.get('characters', 0):,} characters")

    def hubs(self) -> None:
        load_hub(self.driver)
        found = self.driver.execute_query("UNWIND $seeds AS s MATCH (n:Entidad {id: s}) RETURN elementId(n) AS id", seeds=list(SEEDS))
        for name in self.names():
            result = self.ask(name, "neighbours", ids=[row["id"] for row in found.records], runs=20)
            self.keep("neighbours of 10 nodes, one of 50,000, ms", name, result, f"{result.get('served')} of 10 served")

    def scripted(self) -> None:
        """What 120 scripted answers of language models lead to; counts, no times."""
        python = next((self.pythons[name] for name in ("neo4j-graphrag", "langchain-neo4j") if name in self.names()), Path(sys.executable))
        path = self.folder / "scripted.json"
        command = [str(python), str(HERE / "run_scripted.py"), "--uri", self.own.connection.uri, "--json", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=3 * self.given.patience)
        sums = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for name in (name for name in self.names() if name != "bare driver"):
            last = (done.stderr.strip().splitlines() or ["it could not run"])[-1][:160]
            counted = ", ".join(f"{number} {what}" for what, number in sums.get(name, {}).items())
            row = {"note": counted} if counted else {"cannot": last}
            self.results.setdefault("120 scripted answers of a model", {})[name] = row

    def servers(self) -> None:
        """Round trips over MCP (stdio), beside the bare driver without MCP."""
        asyncio.run(self._servers())

    async def _servers(self) -> None:
        database = {"NEO4J_URI": self.own.connection.uri, "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": ""}
        workload = "RETURN 1 over MCP, ms"
        if "bare driver" in self.given.only:
            self.keep(workload, "bare driver", {"times": await bare_driver(database, 200)}, "without MCP")
            times = [timed_read(self.driver) for _ in range(5)]
            self.keep("10,000 rows over MCP, ms", "bare driver", {"times": times}, "without MCP")
        if "ours" in self.given.only:
            async with over_stdio(python=sys.executable, **database) as client:
                await self._calls(client, "ours", "read_cypher", workload)
        if "mcp-neo4j-cypher" not in self.given.only:
            return
        python = self.pythons["mcp-neo4j-cypher"]
        if isinstance(python, str):
            self.keep(workload, "mcp-neo4j-cypher", {"cannot": python})
            return
        try:
            async with asyncio.timeout(self.given.patience), peer([str(python.with_name("mcp-neo4j-cypher"))], database | {"NEO4J_PASSWORD": "x"}) as client:
                await self._calls(client, "mcp-neo4j-cypher", "read_neo4j_cypher", workload)
        except Exception as error:  # a peer that can't run is a row
            self.keep(workload, "mcp-neo4j-cypher", {"cannot": f"{type(error).__name__}: {str(error)[:160]}"})

    async def _calls(self, client: Any, name: str, tool: str, workload: str) -> None:
        await timed(client, tool, "RETURN 1 AS x", 20)
        self.keep(workload, name, {"times": (await timed(client, tool, "RETURN 1 AS x", 200))[0]})
        times, text = await timed(client, tool, ROWS, 5)
        self.keep("10,000 rows over MCP, ms", name, {"times": times}, f"{len(text):,} characters for the model")


def timed_read(driver: Driver) -> float:
    started = time.perf_counter()
    driver.execute_query(ROWS)
    return (time.perf_counter() - started) * 1000


def reason(text: str) -> str:
    """What most of them lack, in two words."""
    return "needs APOC" if "apoc" in text.lower() else text


WORKLOADS = ("loading", "searching", "ranking", "describing", "hubs", "scripted", "servers")


def environments(names: list[str]) -> Iterator[tuple[str, Path | str]]:
    """Contender -> its Python, or why there is none."""
    for name in names:
        if name not in PEERS:
            yield name, Path(sys.executable)
            continue
        try:
            yield name, python_of(name)
        except (subprocess.SubprocessError, OSError) as error:
            yield name, f"its environment could not be made ({type(error).__name__})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=200_000, help="of the graph that is described")
    parser.add_argument("--questions", type=int, default=100, help="to each vector search")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--patience", type=int, default=300, help="seconds that a contender may take for one run")
    parser.add_argument("--only", nargs="*", choices=CONTENDERS, default=CONTENDERS)
    parser.add_argument("--workloads", nargs="*", choices=WORKLOADS, default=WORKLOADS)
    parser.add_argument("--plugins", type=Path, help="a folder of jars for the server, such as APOC's")
    parser.add_argument("--json", type=Path, default=HERE / "results" / "peers.json")
    given = parser.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    random.seed(0)
    pythons = dict(environments(given.only))
    versions = {name: version_of(python, name) for name, python in pythons.items() if name in PEERS and isinstance(python, Path)}
    with (
        tempfile.TemporaryDirectory() as name,
        own_server(plugins=given.plugins) as own,
        GraphDatabase.driver(own.connection.uri) as driver,
    ):
        result = {"circumstances": circumstances(DEFAULT_VERSION, "2g"), "contenders": given.only}
        bench = Bench(own, driver, pythons, Path(name), given)
        for workload in given.workloads:
            print(f"{workload} …", flush=True)
            getattr(bench, workload)()
            result |= {"versions": {"bare driver": version("neo4j"), **versions}, "workloads": bench.results}
            given.json.parent.mkdir(parents=True, exist_ok=True)
            given.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print("\n" + peers_table(result))


if __name__ == "__main__":
    main()
