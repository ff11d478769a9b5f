"""The flow that builds a graph from documents: the three reports of the example travel inside it."""

from __future__ import annotations

from pathlib import Path

from editor import ROOT, Editor
from lfx.components.models_and_agents import LanguageModelComponent, PromptComponent
from saved_report import report_and_schema

PATTERNS = """\
(Incidencia)-[:DE_CLIENTE]->(Cliente)
(Incidencia)-[:ASIGNADA_A]->(Tecnico)
(Incidencia)-[:EN_MAQUINA]->(Maquina)"""

TYPES = """\
Incidencia(codigo, fecha, estado: abierta | cerrada, codigo_error)
Cliente(nombre), Tecnico(nombre), Maquina(modelo, marca)"""

INSTRUCTIONS = """\
El modelo de una Maquina se escribe sin la marca (Brío 2G, Aurora 3G, M64 OD); la marca va en marca.
Técnicos y modelos se escriben con su nombre entero; lo que el texto solo nombra a medias se deja fuera."""

README = """\
# Guardar documentos en un grafo

Un modelo de lenguaje lee tres informes mensuales de un servicio técnico y guarda en Neo4j sus incidencias, cada una unida a su \
cliente, su técnico y su máquina. No hay que escribir Cypher.

**Para ejecutarlo:**
1. En el nodo *Modelo* elige un modelo en *Language Model* y, si hace falta, pon tu clave. También puedes borrarlo y unir cualquier \
otro nodo de modelo de chat a *Language Model* del nodo *Leer*.
2. Abre *Playground* y pulsa *Run Flow*. Aparecen el informe de la carga y el esquema del grafo: 24 incidencias, 8 clientes, \
4 técnicos y 4 máquinas, con 72 relaciones. Si lo ejecutas otra vez, no se pregunta nada al modelo y no se duplica nada.

**Para leer tus documentos:**
1. Borra los tres nodos *Informe*.
2. Arrastra un nodo **Read File**, sube tus archivos (PDF, Word, texto) y une su salida *Files* con **Data** del nodo *Leer*; \
si es un solo archivo, *Raw Content*.
3. Cambia *Allowed Patterns* (qué se une con qué), *Node Types* (qué se guarda de cada cosa; la primera propiedad la identifica) y \
*Extraction Instructions* (cómo se escriben los nombres). Si dejas los tres vacíos, el modelo propone un esquema y el informe \
lo enseña para que lo pegues aquí.

**Save Source Chunks** guarda además el texto, pasaje a pasaje, como nodos *Chunk* unidos a lo que mencionan. Actívalo con manuales \
y textos de consulta, para buscar después en ellos y citar documento y página. Se hace entonces una llamada al modelo por pasaje.

**Si un documento posterior cuenta otra cosa**, como que una incidencia ya está cerrada, vale lo último. El orden lo dan las fechas \
de los documentos; volver a cargar un informe antiguo no reabre nada.

**La base de datos:** con los campos *Neo4j…* vacíos se usa el servidor que arranca `make editor`. Para usar otra, por ejemplo Aura, \
rellena *Neo4j URI*, *Neo4j Username* y *Neo4j Password* en los nodos *Leer* y *Esquema*."""

REPORTS = (("julio", "Informe de julio"), ("agosto", "Informe de agosto"), ("septiembre", "Informe de septiembre"))


def save_documents(folder: Path) -> None:
    flow = Editor()
    flow.note("leeme", -680, 0, README, width=600, height=1080)
    read = flow.neo4j(
        *("leer", 420, 200, "Neo4j GraphRAG · Leer", "Saca de los informes las incidencias, con su cliente, su técnico y su máquina."),
        operation="Build Graph",
        allowed_patterns=PATTERNS,
        node_types=TYPES,
        extraction_instructions=INSTRUCTIONS,
        fulltext_analyzer="spanish",
        local_embedding="multilingual-e5-small",
    )
    files = sorted((ROOT / "assets" / "informes").glob("*.md"))
    for place, ((word, title), file) in enumerate(zip(REPORTS, files, strict=True)):
        text = file.read_text(encoding="utf-8").replace("<!-- salto -->\n\n", "").strip()  # where the PDF begins a page
        about = "Texto de ejemplo; también está en PDF en assets/informes."
        report = flow.stock(PromptComponent, word, 0, 360 * place, title, about, use_double_brackets=True, template=text)
        flow.connect(report, "prompt", read, "data")
    model = flow.stock(LanguageModelComponent, "modelo", 0, 1080, "Modelo", "Elige aquí el modelo que lee los informes.")
    flow.connect(model, "model_output", read, "llm")
    report_and_schema(flow, read, 200)
    flow.save(
        folder / "guardar_documentos.json",
        "9c6e2b1d-4f37-4a0a-8b52-6d1e7f03c9a4",
        "Neo4j GraphRAG · guardar documentos",
        "Lee tres informes con un modelo de lenguaje, guarda sus incidencias en Neo4j y enseña el esquema del grafo.",
    )
