"""The Langflow node as the editor and an agent use it: the operations and checks that the cases word."""

from __future__ import annotations

import json
import os
import re
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from adapter import Outcome
from notation import fill
from worded import World, op, worded, wrong

ROOT = Path(__file__).parents[2]


@cache
def _node_class() -> type:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from lfx.custom.eval import eval_custom_component_code

    return eval_custom_component_code((ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py").read_text(encoding="utf-8"))


def _fields(names: dict) -> dict[str, Any]:
    renamed = {"timeout": "query_timeout"}
    return {renamed.get(k, k): v for k, v in names["blank"].items()}


def _connected(world: World, values: dict[str, Any]) -> Any:
    one = world.case.connection
    where = {"uri": one.uri, "username": one.username, "password": one.password}
    return _node_class()(**where | {"embedding": world.case.names["EMB4"]} | values)


async def _component(node: Any) -> Outcome:
    try:
        results, _ = await node.build_results()
        return Outcome(text=results["result"].text, rows=results["table"].to_dict(orient="records"))
    except Exception as error:
        return Outcome(error=str(error), text=str(error))


@op(r"component\(Add Records\)")
async def _component_save(world: World, call: dict, names: dict) -> Outcome:
    values = {"operation": "Add Records", "node_label": "Parte", "key_property": "codigo", "data": [names["shape"]]}
    outcome = await _component(_connected(world, _fields(names) | values))
    stored = await world.case.cypher("MATCH (p) RETURN p.codigo")
    world.notes.setdefault("stored", []).append((stored, outcome))
    return outcome


@op(r"component\(Vector\)")
async def _component_vector(world: World, call: dict, names: dict) -> Outcome:
    saving = {"operation": "Add Records", "node_label": "Parte", "key_property": "codigo", "data": [names["row"]]}
    await _connected(world, saving).build_results()
    return await _component(_connected(world, _fields(names) | {"operation": "Vector", "query": "faro"}))


@op(r"component\((?!Add Records\)|Vector\))([A-Z][\w +]*)\)")
async def _component_any(world: World, call: dict, names: dict) -> Outcome:
    fields = fill(call["args"], names) if isinstance(call.get("args"), dict) else _fields(names)
    return await _component(_connected(world, {"operation": call["op"][len("component(") : -1]} | fields))


@op(r"tool_call\(Vector\)")
async def _tool(world: World, call: dict, names: dict) -> Outcome:
    tool = (await _connected(world, _fields(names) | {"operation": "Vector"})._get_tools())[0]
    known = set(tool.args_schema.model_fields)
    # What the tool has no argument for stays with the node; an agent's None for one it has means the default.
    text = await tool.ainvoke({k: v for k, v in call["args"].items() if k in known})
    return Outcome(text=text, error=None if "P-1" in text else text)


@op(r"tool_call with \$(fields|broken)")
async def _tool_with(world: World, call: dict, names: dict) -> Outcome:
    """The node with these fields as an agent's tool, called with the arguments."""
    fields = names["fields" if "$fields" in call["op"] else "broken"]
    tool = (await _connected(world, dict(fields))._get_tools())[0]
    text = await tool.ainvoke(fill(call["args"], names))
    return Outcome(text=text)


@op(r"load components from path, server unreachable")
async def _load(world: World, call: dict, names: dict) -> Any:
    import socket

    from lfx.custom.custom_component.component import Component
    from lfx.custom.utils import build_custom_component_template

    connected: list[Any] = []
    kept = socket.socket.connect
    socket.socket.connect = lambda self, address: connected.append(address) or kept(self, address)
    try:
        code = (ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py").read_text(encoding="utf-8")
        started = time.perf_counter()
        described, _ = build_custom_component_template(Component(_code=code), module_name="neo4j")
        seconds = time.perf_counter() - started
    finally:
        socket.socket.connect = kept
    world.notes["node"] = json.loads(json.dumps(described, default=str))
    return SimpleNamespace(seconds=seconds, connected=connected, template=world.notes["node"]["template"])


def _refreshed(template: dict, field: str, value: Any) -> dict:
    node = _node_class()()
    node.set_attributes({k: f.get("value") for k, f in template.items() if isinstance(f, dict) and f.get("type") != "other"})
    template = node.update_build_config(json.loads(json.dumps(template)), value, field)
    if field in template:
        template[field]["value"] = value
    return json.loads(json.dumps(template, default=str))


@op(r"update_build_config along the sequence")
async def _sequence(world: World, call: dict, names: dict) -> list[dict]:
    template = json.loads(json.dumps(world.notes["node"]["template"]))
    template["database"]["value"] = names["typed"]["database"]
    steps = []
    for operation_name in names["sequence"]:
        template = _refreshed(template, "operation", operation_name)
        if operation_name == "Cypher Query" and not template["cypher"]["value"]:
            template = _refreshed(template, "cypher", names["typed"]["query"])
        steps.append(json.loads(json.dumps(template)))
    return steps


@op(r"password bound to \$variable, form redrawn along \$sequence, tool mode on and off")
async def _bound(world: World, call: dict, names: dict) -> list[dict]:
    template = json.loads(json.dumps(world.notes["node"]["template"]))
    template["password"] |= {"value": names["variable"], "load_from_db": True}
    steps = []
    for field, value in [*(("operation", name) for name in names["sequence"]), ("tool_mode", True), ("tool_mode", False)]:
        template = _refreshed(template, field, value)
        steps.append(json.loads(json.dumps(template)))
    return steps


@op(r"tool mode on, save, reload")
async def _tool_mode(world: World, call: dict, names: dict) -> Any:
    node = _node_class()(operation="Cypher Query", cypher=names["typed"]["query"])
    described = {"template": json.loads(json.dumps(names["cfg"][-1])), "outputs": [], "tool_mode": True}
    described["template"] = _refreshed(described["template"], "tool_mode", True)
    reloaded = json.loads(json.dumps(described))
    tools = await node.to_toolkit()
    return SimpleNamespace(tool_mode=reloaded["tool_mode"], operation=reloaded["template"]["operation"]["value"], tools=tools)


@op(r"export flow, import into a clean instance, build")
async def _export(world: World, call: dict, names: dict) -> Any:
    flow = json.loads((ROOT / "flows" / "guardar_registros.json").read_text(encoding="utf-8"))
    nodes = [n["data"]["node"] for n in flow["data"]["nodes"] if n["data"].get("type") == "Neo4jGraphRAG"]
    built = [build_again(n["template"]["code"]["value"]) for n in nodes]
    return SimpleNamespace(text=json.dumps(flow), nodes=nodes, built=built)


def build_again(code: str) -> Any:
    from lfx.custom.custom_component.component import Component
    from lfx.custom.utils import build_custom_component_template

    return build_custom_component_template(Component(_code=code), module_name="neo4j")[0]


@op(r"tool with name \$tool_name")
async def _named_tool(world: World, call: dict, names: dict) -> Any:
    node = _node_class()(operation="Cypher Query", cypher="MATCH (n) RETURN count(n) AS n")
    tools = await node.to_toolkit()
    row = {"name": tools[0].name, "description": tools[0].description, "tags": tools[0].tags, "status": True}
    node.tools_metadata = [row | {"display_name": names["tool_name"]}]
    return (await node.to_toolkit())[0]


@worded(r"for shapes 0\.\.7: MATCH \(p\) RETURN p\.codigo")
async def _shapes(world: World, names: dict) -> str:
    stored = world.notes["stored"]
    return "; ".join(f"shape {i}: {stored[i][0]} {stored[i][1].error}" for i in range(8) if stored[i][0] != [["P-1"]])


@worded(r"shape 8: one node P-1, or an error")
async def _last_shapes(world: World, names: dict) -> str:
    (eighth, said), (ninth, empty) = world.notes["stored"][8], world.notes["stored"][9]
    return wrong(
        (eighth == [["P-1"]] or bool(said.error), f"shape 8: {eighth}"),
        (ninth == [] and not empty.error, f"shape 9: {ninth} {empty.error}"),
    )


@worded(r"the component is in cat with no error and loading took")
async def _loaded(world: World, names: dict) -> str:
    cat = names["cat"]
    return wrong(
        ("operation" in cat.template, "no template"),
        (cat.seconds < 5, f"{cat.seconds} s"),
        (not cat.connected, str(cat.connected)),
    )


def _visible(template: dict) -> set[str]:
    shown = {k for k, f in template.items() if isinstance(f, dict) and f.get("show") is not False}
    return shown | {k.removeprefix("param_") for k in shown if k.startswith("param_")}


@worded(r"visible\(cfg\[0\]\) contains node_label")
async def _visibility(world: World, names: dict) -> str:
    cfg, typed = names["cfg"], names["typed"]
    first, second, last = _visible(cfg[0]), _visible(cfg[1]), cfg[3]
    # The field for a query in Cypher is called cypher; query is the question of the searches.
    return wrong(
        ({"node_label", "key_property", "relationships"} <= first and "cypher" not in first, f"cfg[0] shows {sorted(first)}"),
        ({"cypher", "uno", "dos"} <= second and "node_label" not in second, f"cfg[1] shows {sorted(second)}"),
        (last["cypher"]["value"] == typed["query"] and last["database"]["value"] == typed["database"], "typed values are lost"),
        ({"uno", "dos"} <= _visible(last), "the holes are lost"),
    )


@worded(r"tm\.tool_mode is True and tm\.operation kept")
async def _kept(world: World, names: dict) -> str:
    tm = names["tm"]
    return wrong(
        (tm.tool_mode is True, "tool mode is off"),
        (tm.operation == "Cypher Query", tm.operation),
        (len(tm.tools) == 1, str(tm.tools)),
    )


@worded(r"password, api key and the text of \$PASSWORD do not occur")
async def _secrets(world: World, names: dict) -> str:
    flow = names["flow"]
    empty = all(not n["template"]["password"]["value"] for n in flow.nodes)
    return wrong(
        (empty, "a password is in the flow"),
        (world.case.connection.password not in flow.text, "the password is in the flow"),
        (not re.search(r'"api_key": *\{[^}]*"value": *"[^"]+"', flow.text), "an API key is in the flow"),
        (len(flow.built) == len(flow.nodes) >= 1, "the flow does not build"),
    )
