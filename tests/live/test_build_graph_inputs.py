"""Documents without a schema, and graph documents."""

from __future__ import annotations

from build_stubs import ReadingModel
from building import home, incident, query, run  # noqa: F401

from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph


async def test_without_a_schema_one_is_proposed_used_and_shown(connection):
    proposal = {
        "node_types": ["Incidencia(codigo, estado: abierta | cerrada)", "Cliente(nombre)"],
        "allowed_patterns": ["(Incidencia)-[:DE_CLIENTE]->(Cliente)"],
        "extraction_instructions": "Sin marca.",
    }
    model = ReadingModel(lambda t: incident(f"INC-{t[-1]}", "abierta") if t.startswith("doc") else proposal, name="m")

    def answer(prompt_text):
        return incident(f"INC-{prompt_text[-1]}", "abierta") | {"Repuesto": [{"nombre": "Junta"}]}

    model.answer = lambda t: proposal if "node_types" in model.prompts[-1] else answer(t)
    report = await run(connection, ["doc1", "doc2"], model, allowed_patterns="", node_types="")
    assert report["model_calls"] == 3 and all(text in model.prompts[0] for text in ("doc1", "doc2"))
    assert report["proposal"]["node_types"] == "Incidencia(codigo, estado: abierta | cerrada),\nCliente(nombre)"
    assert report["proposal"]["extraction_instructions"] == "Sin marca." and "Sin marca." in model.prompts[1]
    assert "(Incidencia)-[:DE_CLIENTE]->(Cliente)" in report["text"]
    assert report["nodes"] == {"Cliente": {"created": 1}, "Incidencia": {"created": 2}}
    assert [i["name"] for i in report["indexes"]] == ["incidencia_text"]
    again = await run(connection, ["doc1", "doc2"], model, allowed_patterns="", node_types="")
    assert again["model_calls"] == 0 and again["nodes_created"] == 0


async def test_without_a_usable_proposal_the_documents_are_read_all_the_same(connection):
    model = ReadingModel(lambda t: "No sé." if t != "doc1" else {"Cliente": [{"nombre": "Ana", "VIVE_EN": {"Ciudad": "Lugo"}}]})
    model.answer = lambda t, inner=model.answer: "No sé." if "node_types" in model.prompts[-1] else inner(t)
    report = await run(connection, ["doc1"], model, allowed_patterns="", node_types="")
    assert report["status"] == "ok" and any("no schema" in warning for warning in report["warnings"])
    assert await query(connection, "MATCH (a:Cliente)-[:VIVE_EN]->(b:Ciudad) RETURN count(*)") == [[1]]


async def test_graph_documents_are_saved_without_a_model(connection):
    from langchain_community.graphs.graph_document import GraphDocument, Node, Relationship
    from langchain_core.documents import Document

    ana, acme = Node(id="Ana", type="Person", properties={"age": 3}), Node(id="Acme", type="Company")
    graph = GraphDocument(
        nodes=[ana, acme],
        relationships=[Relationship(source=ana, target=acme, type="WORKS_AT", properties={"since": 2020})],
        source=Document(page_content="Ana works at Acme.", metadata={"source": "a.txt"}),
    )
    for _ in range(2):
        report = (await build_graph(connection, BuildGraphRequest([graph], save_source_chunks=True))).details["report"]
    assert report["nodes_created"] == 0 and report["model_calls"] == 0
    rows = await query(
        connection, "MATCH (c:Chunk)-[:MENTIONS]->(p:Person)-[r:WORKS_AT]->(o:Company) RETURN c.text, p.id, p.age, r.since, o.id"
    )
    assert rows == [["Ana works at Acme.", "Ana", 3, 2020, "Acme"]]


async def test_graph_documents_take_the_keys_of_the_fields(connection):
    from langchain_community.graphs.graph_document import GraphDocument, Node
    from langchain_core.documents import Document

    nodes = [Node(id="Ana", type="cliente"), Node(id="x", type="Otro")]
    graph = GraphDocument(nodes=nodes, relationships=[], source=Document(page_content=""))
    report = (await build_graph(connection, BuildGraphRequest([graph], node_types="Cliente(nombre)"))).details["report"]
    assert await query(connection, "MATCH (c:Cliente) RETURN c.nombre") == [["Ana"]]
    assert report["dropped"] == {"type not in the schema": 1}
