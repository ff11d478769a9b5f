"""Draws the results of ``run_growth.py`` and of ``python -m bench``, and writes their tables into docs/benchmarks.md.

    python bench/plot.py [--growth results/growth.json] [--peers results/peers.json] [--page ../docs/benchmarks.md]

Tables stand between ``<!-- NAME -->`` and ``<!-- /NAME -->``; what is around them is written by hand. Pictures are PNG and SVG in
docs/images.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
# Measure -> what a size counts, and the columns: title and key, or a function of the measured size.
COLUMNS: dict[str, tuple[str, dict[str, Any]]] = {
    "loading": (
        "rows",
        {
            "seconds": "seconds", "worst": "worst_seconds", "rows/s": "rows_per_second", "to the bare driver": "to_bare",
            "memory of ours, MB": "memory_growth_mb", "state": "state", "disk, MB": "disk_mb", "server, MB": "server_memory_mb",
        },
    ),
    "searching": (
        "vectors",
        {
            "bare, ms": "bare_ms", "Vector, ms": "Vector_ms", "p95": "Vector_p95_ms", "recall@10": "Vector_recall", "Hybrid, ms": "Hybrid_ms",
            "p95 of Hybrid": "Hybrid_p95_ms", "load and index, s": "seconds_to_load_and_index", "disk, MB": "disk_mb", "server, MB": "server_memory_mb",
        },
    ),
    "describing": (
        "nodes",
        {
            "seconds": "seconds", "first": "first_seconds", "worst": "worst_seconds", "to the bare driver": "to_bare", "tokens": "tokens",
            "disk, MB": "disk_mb", "server, MB": "server_memory_mb",
        },
    ),
    "prompts": ("labels", {"tokens of the prompt": "prompt_tokens", "tokens of the whole schema": "schema_tokens", "before the model, ms": "preparation_ms"}),
}  # fmt: skip
# Measure -> title of the picture, label of the axis, and the lines: legend and key.
PICTURES = {
    "loading": ("Loading rows", "seconds", {"Add Records": "seconds", "bare driver": "bare_seconds"}),
    "searching": ("Searching vectors", "ms", {"Hybrid": "Hybrid_ms", "Vector": "Vector_ms", "bare search": "bare_ms"}),
    "describing": ("Describing the graph", "seconds", {"Graph Schema": "seconds", "bare driver": "bare_seconds"}),
    "prompts": ("Text2Cypher's prompt", "tokens", {"whole schema": "schema_tokens", "prompt": "prompt_tokens"}),
}


def number(value: Any) -> str:
    """Three digits of a measurement, whole numbers from 100 on."""
    if isinstance(value, str) or value is None:
        return value or "-"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def growth_table(what: str, measured: dict[str, Any]) -> str:
    unit, columns = COLUMNS[what]
    rows = [[f"{size['size']:,}", *(number(size.get(key)) for key in columns.values())] for size in measured["sizes"]]
    return markdown([unit, *columns], rows) + "\n\n" + circumstances(measured["circumstances"])


def circumstances(found: dict[str, str]) -> str:
    return "Measured on: " + ", ".join(f"{name} {value}" for name, value in found.items()) + "."


def peers_table(result: dict[str, Any]) -> str:
    """A row a workload and contender: median, worst and the ratio to the bare driver; a contender that can't run says why."""
    rows = []
    for workload, measured in result["workloads"].items():
        base = measured.get("bare driver", {}).get("median")
        for contender, one in measured.items():
            if "cannot" in one:
                rows.append([workload, contender, "-", "-", "-", one["cannot"].replace("|", "\\|")])
                continue
            ratio = f"{one['median'] / base:.2f}" if base else "-"
            rows.append([workload, contender, number(one.get("median")), number(one.get("worst")), ratio, one.get("note", "")])
    versions = "Contenders: " + ", ".join(f"{name} {version}" for name, version in result["versions"].items()) + "."
    table = markdown(["workload", "contender", "median", "worst", "to the bare driver", "what came out"], rows)
    return f"{table}\n\n{versions}\n\n{circumstances(result['circumstances'])}"


def put(page: str, name: str, content: str) -> str:
    """The page with the content between the marks of that name; raises ValueError when it has none."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not marks.search(page):
        raise ValueError(f"the page has no place for {name}")
    return marks.sub(lambda found: f"{found[1]}\n{content}\n\n{found[2]}", page)


def save(figure: Any, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("png", "svg"):
        figure.savefig(folder / f"{name}.{ending}", dpi=120, bbox_inches="tight", metadata={"Date": None} if ending == "svg" else None)


def draw_growth(result: dict[str, Any], folder: Path) -> None:
    """Four curves on logarithmic axes: a straight line of 45 degrees is cost in proportion to size."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 7.5), layout="constrained")
    for axes, (what, (title, unit, lines)) in zip(figure.subplots(2, 2).flat, PICTURES.items(), strict=True):
        axes.set(title=title, xlabel=COLUMNS[what][0], ylabel=unit, xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        for legend, key in lines.items() if what in result else ():
            sizes = result[what]["sizes"]
            axes.plot([size["size"] for size in sizes], [size[key] for size in sizes], marker="o", label=legend)
        if what in result:
            axes.legend()
    save(figure, folder, "growth")


def draw_peers(result: dict[str, Any], folder: Path) -> None:
    """Bars of the ratio to the bare driver, a group a workload; 1 is the bare driver."""
    from matplotlib.figure import Figure

    ratios = {
        workload: {name: one["median"] / measured["bare driver"]["median"] for name, one in measured.items() if "median" in one}
        for workload, measured in result["workloads"].items()
        if "median" in measured.get("bare driver", {})
    }
    names = [name for name in result["contenders"] if name != "bare driver" and any(name in each for each in ratios.values())]
    figure = Figure(figsize=(10, 1 + 0.5 * len(ratios) + 0.15 * len(names)), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / max(1, len(names))
    for place, name in enumerate(names):
        shown = [(row, each[name]) for row, each in enumerate(ratios.values()) if name in each]
        axes.barh([row + (place - (len(names) - 1) / 2) * height for row, _ in shown], [value for _, value in shown], height, label=name)
    axes.axvline(1, color="black", linewidth=1)
    axes.set(title="Time in proportion to the bare driver (less is better)", xscale="log", yticks=range(len(ratios)), yticklabels=list(ratios))
    axes.invert_yaxis()
    if names:
        axes.legend()
    save(figure, folder, "peers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", type=Path, default=HERE / "results" / "growth.json")
    parser.add_argument("--peers", type=Path, default=HERE / "results" / "peers.json")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--images", type=Path, default=ROOT / "docs" / "images")
    given = parser.parse_args()
    page = given.page.read_text(encoding="utf-8")
    if given.growth.exists():
        result = json.loads(given.growth.read_text(encoding="utf-8"))
        for what in (name for name in COLUMNS if name in result):
            page = put(page, what, growth_table(what, result[what]))
        draw_growth(result, given.images)
        page = put(page, "growth", "![Four curves](images/growth.png)")
    if given.peers.exists():
        result = json.loads(given.peers.read_text(encoding="utf-8"))
        draw_peers(result, given.images)
        page = put(page, "peers", "![Ratios to the bare driver](images/peers.png)\n\n" + peers_table(result))
    given.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
