"""Spanish titles and hints of the node, for a Langflow whose interface is in Spanish.

Langflow 1.13 has no way for a pack to bring its translations, so they are put into its table in memory. That
table is private to Langflow: whatever is different there, the node stays in English.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

_log = logging.getLogger(__name__)
_registered: set[tuple] = set()

DESCRIPTION = "Guarda datos en un grafo de Neo4j y responde a partir de él, sin escribir Cypher."
OUTPUTS = {
    "result": ("Resultado", "Texto para leer, una persona o un agente."),
    "table": ("Tabla", "Lo mismo en filas y columnas."),
}
FIELDS = {
    "operation": ("Operación", "Qué hace este nodo; los campos de abajo cambian con ella. Ejemplo: Add Records guarda una tabla en el grafo."),
    "uri": (
        "Neo4j URI",
        "Dirección de la base de datos, por ejemplo neo4j+s://1234.databases.neo4j.io; vacía, se usa NEO4J_URI o el servidor incluido.",
    ),
    "username": ("Usuario de Neo4j", "Usuario de la base de datos, por ejemplo neo4j."),
    "password": ("Contraseña de Neo4j", "Contraseña de ese usuario, mejor como variable global, por ejemplo NEO4J_PASSWORD."),
    "database": ("Base de datos", "Base de datos del servidor, por ejemplo neo4j; vacía, la del usuario."),
    "data": ("Datos", "Filas o documentos que se guardan, por ejemplo la salida de Read File."),
    "embedding": ("Embedding", "Modelo de embeddings, el mismo al guardar y al buscar, por ejemplo la salida de Embedding Model."),
    "local_embedding": (
        "Embedding local",
        "Modelo de embeddings dentro de este Langflow, cuando Embedding no está conectado, por ejemplo multilingual-e5-small.",
    ),
    "llm": ("Modelo de lenguaje", "Modelo que lee los documentos o escribe el Cypher, por ejemplo la salida de Language Model."),
    "node_label": ("Tipo de nodo", "Tipo del nodo en que se convierte cada fila, por ejemplo Incidencia."),
    "key_property": ("Propiedad clave", "Columna que identifica cada fila, por ejemplo codigo."),
    "relationships": (
        "Relaciones",
        "Una línea por cada columna que pasa a ser un nodo enlazado, por ejemplo: cliente -> DE_CLIENTE -> Cliente.nombre (ciudad)",
    ),
    "write_query": (
        "Consulta de escritura",
        "Tu propio Cypher en lugar de Relaciones; $rows son las filas, por ejemplo: "
        "UNWIND $rows AS row MERGE (i:Incidencia {codigo: row.codigo}) SET i.fecha = date(row.fecha)",
    ),
    "text_column": (
        "Columna de texto",
        "Columna en la que se busca por significado y por palabras, por ejemplo text; vacía, text o la columna más larga.",
    ),
    "column_types": ("Tipos de columna", "Tipos de las columnas que llegan como texto, por ejemplo: fecha: date, precio: float"),
    "empty_cells": (
        "Celdas vacías",
        "Qué hace una celda vacía con el valor guardado: keep lo deja y clear lo quita; por ejemplo clear tras vaciar una columna.",
    ),
    "preview": ("Vista previa", "Dice qué cambiaría y no escribe nada, por ejemplo antes de la primera carga."),
    "allowed_patterns": ("Patrones permitidos", "Relaciones que se buscan, una por línea, por ejemplo: (Incidencia)-[:DE_CLIENTE]->(Cliente)"),
    "node_types": (
        "Tipos de nodo",
        "Tipos con sus propiedades, la primera de las cuales es la clave, por ejemplo: "
        "Incidencia(codigo, fecha, estado: abierta | cerrada), Cliente(nombre)",
    ),
    "relationship_types": ("Tipos de relación", "Tipos de relaciones, por ejemplo: DE_CLIENTE, ASIGNADA_A"),
    "extraction_instructions": (
        "Instrucciones de extracción",
        "Cómo se escriben los nombres y los valores, por ejemplo: El modelo de una Maquina se escribe sin la marca.",
    ),
    "save_source_chunks": (
        "Guardar fragmentos",
        "Guarda también cada texto como Chunk enlazado con lo que menciona, por ejemplo para buscar pasajes de un manual.",
    ),
    "vector_index": (
        "Índice vectorial",
        "Índice para buscar por significado, por ejemplo incidencia_vector; vacío, se crea o se usa el que haya.",
    ),
    "fulltext_index": (
        "Índice de texto",
        "Índice para buscar por palabras, por ejemplo incidencia_text; vacío, se crea o se usa el que haya.",
    ),
    "fulltext_analyzer": ("Analizador de texto", "Idioma de los textos para buscar por palabras, por ejemplo spanish."),
    "query": ("Pregunta", "La pregunta o el texto que se busca, por ejemplo: ¿Qué incidencias abiertas tiene Lucía Ortega?"),
    "filters": ("Filtros", "Condiciones que cumple cada resultado, una por línea, por ejemplo: estado = abierta"),
    "retrieval_query": (
        "Consulta de recuperación",
        "Cypher que se ejecuta sobre cada resultado, con node y score; vacía, trae sus vecinos; por ejemplo: "
        "MATCH (node)-[:ASIGNADA_A]->(t) RETURN node.codigo AS codigo, t.nombre AS tecnico, score",
    ),
    "examples": (
        "Ejemplos",
        "Preguntas con el Cypher que las responde, por ejemplo: Pregunta: ¿Cuántas hay abiertas? "
        "Cypher: MATCH (i:Incidencia {estado: 'abierta'}) RETURN count(i) AS total",
    ),
    "graph_description": (
        "Descripción del grafo",
        "De qué trata el grafo, con tus palabras, por ejemplo: Incidencias de un servicio técnico de cafeteras.",
    ),
    "run_after": (
        "Ejecutar después de",
        "Conecta cualquier salida para describir el grafo cuando ese nodo haya acabado, por ejemplo el Resultado de Add Records.",
    ),
    "number_of_results": (
        "Número de resultados",
        "Resultados de una búsqueda, por ejemplo 5; una respuesta de Cypher tiene hasta 20 filas por cada uno.",
    ),
    "query_timeout": ("Tiempo máximo", "Segundos que puede tardar una consulta o un lote de filas, por ejemplo 10."),
    "token_limit": ("Límite de tokens", "Respuesta más larga en tokens, cortada por filas enteras, por ejemplo 2048."),
    "format": ("Formato", "Cómo se escribe el resultado, por ejemplo yaml."),
    "cypher": (
        "Cypher",
        "La consulta, de solo lectura; cada $nombre pasa a ser un campo, por ejemplo: "
        "MATCH (i:Incidencia)-[:ASIGNADA_A]->(t:Tecnico {nombre: $tecnico}) RETURN i.codigo AS codigo",
    ),
}


def register_spanish(name: str, class_name: str, title: str, description: str, inputs: list[Any], outputs: list[Any]) -> bool:
    """Add the Spanish texts to a running Langflow server; True when they are there.

    The keys hold a hash of the English text, taken here from the node itself. ``lfx run`` has no translations
    and gives False, like a Langflow that keeps them elsewhere.
    """
    if "langflow" not in sys.modules:
        return False
    english = (name, class_name, title, description, *((field.name, field.display_name, field.info) for field in (*inputs, *outputs)))
    if english in _registered:  # the editor runs the node's file several times for each key stroke
        return True
    try:
        from langflow.utils import i18n
        from langflow.utils.i18n_keys import component_field_key, normalize_component_key

        if not i18n._translations:
            i18n._load_translations()
        spanish = i18n._translations["es"]
        bundle = "ext:neo4j_graphrag:" + class_name
        for kind in (name, class_name, f"{bundle}@official", f"{bundle}@extra"):
            norm = normalize_component_key(kind)
            texts = [("description", description, DESCRIPTION), ("display_name", title, title)]
            for group, fields, known in (("inputs", inputs, FIELDS), ("outputs", outputs, OUTPUTS)):
                for field in fields:
                    label, hint = known.get(field.name, (field.display_name, field.info))
                    texts += [(f"{group}.{field.name}.display_name", field.display_name, label), (f"{group}.{field.name}.info", field.info, hint)]
            spanish.update({component_field_key(norm, path, english): translated for path, english, translated in texts if english})
    except Exception as error:
        _log.debug("Spanish titles are not available: %r", error)
        return False
    _registered.add(english)
    return True
