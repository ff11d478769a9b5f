"""Builds flows as the editor does: nodes from the live components, fields set one by one, edges between handles."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lfx.custom.custom_component.component import Component
from lfx.custom.utils import build_custom_component_template

ROOT = Path(__file__).resolve().parent.parent
NODE_FILE = ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py"
NODE_TYPE = "Neo4jGraphRAG"  # the class attribute `name`: it means this node whichever way the pack was loaded
LANGFLOW = "1.13.0"


class Editor:
    """One flow. Positions are pixels of the canvas; the last part of an id is the caller's word for the node."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []

    def note(self, word: str, x: int, y: int, text: str, *, width: int = 520, height: int = 600) -> None:
        data = {"description": text, "display_name": "", "documentation": "", "template": {"backgroundColor": "blue"}}
        self._place(f"note-{word}", "noteNode", "note", x, y, data, width=width, height=height)

    def stock(self, component: type, word: str, x: int, y: int, title: str, about: str, **values: Any) -> dict[str, Any]:
        """A node of a Langflow component, by its class."""
        code = inspect.getsource(inspect.getmodule(component))
        node = self._node(code, f"{component.__module__}.{component.__name__}", component.name or component.__name__, word, x, y, values)
        node["data"]["node"].update(display_name=title, description=about)
        return node

    def neo4j(self, word: str, x: int, y: int, title: str, about: str, **values: Any) -> dict[str, Any]:
        """A node of this pack."""
        node = self._node(NODE_FILE.read_text(encoding="utf-8"), "lfx_neo4j_graphrag", NODE_TYPE, word, x, y, values)
        node["data"]["node"].update(display_name=title, description=about, extension="lfx-neo4j-graphrag", bundle="neo4j_graphrag")
        return node

    def tool(self, word: str, x: int, y: int, title: str, name: str, about: str, **values: Any) -> dict[str, Any]:
        """A node of this pack in Tool Mode; ``name`` and ``about`` are what the agent reads."""
        node = self.neo4j(word, x, y, title, about, **values)
        described, template = node["data"]["node"], node["data"]["node"]["template"]
        _, component = build_custom_component_template(Component(_code=template["code"]["value"]), module_name="lfx_neo4j_graphrag")
        component.set_attributes({key: field.get("value") for key, field in template.items() if isinstance(field, dict)})
        component.update_build_config(template, True, "tool_mode")
        # A folder of its own: the arguments of a tool must not depend on the searches that were made on this machine.
        with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, NEO4J_GRAPHRAG_HOME=home):
            asyncio.run(component.run_and_validate_update_outputs(described, "tool_mode", True))
        template["tools_metadata"]["value"][0].update(name=name, description=about)
        return node

    def _node(self, code: str, module: str, kind: str, word: str, x: int, y: int, values: dict[str, Any]) -> dict[str, Any]:
        described, component = build_custom_component_template(Component(_code=code), module_name=module)
        described = json.loads(json.dumps(described, default=str))
        described["metadata"].pop("dependencies", None)  # versions of this machine; Langflow finds them again
        described["lf_version"] = LANGFLOW
        template = described["template"]
        for name, value in values.items():
            if template[name].get("real_time_refresh"):
                component.update_build_config(template, value, name)
            template[name]["value"] = value
        selected = {"selected_output": described["outputs"][0]["name"]}
        return self._place(f"{kind.replace(' ', '')}-{word}", "genericNode", kind, x, y, described, **selected)

    def _place(self, id_: str, shape: str, kind: str, x: int, y: int, node: dict[str, Any], **more: Any) -> dict[str, Any]:
        size = {name: more.pop(name) for name in ("width", "height") if name in more}
        data = {"id": id_, "type": kind, "node": node, "showNode": True, **more}
        placed = {"id": id_, "type": shape, "position": {"x": x, "y": y}, "data": data, "measured": size or {"width": 320, "height": 400}, **size}
        self.nodes.append(placed)
        return placed

    def connect(self, source: dict[str, Any], output: str, target: dict[str, Any], field: str) -> None:
        given = next(each for each in source["data"]["node"]["outputs"] if each["name"] == output)
        taken = target["data"]["node"]["template"][field]
        out = {"dataType": source["data"]["type"], "id": source["id"], "name": output, "output_types": given["types"]}
        source["data"]["selected_output"] = output
        into = {"fieldName": field, "id": target["id"], "inputTypes": taken["input_types"], "type": taken["type"]}
        if taken["type"] == "model":  # as the editor does for "Connect other models": else it would choose a model here too
            taken.update(value=[], _connection_mode=True)
            target["data"]["_connectionMode"] = True
        handles = {"sourceHandle": _handle(out), "targetHandle": _handle(into)}
        self.edges.append(
            {
                "id": f"reactflow__edge-{source['id']}{handles['sourceHandle']}-{target['id']}{handles['targetHandle']}",
                "source": source["id"],
                "target": target["id"],
                **handles,
                "data": {"sourceHandle": out, "targetHandle": into},
                "animated": False,
                "className": "",
                "selected": False,
            }
        )

    def save(self, path: Path, id_: str, name: str, description: str) -> None:
        """Write the flow as Langflow exports one. The same components give the same bytes."""
        flow = {
            "id": id_,
            "name": name,
            "description": description,
            "endpoint_name": None,
            "is_component": False,
            "last_tested_version": LANGFLOW,
            "locked": False,
            "tags": ["neo4j", "graphrag"],
            "data": {"nodes": self.nodes, "edges": self.edges, "viewport": {"x": 60, "y": 40, "zoom": 0.6}},
        }
        path.write_text(json.dumps(flow, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _handle(parts: dict[str, Any]) -> str:
    """The editor's way to put JSON into an id: sorted, without spaces, œ for quotation marks."""
    return json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False).replace('"', "œ")
