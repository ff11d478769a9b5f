"""The example records hold every figure, name and answer that the documentation promises."""
from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

PATH = Path(__file__).parents[3] / "assets" / "incidencias.json"
ROWS = json.loads(PATH.read_text(encoding="utf-8"))
FRAME = pd.DataFrame(ROWS)
COLUMNS = ["codigo", "fecha", "estado", "codigo_error", "cliente", "tecnico", "modelo", "marca", "text"]
TECHNICIANS = {"Lucía Ortega", "Javier Ruiz", "Rocío Benítez", "Manuel Campos"}
BRANDS = {"Aurora 3G": "Vellani", "Brío 2G": "Jaltec", "Mistral 1G": "Jaltec", "M64 OD": "Molinar"}
# What only a closed incident may say: something was done, and it worked.
SOLVED = re.compile(
    r"\bse (sustituy|cambi|reemplaz|repar|ajust|limpi|mont|reprogram|program|regul|peg|pul|aspir|retir|abri|apret)\w*(ó|aron|eron)\b"
    r"|\bqued[óa]\b|\bquedaron\b|resuelt|solucion|arregl|reparad|ya funciona|volvió a",
    re.IGNORECASE,
)


def by_code(code: str) -> dict:
    return next(row for row in ROWS if row["codigo"] == code)


def test_24_rows_with_the_columns_in_order():
    assert len(ROWS) == 24
    assert all(list(row) == COLUMNS for row in ROWS)
    assert all(isinstance(value, str) for row in ROWS for value in row.values())


def test_only_the_error_code_may_be_empty_and_only_in_a_few():
    empty = [(row["codigo"], column) for row in ROWS for column in COLUMNS if row[column] == ""]
    assert {column for _, column in empty} == {"codigo_error"}
    assert 3 <= len(empty) <= 8
    assert all(re.fullmatch(r"E\d\d", row["codigo_error"]) for row in ROWS if row["codigo_error"])


def test_codes_carry_month_and_running_number_in_order_of_date():
    assert FRAME["codigo"].is_unique
    assert FRAME["fecha"].is_monotonic_increasing
    running = Counter()
    for row in ROWS:
        month = row["fecha"][2:4] + row["fecha"][5:7]
        running[month] += 1
        assert row["codigo"] == f"INC-{month}-{running[month]:02d}"
    assert set(running) == {"2607", "2608", "2609"}


def test_dates_are_iso_text_and_use_both_ends_of_the_range():
    assert pd.to_datetime(FRAME["fecha"], format="%Y-%m-%d").dt.strftime("%Y-%m-%d").equals(FRAME["fecha"])
    assert (FRAME["fecha"].min(), FRAME["fecha"].max()) == ("2026-07-03", "2026-09-29")


def test_states_are_written_as_the_documentation_writes_them():
    assert set(FRAME["estado"]) == {"abierta", "cerrada"}


def test_8_clients_all_bars():
    clients = set(FRAME["cliente"])
    assert len(clients) == 8
    assert all(name.startswith("Bar ") for name in clients)
    assert {"Bar El Postigo", "Bar La Giralda"} <= clients


def test_the_4_technicians_and_no_ana_ruiz():
    assert set(FRAME["tecnico"]) == TECHNICIANS
    assert "Ana Ruiz" not in PATH.read_text(encoding="utf-8")


def test_4_models_each_of_one_brand():
    assert {(row["modelo"], row["marca"]) for row in ROWS} == set(BRANDS.items())


def test_incidents_by_brand():
    assert Counter(FRAME["marca"]) == {"Vellani": 9, "Jaltec": 8, "Molinar": 7}


def test_the_graph_has_40_nodes_and_72_relationships():
    columns = ["codigo", "cliente", "tecnico", "modelo"]
    assert sum(FRAME[column].nunique() for column in columns) == 40
    assert (FRAME[["cliente", "tecnico", "modelo"]] != "").to_numpy().sum() == 72


def test_lucia_has_exactly_three_open_incidents_each_with_its_bar_and_machine():
    mine = FRAME[(FRAME["tecnico"] == "Lucía Ortega") & (FRAME["estado"] == "abierta")]
    assert set(zip(mine["codigo"], mine["cliente"], mine["modelo"])) == {
        ("INC-2608-06", "Bar La Alameda", "Mistral 1G"),
        ("INC-2609-02", "Bar Los Naranjos", "Aurora 3G"),
        ("INC-2609-05", "Bar La Giralda", "M64 OD"),
    }


