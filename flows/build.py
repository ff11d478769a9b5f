"""Writes the flows of this folder from the live components (``make flows``)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from agente import agent
from editor import ROOT, Editor
from guardar_documentos import save_documents
from lfx.components.models_and_agents import PromptComponent
from saved_report import report_and_schema

RELATIONSHIPS = """\
cliente -> DE_CLIENTE -> Cliente.nombre
tecnico -> ASIGNADA_A -> Tecnico.nombre
modelo -> EN_MAQUINA -> Maquina.modelo (marca)"""

SAVE_ROWS = """\
# Guardar registros en un grafo

Guarda una tabla en Neo4j sin escribir Cypher y enseña después qué hay en el grafo.

**Para ejecutarlo**, abre *Playground* y pulsa *Run Flow*. Aparecen el informe de la carga y el esquema del grafo. \
Ejecútalo otra vez y verás que no se duplica nada.

**Para guardar tu propio archivo:**
1. Borra el nodo *Incidencias de ejemplo*.
2. Arrastra un nodo **Read File**, sube tu archivo (JSON, CSV o Excel) y une su salida *Structured Content* \
con **Data** del nodo *Guardar*; si es un Excel, une *File Path*.
3. Cambia *Node Label* (qué es cada fila), *Key Property* (la columna que la identifica) y *Relationships* \
(una línea por cada columna que quieras como nodo aparte).

**La base de datos:** con los campos *Neo4j…* vacíos se usa el servidor que arranca `make editor`. Para usar otra, \
por ejemplo Aura, rellena *Neo4j URI*, *Neo4j Username* y *Neo4j Password* en los nodos *Guardar* y *Esquema*."""


def save_rows(folder: Path) -> None:
    rows = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
    flow = Editor()
    flow.note("leeme", -640, 0, SAVE_ROWS, width=560, height=720)
    example = flow.stock(
        *(PromptComponent, "filas", 0, 0, "Incidencias de ejemplo", "24 incidencias de un servicio técnico de cafeteras, en JSON."),
        use_double_brackets=True,
        template=json.dumps(rows, ensure_ascii=False, indent=1),
    )
    save = flow.neo4j(
        *("guardar", 420, 0, "Neo4j GraphRAG · Guardar", "Cada fila es una incidencia, unida a su cliente, su técnico y su máquina."),
        operation="Add Records",
        node_label="Incidencia",
        key_property="codigo",
        relationships=RELATIONSHIPS,
        fulltext_analyzer="spanish",
        local_embedding="multilingual-e5-small",
    )
    flow.connect(example, "prompt", save, "data")
    report_and_schema(flow, save, 0)
    flow.save(
        folder / "guardar_registros.json",
        "3f0c1a52-7b1e-4c86-9d0e-5a7c2f6b8e01",
        "Neo4j GraphRAG · guardar registros",
        "Guarda 24 incidencias en Neo4j y enseña el esquema del grafo.",
    )


def build(folder: Path) -> None:
    """Write every flow into ``folder``."""
    save_rows(folder)
    save_documents(folder)
    agent(folder)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "flows")
