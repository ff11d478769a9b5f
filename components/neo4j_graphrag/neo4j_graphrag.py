"""The Neo4j GraphRAG node: its fields, its two outputs and its tool.

Langflow saves this whole file inside every flow and runs it again for each refresh and each run, keeping only
imports, assignments, functions and classes of the module level. Everything else is in the package
``lfx_neo4j_graphrag`` and is imported inside ``_engine``, so that a flow opens where the package is missing.
What a flow calls in ``lfx_neo4j_graphrag.node`` must keep working for flows saved with older copies of this file.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from lfx.custom.custom_component.component import Component
from lfx.io import BoolInput, DropdownInput, HandleInput, IntInput, MultilineInput, Output, SecretStrInput, StrInput
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message

ROWS = ["Data", "JSON", "DataFrame", "Table", "Message", "Document", "GraphDocument"]
OPERATIONS = {
    "Add Records": "TableProperties",
    "Build Graph": "FileText",
    "Vector": "Search",
    "Hybrid": "ScanSearch",
    "Vector + Graph": "Share2",
    "Hybrid + Graph": "Waypoints",
    "Text2Cypher": "MessageCircleQuestion",
    "Cypher Query": "Terminal",
    "Graph Schema": "Network",
}
ANALYZERS = [
    "standard-folding", "spanish", "english", "catalan", "french", "galician", "german", "italian", "portuguese",
    "basque", "dutch", "simple", "standard", "unicode_whitespace", "whitespace",
]  # fmt: skip


def _engine():
    """The package: installed, or beside the components folder that LANGFLOW_COMPONENTS_PATH points to."""
    try:
        from lfx_neo4j_graphrag import node
    except ImportError:
        for entry in os.environ.get("LANGFLOW_COMPONENTS_PATH", "").split(os.pathsep):
            source = Path(entry.strip() or ".").resolve().parent / "src"
            if (source / "lfx_neo4j_graphrag").is_dir() and str(source) not in sys.path:
                sys.path.append(str(source))
        try:
            from lfx_neo4j_graphrag import node
        except ImportError as error:
            message = (
                "The Neo4j GraphRAG package is not installed in this Langflow. "
                'Run: pip install "lfx-neo4j-graphrag[local]" and start Langflow again.'
            )
            raise ImportError(message) from error
    return node


def _translate(*texts: Any) -> bool:
    """Spanish titles and hints for an editor in Spanish; without the package they stay English."""
    try:
        return _engine().register_spanish(*texts)
    except ImportError:
        return False


def _line(name: str, title: str, hint: str, **more: Any) -> StrInput:
    return StrInput(name=name, display_name=title, info=hint, **more)


def _text(name: str, title: str, hint: str, **more: Any) -> MultilineInput:
    return MultilineInput(name=name, display_name=title, info=hint, **{"input_types": [], **more})


class Neo4jGraphRAGComponent(Component):
    display_name = "Neo4j GraphRAG"
    description = "Saves data in a Neo4j graph and answers from it; no Cypher needed."
    icon = "Waypoints"
    name = "Neo4jGraphRAG"
    metadata = {"keywords": ["neo4j", "graph", "cypher", "graphrag", "rag", "knowledge graph", "grafo", "vector"]}

    inputs = [
        DropdownInput(
            name="operation",
            display_name="Operation",
            info="What this node does; the fields below change with it. Example: Add Records saves a table in the graph.",
            options=list(OPERATIONS),
            options_metadata=[{"icon": icon} for icon in OPERATIONS.values()],
            value="Add Records",
            real_time_refresh=True,
        ),
        _line(
            "uri",
            "Neo4j URI",
            "Address of the database, for example neo4j+s://1234.databases.neo4j.io; leave empty to use NEO4J_URI or the "
            "embedded server.",
        ),
        _line("username", "Neo4j Username", "User of the database, for example neo4j."),
        SecretStrInput(
            name="password",
            display_name="Neo4j Password",
            info="Password of that user, best as a global variable, for example NEO4J_PASSWORD.",
            value="",
            load_from_db=False,  # True, the default, keeps a variable out of an empty field when a flow runs by API
        ),
        _line("database", "Neo4j Database", "Database on the server, for example neo4j; leave empty for the user's home database."),
        HandleInput(
            name="data",
            display_name="Data",
            info="Rows or documents to save, for example the output of Read File.",
            input_types=ROWS,
            is_list=True,
            required=True,
        ),
        HandleInput(
            name="embedding",
            display_name="Embedding",
            info="Embedding model, the same when saving and when searching, for example the output of Embedding Model.",
            input_types=["Embeddings"],
        ),
        DropdownInput(
            name="local_embedding",
            display_name="Local Embedding",
            info="Embedding model inside this Langflow, used when Embedding is not connected, for example multilingual-e5-small.",
            options=["off", "multilingual-e5-small"],
            value="off",
            advanced=True,
        ),
        HandleInput(
            name="llm",
            display_name="Language Model",
            info="Model that reads the documents or writes the Cypher, for example the output of Language Model.",
            input_types=["LanguageModel"],
            show=False,
        ),
        _line("node_label", "Node Label", "Type of the node that each row becomes, for example Incidencia.", required=True),
        _line("key_property", "Key Property", "Column that identifies a row, for example codigo.", required=True),
        _text(
            "relationships",
            "Relationships",
            "One line for each column that becomes a linked node, for example: cliente -> DE_CLIENTE -> Cliente.nombre (ciudad)",
        ),
        _text(
            "write_query",
            "Write Query",
            "Your own Cypher in place of Relationships; $rows are the rows, for example: "
            "UNWIND $rows AS row MERGE (i:Incidencia {codigo: row.codigo}) SET i.fecha = date(row.fecha)",
        ),
        _line(
            "text_column",
            "Text Column",
            "Column to search by meaning and by words, for example text; empty means text, else the longest column.",
            advanced=True,
        ),
        _line("column_types", "Column Types", "Types of columns that arrive as text, for example: fecha: date, precio: float", advanced=True),
        DropdownInput(
            name="empty_cells",
            display_name="Empty Cells",
            info="What an empty cell does to a stored value: keep leaves it, clear removes it; for example clear after emptying a column.",
            options=["keep", "clear"],
            value="keep",
            advanced=True,
        ),
        BoolInput(
            name="preview",
            display_name="Preview",
            info="Says what would change and writes nothing, for example before a first load.",
            value=False,
            advanced=True,
        ),
        _text(
            "allowed_patterns",
            "Allowed Patterns",
            "Relationships to look for, one in each line, for example: (Incidencia)-[:DE_CLIENTE]->(Cliente)",
            show=False,
        ),
        _text(
            "node_types",
            "Node Types",
            "Types with their properties, the first of which is the key, for example: "
            "Incidencia(codigo, fecha, estado: abierta | cerrada), Cliente(nombre)",
            show=False,
        ),
        _line("relationship_types", "Relationship Types", "Types of relationships, for example: DE_CLIENTE, ASIGNADA_A", show=False),
        _text(
            "extraction_instructions",
            "Extraction Instructions",
            "How to write names and values, for example: El modelo de una Maquina se escribe sin la marca.",
            show=False,
        ),
        BoolInput(
            name="save_source_chunks",
            display_name="Save Source Chunks",
            info="Also saves each text as a Chunk linked to what it mentions, for example to search passages of a manual.",
            value=False,
            show=False,
        ),
        _line("vector_index", "Vector Index", "Index for searching by meaning, for example incidencia_vector; empty finds or makes it."),
        _line("fulltext_index", "Full-text Index", "Index for searching by words, for example incidencia_text; empty finds or makes it."),
        DropdownInput(
            name="fulltext_analyzer",
            display_name="Full-text Analyzer",
            info="Language of the texts for searching by words, for example spanish.",
            options=ANALYZERS,
            value=ANALYZERS[0],
            combobox=True,
        ),
        _text(
            "query",
            "Query",
            "The question or the text to look for, for example: ¿Qué incidencias abiertas tiene Lucía Ortega?",
            input_types=["Message"],
            tool_mode=True,
            show=False,
        ),
        _text(
            "filters",
            "Filters",
            "Conditions that every result meets, one in each line, for example: estado = abierta",
            show=False,
        ),
        _text(
            "retrieval_query",
            "Retrieval Query",
            "Cypher that runs on each result, with node and score; empty brings its neighbours; for example: "
            "MATCH (node)-[:ASIGNADA_A]->(t) RETURN node.codigo AS codigo, t.nombre AS tecnico, score",
            show=False,
        ),
        _text(
            "examples",
            "Examples",
            "Questions with the Cypher that answers them, for example: Pregunta: ¿Cuántas hay abiertas? "
            "Cypher: MATCH (i:Incidencia {estado: 'abierta'}) RETURN count(i) AS total",
            show=False,
        ),
        _text(
            "graph_description",
            "Graph Description",
            "What the graph is about, in your words, for example: Incidencias de un servicio técnico de cafeteras.",
            show=False,
            advanced=True,
        ),
        HandleInput(
            name="run_after",
            display_name="Run After",
            info="Connect any output to describe the graph once that node has finished, for example the Result of Add Records.",
            input_types=ROWS,
            show=False,
        ),
        IntInput(
            name="number_of_results",
            display_name="Number of Results",
            info="Results of a search, for example 5; a Cypher answer has at most 20 rows for each.",
            value=5,
            show=False,
            advanced=True,
        ),
        IntInput(
            name="query_timeout",
            display_name="Query Timeout",
            info="Seconds that one query or one batch of rows may take, for example 10.",
            value=10,
            advanced=True,
        ),
        IntInput(
            name="token_limit",
            display_name="Token Limit",
            info="Longest answer in tokens, cut by whole rows, for example 2048.",
            value=2048,
            show=False,
            advanced=True,
        ),
        DropdownInput(
            name="format",
            display_name="Format",
            info="How the Result is written, for example yaml.",
            options=["yaml", "json", "table"],
            value="yaml",
            show=False,
            advanced=True,
        ),
        _text(  # last, because the fields of its $parameters are shown after it
            "cypher",
            "Cypher",
            "The query, read only; each $name becomes a field, for example: "
            "MATCH (i:Incidencia)-[:ASIGNADA_A]->(t:Tecnico {nombre: $tecnico}) RETURN i.codigo AS codigo",
            show=False,
            real_time_refresh=True,
        ),
    ]
    # The same for every operation: the editor deletes the edges of an output that disappears.
    outputs = [
        Output(name="result", display_name="Result", method="run_result", info="Text to read, for a person or an agent.", group_outputs=True),
        Output(name="table", display_name="Table", method="run_table", info="The same as rows and columns.", group_outputs=True),
    ]
    spanish = _translate(name, __qualname__, display_name, description, inputs, outputs)

    # ---- editor ------------------------------------------------------------------------------------------------
    def build_template_config(self) -> dict:
        """As in the base class, which would run this file once more to look at a class it has already."""
        return self.get_template_config(self)

    def update_build_config(self, build_config: dict, field_value: Any, field_name: str | None = None) -> dict:
        """Also called when a flow is opened: the same answer for the same template, and no look at the database."""
        if field_name in build_config:
            self._attributes[field_name] = field_value
        values = {name: field.get("value") for name, field in build_config.items() if isinstance(field, dict)}
        if field_name in values:
            values[field_name] = field_value
        tool_mode = bool(field_value) if field_name == "tool_mode" else "tools_metadata" in build_config
        _engine().sync_template(build_config, values["operation"], values["cypher"], tool_mode)
        self._keep_tool_texts(build_config)
        return build_config

    async def update_frontend_node(self, new_frontend_node: dict, current_frontend_node: dict) -> dict:
        """'Update component': keeps the fields of parameters, the visibility and the edited tool texts."""
        node = await super().update_frontend_node(new_frontend_node, current_frontend_node)
        template, saved = node["template"], current_frontend_node.get("template", {})
        engine = _engine()
        template.update({key: dict(field) for key, field in saved.items() if engine.is_parameter_field(key)})
        if tools := saved.get("tools_metadata"):
            template["tools_metadata"] = tools
        self._attributes.update(  # the tool is described from this instance, which holds the defaults
            {
                name: field["value"]
                for name, field in template.items()
                if isinstance(field, dict) and "value" in field and field.get("type") != "other" and not field.get("password")
            }
        )
        engine.sync_template(template, template["operation"]["value"], template["cypher"]["value"], "tools_metadata" in template)
        self._keep_tool_texts(template)
        return node

    def _keep_tool_texts(self, template: dict) -> None:
        tools = template.get("tools_metadata")
        if isinstance(tools, dict) and tools.get("value"):
            self.tools_metadata = tools["value"]

    # ---- run ---------------------------------------------------------------------------------------------------
    def _pre_run_setup(self) -> None:
        self._done = None  # two connected outputs run the operation once

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name, None) for name in self._inputs} | self._attributes

    async def _execute(self, arguments: dict[str, Any] | None = None) -> Any:
        """The engine's result; a failure is its sentence alone."""
        engine = _engine()
        try:
            return await engine.run(self._values(), arguments, lambda text: self.log(text, name="progress"))
        except Exception as error:
            raise ValueError(engine.sentence(error)) from None

    async def _result(self) -> Any:
        if getattr(self, "_done", None) is None:
            self._done = await self._execute()
        return self._done

    async def run_result(self) -> Message:
        text = (await self._result()).text
        if self._vertex and self.is_connected_to_chat_output():
            text = _engine().for_chat(text)
        return Message(text=text)

    async def run_table(self) -> DataFrame:
        return DataFrame((await self._result()).rows)

    # ---- tool --------------------------------------------------------------------------------------------------
    def _build_tool_output(self) -> Output:
        output = super()._build_tool_output()
        output.cache = False  # the tool is built again for each run, with the values of that run
        return output

    async def _get_tools(self) -> list:
        events, source = self.get_event_manager(), {"id": self.get_id()}

        async def call(arguments: dict[str, Any]) -> str:
            if events:
                events.on_build_start(data=source)
            try:
                return (await self._execute(arguments)).text
            finally:
                if events:
                    events.on_build_end(data=source)

        return [_engine().make_tool(self._values(), call, {"display_name": self.display_name, "source_id": self.get_id()})]