def test_two_aurora_that_did_not_dose_were_solved_with_the_same_flow_meter():
    cases = FRAME[FRAME["codigo_error"] == "E07"]
    assert set(cases["modelo"]) == {"Aurora 3G"} and set(cases["estado"]) == {"cerrada"}
    assert sorted(cases["tecnico"]) == ["Javier Ruiz", "Rocío Benítez"]
    for text in cases["text"]:
        assert re.search(r"no dosifica", text)
        assert "Se sustituyó el caudalímetro VL-1180" in text
    assert [row["codigo"] for row in ROWS if "VL-1180" in row["text"]] == list(cases["codigo"])


def test_the_incident_that_the_documentation_shows():
    row = dict(by_code("INC-2608-07"))
    assert row.pop("text").startswith("La máquina mostraba E01 por falta de agua en la red")
    assert row == {
        "codigo": "INC-2608-07", "fecha": "2026-08-26", "estado": "abierta", "codigo_error": "E01",
        "cliente": "Bar El Postigo", "tecnico": "Manuel Campos", "modelo": "Aurora 3G", "marca": "Vellani",
    }


def test_exactly_one_technician_has_only_an_open_vellani_incident():
    vellani = FRAME[FRAME["marca"] == "Vellani"]
    worked = set(vellani["tecnico"])
    repaired = set(vellani[vellani["estado"] == "cerrada"]["tecnico"])
    assert worked == TECHNICIANS
    assert worked - repaired == {"Manuel Campos"}
    assert list(vellani[vellani["tecnico"] == "Manuel Campos"]["codigo"]) == ["INC-2608-07"]


def test_recipe_clients_with_jaltec_machines_in_august():
    found = FRAME[(FRAME["marca"] == "Jaltec") & FRAME["fecha"].str.startswith("2026-08")]
    assert set(found["cliente"]) == {"Bar Puerta Osario", "Bar La Giralda", "Bar La Alameda"}


def test_recipe_closed_incidents_of_rocio():
    assert len(FRAME[(FRAME["tecnico"] == "Rocío Benítez") & (FRAME["estado"] == "cerrada")]) == 4


def test_recipe_brio_2g_of_bar_la_giralda_and_who_has_them():
    found = FRAME[(FRAME["cliente"] == "Bar La Giralda") & (FRAME["modelo"] == "Brío 2G")]
    assert list(zip(found["codigo"], found["estado"], found["tecnico"])) == [
        ("INC-2607-01", "cerrada", "Javier Ruiz"),
        ("INC-2608-05", "cerrada", "Manuel Campos"),
        ("INC-2609-07", "abierta", "Rocío Benítez"),
    ]


@pytest.mark.parametrize(
    ("rows", "column", "first"),
    [
        (FRAME[FRAME["estado"] == "abierta"], "tecnico", "Lucía Ortega"),
        (FRAME, "cliente", "Bar La Giralda"),
        (FRAME, "modelo", "Aurora 3G"),
    ],
)
def test_questions_for_the_most_have_one_answer(rows, column, first):
    counts = rows[column].value_counts()
    assert counts.index[0] == first and counts.iloc[0] > counts.iloc[1]


@pytest.mark.parametrize(
    ("pattern", "codes"),
    [
        ("got(eo|eaba)", {"INC-2607-02", "INC-2608-02", "INC-2608-05"}),
        ("junta del grupo", {"INC-2607-02", "INC-2608-05"}),
        ("(pierde|perdía) agua por debajo", {"INC-2607-05", "INC-2609-02"}),
    ],
)
def test_example_searches_have_answers(pattern, codes):
    assert {row["codigo"] for row in ROWS if re.search(pattern, row["text"])} == codes


@pytest.mark.parametrize("state", ["abierta", "cerrada"])
def test_every_technician_can_be_asked_for_both_states(state):
    assert set(FRAME[FRAME["estado"] == state]["tecnico"]) == TECHNICIANS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["codigo"])
def test_texts_have_40_to_120_words_and_agree_with_their_columns(row):
    text = row["text"]
    assert 40 <= len(text.split()) <= 120
    assert set(re.findall(r"\bE\d\d\b", text)) == ({row["codigo_error"]} if row["codigo_error"] else set())
    for name in {*FRAME["cliente"], *FRAME["tecnico"], *FRAME["modelo"], *FRAME["marca"]} - set(row.values()):
        assert name not in text
    grinder = row["modelo"] == "M64 OD"
    assert bool(re.search(r"\bmol(ino|ía)\b", text)) == grinder
    assert bool(re.search(r"grupo|caldera|cafetera|lanza|bomba|desagüe|infusiones|electroválvula", text)) != grinder


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["codigo"])
def test_closed_texts_say_what_was_done_and_open_ones_do_not(row):
    found = SOLVED.search(row["text"])
    assert bool(found) == (row["estado"] == "cerrada"), found


def test_texts_are_all_different():
    assert FRAME["text"].is_unique
    assert FRAME["text"].str.split(".").str[0].is_unique
