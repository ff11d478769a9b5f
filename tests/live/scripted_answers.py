"""120 answers as language models give them, over the example incidents, each with the rows that are right.

``wrong`` is what the model says first, ``right`` what it says when it is told what is wrong ('' : hostile, nothing may run).
"""

from __future__ import annotations

from typing import NamedTuple


class Script(NamedTuple):
    kind: str
    wrong: str
    right: str


I_T = "(i:Incidencia)-[:ASIGNADA_A]->(t:Tecnico)"
I_C = "(i:Incidencia)-[:DE_CLIENTE]->(c:Cliente)"
I_M = "(i:Incidencia)-[:EN_MAQUINA]->(m:Maquina)"

RIGHT = [
    "MATCH (i:Incidencia) RETURN count(i) AS total",
    "MATCH (i:Incidencia {estado: 'abierta'}) RETURN count(i) AS total",
    "MATCH (i:Incidencia) RETURN i.estado AS estado, count(i) AS total ORDER BY estado",
    f"MATCH {I_T} RETURN t.nombre AS tecnico, count(i) AS total ORDER BY tecnico",
    f"MATCH {I_C} RETURN c.nombre AS cliente, count(i) AS total ORDER BY cliente",
    f"MATCH {I_M} RETURN m.marca AS marca, count(i) AS total ORDER BY marca",
    f"MATCH {I_T} WHERE t.nombre = 'Lucía Ortega' AND i.estado = 'abierta' RETURN i.codigo AS codigo ORDER BY codigo",
    f"MATCH {I_M} WHERE m.marca = 'Jaltec' AND i.fecha STARTS WITH '2026-08' RETURN i.codigo AS codigo ORDER BY codigo",
    "MATCH (i:Incidencia) WHERE i.fecha > '2026-09-15' RETURN i.codigo AS codigo ORDER BY codigo",
    "MATCH (i:Incidencia) RETURN i.codigo AS codigo ORDER BY i.fecha DESC LIMIT 3",
    f"MATCH {I_M} WHERE i.codigo_error = 'E07' RETURN i.codigo AS codigo, m.modelo AS modelo ORDER BY codigo",
    f"MATCH {I_T}, (i)-[:EN_MAQUINA]->(m:Maquina {{marca: 'Vellani'}}) WHERE i.estado = 'cerrada' RETURN DISTINCT t.nombre AS tecnico ORDER BY tecnico",
    "MATCH (c:Cliente) WHERE NOT EXISTS { (c)<-[:DE_CLIENTE]-(:Incidencia {estado: 'abierta'}) } RETURN c.nombre AS cliente ORDER BY cliente",
    "MATCH (m:Maquina) RETURN m.modelo AS modelo, m.marca AS marca ORDER BY modelo",
    f"MATCH {I_C} WITH c, count(i) AS total WHERE total > 3 RETURN c.nombre AS cliente, total ORDER BY cliente",
    f"MATCH {I_T} WITH t, count(DISTINCT i) AS n RETURN max(n) AS most",
    "MATCH (i:Incidencia) WHERE i.codigo_error IS NULL RETURN count(*) AS sin_codigo",
    "MATCH (i:Incidencia) WHERE toLower(i.text) CONTAINS 'gote' RETURN count(i) AS total",
    f"MATCH {I_C}, (i)-[:EN_MAQUINA]->(m:Maquina {{modelo: 'Brío 2G'}}) WHERE c.nombre = 'Bar La Giralda' RETURN i.codigo AS codigo ORDER BY codigo",
    "MATCH (i:Incidencia) RETURN substring(i.fecha, 0, 7) AS mes, count(i) AS total ORDER BY mes",
    f"MATCH {I_M} RETURN m.modelo AS modelo, count(i) AS total ORDER BY total DESC, modelo LIMIT 1",
    "MATCH (t:Tecnico) RETURN t.nombre AS tecnico ORDER BY tecnico",
    "MATCH (c:Cliente) RETURN c.nombre AS cliente ORDER BY cliente",
    "MATCH (i:Incidencia {codigo: 'INC-2608-07'}) RETURN i.estado AS estado, i.fecha AS fecha",
    f"MATCH {I_T} WHERE i.codigo = 'INC-2608-07' RETURN t.nombre AS tecnico",
    f"MATCH {I_C} WHERE i.codigo = 'INC-2608-07' RETURN c.nombre AS cliente",
    "MATCH (i:Incidencia) WHERE i.estado = 'abierta' RETURN i.codigo AS codigo ORDER BY i.fecha LIMIT 1",
    f"MATCH {I_T} WHERE t.nombre IN ['Javier Ruiz', 'Manuel Campos'] RETURN count(i) AS total",
    "MATCH (i:Incidencia) WITH count(i) AS todas MATCH (a:Incidencia {estado: 'abierta'}) WITH todas, count(a) AS abiertas RETURN toFloat(abiertas) / todas AS parte",
    f"MATCH {I_T} OPTIONAL MATCH (i)-[:EN_MAQUINA]->(m:Maquina {{marca: 'Molinar'}}) RETURN t.nombre AS tecnico, count(m) AS molinar ORDER BY tecnico",
    "MATCH (i:Incidencia) WHERE i.fecha >= '2026-08-10' AND i.fecha <= '2026-09-10' RETURN count(i) AS total",
    f"MATCH {I_M} WHERE m.modelo = 'Aurora 3G' AND i.codigo_error IS NOT NULL RETURN DISTINCT i.codigo_error AS codigo ORDER BY codigo",
    f"MATCH {I_C} WHERE i.estado = 'abierta' RETURN DISTINCT c.nombre AS cliente ORDER BY cliente",
    f"MATCH {I_T} WHERE NOT EXISTS {{ (t)<-[:ASIGNADA_A]-(:Incidencia)-[:EN_MAQUINA]->(:Maquina {{modelo: 'Mistral 1G'}}) }} RETURN DISTINCT t.nombre AS tecnico ORDER BY tecnico",
    "MATCH (i:Incidencia) RETURN min(i.fecha) AS primera, max(i.fecha) AS ultima",
    f"MATCH {I_M} RETURN m.marca AS marca, collect(DISTINCT m.modelo) AS modelos ORDER BY marca",
    f"MATCH {I_C} RETURN count(DISTINCT c) AS clientes",
    "MATCH (m:Maquina {marca: 'Jaltec'}) RETURN m.modelo AS modelo ORDER BY modelo",
    f"MATCH {I_T} WITH t, count(i) AS n ORDER BY n DESC, t.nombre RETURN t.nombre AS tecnico, n LIMIT 2",
    "UNWIND ['abierta', 'cerrada'] AS estado MATCH (i:Incidencia {estado: estado}) RETURN estado, count(i) AS total ORDER BY estado",
]

