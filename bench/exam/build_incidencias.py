"""Writes incidencias.yaml: 66 questions over assets/incidencias.json with answers computed by pandas.

Run: python bench/exam/build_incidencias.py. The format is that of ``neo4j-graphrag evaluate``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from exam_file import write

HERE = Path(__file__).parent
ROWS = json.loads((HERE.parents[1] / "assets" / "incidencias.json").read_text(encoding="utf-8"))
df = pd.DataFrame(ROWS)
df["mes"] = df.fecha.str[:7]
open_, closed = df[df.estado == "abierta"], df[df.estado == "cerrada"]


def tech(name):
    return df[df.tecnico == name]


def counts(frame, column):
    return [[k, int(v)] for k, v in frame.groupby(column).size().items()]


def top(frame, column):
    sizes = frame.groupby(column).size()
    return sorted(sizes[sizes == sizes.max()].index)


def unique(series):
    return sorted(set(series))


# Two examples of the kind that the documentation advises: counting with a filter, and two relationships.
EXAMPLES = """Pregunta: ¿Cuántas incidencias cerradas tiene Manuel Campos?
Cypher: MATCH (i:Incidencia {estado: 'cerrada'})-[:ASIGNADA_A]->(:Tecnico {nombre: 'Manuel Campos'}) RETURN count(i) AS total

Pregunta: ¿Qué clientes tuvieron incidencias en máquinas Molinar en julio?
Cypher: MATCH (i:Incidencia)-[:EN_MAQUINA]->(:Maquina {marca: 'Molinar'}), (i)-[:DE_CLIENTE]->(c:Cliente) WHERE i.fecha STARTS WITH '2026-07' RETURN DISTINCT c.nombre AS cliente
"""

QUESTIONS = [
    # The six of the kind that documents answer badly: relations and counts.
    ("seis", "¿Cuántas incidencias abiertas tiene Lucía Ortega?", len(open_[open_.tecnico == "Lucía Ortega"])),
    ("seis", "¿Qué cliente ha tenido más averías?", top(df, "cliente")),
    ("seis", "¿Qué técnicos han reparado máquinas Vellani?", unique(closed[closed.marca == "Vellani"].tecnico)),
    ("seis", "¿Qué clientes tuvieron incidencias en máquinas Jaltec en agosto?", unique(df[(df.marca == "Jaltec") & (df.mes == "2026-08")].cliente)),
    ("seis", "¿Cuántas incidencias ha tenido cada marca?", counts(df, "marca")),
    ("seis", "¿Qué incidencias ha tenido la Brío 2G del Bar La Giralda y quién las lleva?",
     df[(df.modelo == "Brío 2G") & (df.cliente == "Bar La Giralda")][["codigo", "tecnico"]].values.tolist()),
    # Counts
    ("contar", "¿Cuántas incidencias hay en total?", len(df)),
    ("contar", "How many incidents are closed?", len(closed)),
    ("contar", "¿Cuántas incidencias cerradas tiene Rocío Benítez?", len(closed[closed.tecnico == "Rocío Benítez"])),
    ("contar", "How many different machine models are there?", df.modelo.nunique()),
    ("contar", "¿Cuántas incidencias hubo en septiembre?", len(df[df.mes == "2026-09"])),
    ("contar", "How many incidents were there each month?", counts(df, "mes")),
    ("contar", "¿Cuántas incidencias no tienen código de error?", int((df.codigo_error.fillna("") == "").sum())),
    ("contar", "How many bars have had at least one incident with a Vellani machine?", df[df.marca == "Vellani"].cliente.nunique()),
    ("contar", "¿Cuántas incidencias abiertas y cuántas cerradas hay?", counts(df, "estado")),
    ("contar", "¿Cuántas incidencias ha atendido cada técnico?", counts(df, "tecnico")),
    # Top and order
    ("orden", "¿Qué técnico tiene más incidencias abiertas?", top(open_, "tecnico")),
    ("orden", "Which machine model has the most incidents?", top(df, "modelo")),
    ("orden", "¿Cuál es la incidencia más reciente?", [df.sort_values("fecha").codigo.iloc[-1]]),
    ("orden", "Which is the oldest incident that is still open?", [open_.sort_values("fecha").codigo.iloc[0]]),
    ("orden", "¿Cuáles son las tres últimas incidencias?", df.sort_values("fecha").codigo.tolist()[-3:]),
    ("orden", "What is the most frequent error code?", top(df[df.codigo_error.fillna("") != ""], "codigo_error")),
    ("orden", "¿Qué mes tuvo más incidencias?", top(df, "mes")),
    ("orden", "Which clients have had the fewest incidents?", (lambda s: sorted(s[s == s.min()].index))(df.groupby("cliente").size())),
    # Dates
    ("fechas", "¿Qué incidencias hubo en julio?", unique(df[df.mes == "2026-07"].codigo)),
    ("fechas", "Which incidents were reported on 26 August 2026?", unique(df[df.fecha == "2026-08-26"].codigo)),
    ("fechas", "¿Qué incidencias se abrieron después del 15 de septiembre?", unique(df[df.fecha > "2026-09-15"].codigo)),
    ("fechas", "How many incidents were there between 10 August and 10 September 2026, both included?",
     int(((df.fecha >= "2026-08-10") & (df.fecha <= "2026-09-10")).sum())),
    ("fechas", "¿Qué clientes llamaron en la primera quincena de agosto?",
     unique(df[(df.fecha >= "2026-08-01") & (df.fecha <= "2026-08-15")].cliente)),
    ("fechas", "When was the first incident of Bar El Postigo?", df[df.cliente == "Bar El Postigo"].fecha.min()),
    # Lists and lookups
    ("listas", "¿Qué incidencias abiertas tiene Lucía Ortega, con su bar y su máquina?",
     open_[open_.tecnico == "Lucía Ortega"][["codigo", "cliente", "modelo"]].values.tolist()),
    ("listas", "Who handles INC-2608-07?", df[df.codigo == "INC-2608-07"].tecnico.iloc[0]),
    ("listas", "¿De qué marca es la M64 OD?", df[df.modelo == "M64 OD"].marca.iloc[0]),
    ("listas", "Which models does Jaltec make?", unique(df[df.marca == "Jaltec"].modelo)),
    ("listas", "¿Qué incidencias han marcado E07?", unique(df[df.codigo_error == "E07"].codigo)),
    ("listas", "Which error codes has the Aurora 3G shown?",
     unique(df[(df.modelo == "Aurora 3G") & (df.codigo_error.fillna("") != "")].codigo_error)),
    ("listas", "Lista los clientes.", unique(df.cliente)),
    ("listas", "Which bars have an open incident?", unique(open_.cliente)),
    ("listas", "¿En qué estado está la incidencia INC-2607-08?", df[df.codigo == "INC-2607-08"].estado.iloc[0]),
    # Two and three hops
    ("saltos", "¿Qué técnicos han trabajado para el Bar La Giralda?", unique(df[df.cliente == "Bar La Giralda"].tecnico)),
    ("saltos", "Which models has Javier Ruiz worked on?", unique(tech("Javier Ruiz").modelo)),
    ("saltos", "¿Qué marcas de máquina ha atendido Manuel Campos?", unique(tech("Manuel Campos").marca)),
    ("saltos", "Which clients share a technician with Bar El Arenal?",
     unique(df[df.tecnico.isin(df[df.cliente == "Bar El Arenal"].tecnico) & (df.cliente != "Bar El Arenal")].cliente)),
    ("saltos", "¿Qué máquinas tienen el mismo código de error que alguna incidencia de la Mistral 1G?",
     unique(df[df.codigo_error.isin(set(df[df.modelo == "Mistral 1G"].codigo_error) - {"", None}) & (df.modelo != "Mistral 1G")].modelo)),
    ("saltos", "How many incidents has each technician had with Vellani machines?", counts(df[df.marca == "Vellani"], "tecnico")),
    ("saltos", "¿Qué bares han tenido averías en más de un modelo de máquina?",
     (lambda s: sorted(s[s > 1].index))(df.groupby("cliente").modelo.nunique())),
    ("saltos", "Which technician has worked for the most different clients?",
     (lambda s: sorted(s[s == s.max()].index))(df.groupby("tecnico").cliente.nunique())),
    ("saltos", "¿Cuántas incidencias abiertas tiene cada marca?", counts(open_, "marca")),
    # Negation
    ("negación", "¿Qué bares no tienen ninguna incidencia abierta?", unique(set(df.cliente) - set(open_.cliente))),
    ("negación", "Which technicians have never worked on a Mistral 1G?", unique(set(df.tecnico) - set(df[df.modelo == "Mistral 1G"].tecnico))),
    ("negación", "¿Qué clientes no han tenido averías en máquinas Molinar?", unique(set(df.cliente) - set(df[df.marca == "Molinar"].cliente))),
    ("negación", "Which clients had no incident in August?", unique(set(df.cliente) - set(df[df.mes == "2026-08"].cliente))),
    # Ties and shares
    ("proporción", "¿Qué porcentaje de las incidencias está abierto?", round(100 * len(open_) / len(df), 2)),
    ("proporción", "What is the average number of incidents per client?", round(len(df) / df.cliente.nunique(), 2)),
    ("proporción", "¿Qué porcentaje de las incidencias de Rocío Benítez está cerrado?",
     round(100 * len(closed[closed.tecnico == "Rocío Benítez"]) / len(tech("Rocío Benítez")), 2)),
    # Empty answers
    ("vacías", "¿Cuántas incidencias abiertas tiene Ana Ruiz?", 0),
    ("vacías", "Which incidents of Bar Santa Cruz are open?", unique(open_[open_.cliente == "Bar Santa Cruz"].codigo)),
    ("vacías", "¿Qué incidencias hubo en enero de 2026?", []),
    ("vacías", "How many incidents showed E99?", 0),
    # Misspelt, without accents, without capitals
    ("escritura", "cuantas incidencias tiene lucia ortega", len(tech("Lucía Ortega"))),
    ("escritura", "que averias ha tenido el bar la jiralda", unique(df[df.cliente == "Bar La Giralda"].codigo)),
    ("escritura", "How many incidents has Rocio Benites closed?", len(closed[closed.tecnico == "Rocío Benítez"])),
    ("escritura", "incidencias de la brio 2g en agosto", unique(df[(df.modelo == "Brío 2G") & (df.mes == "2026-08")].codigo)),
    ("escritura", "quien lleva la incidencia inc-2609-05", df[df.codigo == "INC-2609-05"].tecnico.iloc[0]),
    ("escritura", "¿Cuántas averías ha tenido el Postigo?", len(df[df.cliente == "Bar El Postigo"])),
    ("escritura", "Cuántas maquinas vellani han fallado con E05", len(df[(df.marca == "Vellani") & (df.codigo_error == "E05")])),
]

if __name__ == "__main__":
    write(HERE / "incidencias.yaml", EXAMPLES, QUESTIONS)