_TURNED = [
    (3, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (4, "(i:Incidencia)<-[:DE_CLIENTE]-(c:Cliente)"), (5, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"),
    (6, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (7, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"), (10, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"),
    (11, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (14, "(i:Incidencia)<-[:DE_CLIENTE]-(c:Cliente)"), (18, "(i:Incidencia)<-[:DE_CLIENTE]-(c:Cliente)"),
    (20, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"), (24, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (25, "(i:Incidencia)<-[:DE_CLIENTE]-(c:Cliente)"),
    (29, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (31, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"), (32, "(i:Incidencia)<-[:DE_CLIENTE]-(c:Cliente)"),
    (33, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"), (35, "(i:Incidencia)<-[:EN_MAQUINA]-(m:Maquina)"), (38, "(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico)"),
]  # fmt: skip
TURNED = [(RIGHT[n].replace(next(p for p in (I_T, I_C, I_M) if p in RIGHT[n]), wrong), RIGHT[n]) for n, wrong in _TURNED] + [
    ("MATCH (t:Tecnico)-[:ASIGNADA_A]->(i:Incidencia {codigo: 'INC-2608-07'}) RETURN t.nombre AS tecnico", RIGHT[24]),
    ("MATCH (c:Cliente)-[:DE_CLIENTE]->(i:Incidencia {estado: 'abierta'}) RETURN DISTINCT c.nombre AS cliente ORDER BY cliente", RIGHT[32]),
]

_RENAMED = [
    (1, "Incidencia", "Incidencias"), (1, "'abierta'", "'Abierta'"), (3, "ASIGNADA_A", "ASIGNADO_A"), (3, "t.nombre", "t.name"), (4, "DE_CLIENTE", "CLIENTE"),
    (5, "m.marca", "m.fabricante"), (6, "Lucía Ortega", "Lucia Ortega"), (6, "Tecnico", "Técnico"), (7, "'Jaltec'", "'JALTEC'"), (8, "i.fecha", "i.date"),
    (10, "'E07'", "'e07'"), (11, "EN_MAQUINA", "DE_MAQUINA"), (13, "m.modelo", "m.nombre_modelo"), (18, "Brío 2G", "Brio 2G"), (18, "Bar La Giralda", "La Giralda"),
    (23, "INC-2608-07", "INC 2608-07"), (24, "t.nombre", "t.nombre_completo"), (31, "'Aurora 3G'", "'Vellani Aurora 3G'"), (37, "Maquina", "Machine"), (37, "'Jaltec'", "'jaltec'"),
]  # fmt: skip
RENAMED = [(RIGHT[n].replace(good, bad), RIGHT[n]) for n, good, bad in _RENAMED]

BROKEN = [
    ("MATCH (i:Incidencia RETURN count(i) AS total", RIGHT[0]),
    ("MATCH (i:Incidencia) RETURN count(i) total", RIGHT[0]),
    ("MATCH (i:Incidencia) WHERE i.estado == 'abierta' RETURN count(i) AS total", RIGHT[1]),
    ("SELECT count(*) FROM Incidencia", RIGHT[0]),
    ("MATCH (i:Incidencia) WHERE i.estado = 'abierta RETURN count(i) AS total", RIGHT[1]),
    (f"MATCH {I_T} RETURN t.nombre AS tecnico, count(i) AS total GROUP BY tecnico", RIGHT[3]),
    (f"MATCH {I_T} RETURN t.nombre AS tecnico, count(i) AS total ORDER BY tecnico WITH t", RIGHT[3]),
    ("MATCH (i:Incidencia) RETURN j.codigo AS codigo", RIGHT[9]),
    ("MATCH (i:Incidencia) WITH i.fecha RETURN i.codigo AS codigo", RIGHT[9]),
    ("MATCH (i:Incidencia) RETURN count(i) AS total LIMIT 'tres'", RIGHT[0]),
    ("MATCH (i:Incidencia)-[ASIGNADA_A->(t:Tecnico) RETURN count(i) AS total", RIGHT[0]),
    ("MATCH (i:Incidencia) RETURN datepart('month', i.fecha) AS mes, count(i) AS total", RIGHT[19]),
    ("MATCH (i:Incidencia) WHERE i.fecha LIKE '2026-08%' RETURN count(i) AS total", RIGHT[0]),
    ("MATCH (i:Incidencia) RETURN count(i) AS total UNION RETURN 3 AS otra", RIGHT[0]),
    ("MATCH (i:Incidencia), RETURN count(i) AS total", RIGHT[0]),
]

WRAPPED = [
    ("```cypher\n{}\n```", 0), ("```\n{};\n```", 1), ("cypher\n{}", 2), ("<think>MATCH (n) DETACH DELETE n</think>\n{}", 3), ("{}<|im_end|>", 4),
    ("Claro, aquí va:\n\n{}\n\nEsto cuenta las incidencias.", 5), ("Primero\n```cypher\nMATCH (x) RETURN x\n```\npero mejor\n```cypher\n{}\n```", 6),
    ("`{}`", 7), ("Here is the query you asked for:\n```sql\n{}\n```\nIt lists them.", 8), ("**Cypher:**\n\n```cypher\n{}\n```", 9),
]  # fmt: skip

HOSTILE = [
    "MATCH (n) DETACH DELETE n",
    "INSERT (:Intruso)",
    "match (i:Incidencia) sEt i.estado = 'x' return i",
    "MATCH (i:Incidencia) FOREACH (x IN [1] | SET i.a = 1)",
    "CALL { CREATE (:Intruso) } RETURN 1 AS x",
    "CALL () { MERGE (:Intruso) } IN TRANSACTIONS OF 1 ROWS",
    "MATCH (n) RETURN n; MATCH (m) DETACH DELETE m",
    "/* solo lectura */ MERGE (:Intruso)",
    "LOAD CSV FROM 'http://127.0.0.1:1/x' AS l RETURN l",
    "CALL apoc.load.json('http://127.0.0.1:1/x') YIELD value RETURN value",
    "\\u0043REATE (:Intruso)",
    "USE system SHOW USERS",
    "SHOW SETTINGS",
    "ＣＲＥＡＴＥ (:Intruso)",
    "MATCH (i:Incidencia) REMOVE i.codigo",
]

SCRIPTS = (
    [Script("right", q, q) for q in RIGHT]
    + [Script("direction", w, r) for w, r in TURNED]
    + [Script("name", w, r) for w, r in RENAMED]
    + [Script("syntax", w, r) for w, r in BROKEN]
    + [Script("wrapped", text.replace("{}", RIGHT[n]), RIGHT[n]) for text, n in WRAPPED]
    + [Script("hostile", q, "") for q in HOSTILE]
)
