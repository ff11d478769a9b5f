"""The nine documents: their size, their traps, and that the reports alone tell what the records hold."""
from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import knowledge
import make_reports
import pytest
import yaml

ROOT = Path(__file__).parents[3]
ROWS = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
CODES = {row["codigo"] for row in ROWS}
NAMES = {column: {row[column] for row in ROWS} for column in ("cliente", "tecnico", "modelo", "marca")}
MONTHS = {7: "julio", 8: "agosto", 9: "septiembre"}
CODE = re.compile(r"INC-\d{4}-\d{2}")
QUESTIONS = yaml.safe_load((ROOT / "bench" / "preguntas_base_conocimiento.yaml").read_text(encoding="utf-8"))
RANKING = yaml.safe_load((ROOT / "bench" / "preguntas_documentos.yaml").read_text(encoding="utf-8"))


@cache
def texts() -> dict[str, str]:
    return knowledge.documents()


@cache
def passages() -> list[knowledge.Passage]:
    return knowledge.passages()


def reports() -> list[str]:
    """Text of the three reports in order of month, each on one line."""
    return [" ".join(text.split()) for name, text in texts().items() if name.endswith(".pdf")]


def manuals() -> dict[str, str]:
    return {name: text for name, text in texts().items() if name.endswith(".md")}


def answering(words: list[str]) -> list[knowledge.Passage]:
    return [passage for passage in passages() if any(passage.says(one) for one in words)]


def ids(rows):
    return [row["codigo"] for row in rows]


def test_nine_documents_of_about_64000_characters():
    assert list(texts()) == [
        "informe_2026_07.pdf", "informe_2026_08.pdf", "informe_2026_09.pdf",
        "guia_tecnicos.md", "manual_codigos_error.md", "manual_mantenimiento.md", "manual_recambios.md",
        "politica_garantia.md", "preguntas_frecuentes.md",
    ]
    assert 62_000 <= sum(map(len, texts().values())) <= 66_000


def test_80_passages_of_800():
    assert len(passages()) == 80
    assert max(len(passage.text) for passage in passages()) <= 800
    assert len({passage.text for passage in passages()}) == 80


# The PDFs


def test_rebuilt_pdfs_say_what_the_committed_ones_say_and_are_the_same_bytes_each_time(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
        make_reports.main(folder)
    built = sorted(first.glob("*.pdf"))
    assert len(built) == 3
    for path in built:
        assert path.read_bytes() == (second / path.name).read_bytes()
        assert knowledge.read(path) == texts()[path.name]


def test_pdfs_are_small_and_nothing_runs_over_its_page():
    committed = list((ROOT / "assets" / "informes").glob("*.pdf"))
    assert sum(path.stat().st_size for path in committed) < 300_000
    for path in committed:
        breaks = path.with_suffix(".md").read_text(encoding="utf-8").count(make_reports.PAGE_BREAK)
        assert len(knowledge.PdfReader(path).pages) == breaks + 1


def test_every_word_of_the_source_is_in_the_pdf_with_its_accents():
    for path in sorted((ROOT / "assets" / "informes").glob("*.md")):
        source = path.read_text(encoding="utf-8").replace(make_reports.PAGE_BREAK, "")
        words = re.findall(r"[^\W\d_]+", source)
        assert re.findall(r"[^\W\d_]+", texts()[path.with_suffix(".pdf").name]) == words
        assert {"á", "é", "í", "ó", "ú", "ñ"} <= set("".join(words))


def test_a_row_of_a_table_is_one_line():
    assert "INC-2608-06 21/08/2026 Bar La Alameda Mistral 1G E02" in texts()["informe_2026_08.pdf"]
    assert "INC-2608-07 Bar El Postigo Manuel Campos abierta" in texts()["informe_2026_09.pdf"]


# The reports tell the records


def stated(row: dict) -> str:
    """What the report of the row's month says around each mention of its code, before its list of pending work."""
    text = reports()[int(row["fecha"][5:7]) - 7].split(" Pendientes ")[0]
    places = [match.start() for match in re.finditer(re.escape(row["codigo"]), text)]
    assert places
    return " … ".join(text[max(0, place - 200):place + 450] for place in places)


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_each_incident_is_told_in_the_report_of_its_month_with_all_its_facts(row):
    around = stated(row)
    day, month, year = int(row["fecha"][8:]), int(row["fecha"][5:7]), row["fecha"][:4]
    assert row["cliente"] in around and row["tecnico"] in around and row["modelo"] in around
    assert f"{day} de {MONTHS[month]}" in around or f"{day:02d}/{month:02d}/{year}" in around
    if row["codigo_error"]:
        assert re.search(rf"\b{row['codigo_error']}\b", around)
    else:
        assert re.search(r"(no daba|no mostraba|no muestra|sin)( marcar)?( ningún)? (códigos?|avisos)", around)


@pytest.mark.parametrize("report", range(3))
def test_each_report_says_the_brand_of_every_model_of_its_incidents(report):
    text = reports()[report]
    for row in ROWS:
        if int(row["fecha"][5:7]) == report + 7:
            assert row["modelo"] in text and row["marca"] in text
    # Not once beside the brand of another.
    for model, own in {(row["modelo"], row["marca"]) for row in ROWS}:
        for brand in NAMES["marca"] - {own}:
            assert f"{brand} {model}" not in text and f"{model} de {brand}" not in text


def last_states(number_of_reports: int) -> dict[str, str]:
    """Code -> state after reading so many reports: the last of "abierta" and "cerrada" between a code and the next one."""
    states = {}
    for text in reports()[:number_of_reports]:
        body = text.split(" Pendientes ")[0]
        places = [*CODE.finditer(body)]
        for place, following in zip(places, [*places[1:], None]):
            part = body[place.end():following.start() if following else None]
            found = re.findall(r"\b(?:(abierta)|(cerrada|cerró))\b", part, re.IGNORECASE)
            if found:
                states[place.group()] = "abierta" if found[-1][0] else "cerrada"
    return states


def test_the_three_reports_give_the_final_state_of_every_incident():
    assert last_states(3) == {row["codigo"]: row["estado"] for row in ROWS}


def test_some_incidents_are_open_in_one_report_and_closed_in_the_next():
    july, august, september = (last_states(n) for n in (1, 2, 3))
    assert {code for code in july if july[code] != august[code]} == {"INC-2607-05", "INC-2607-07"}
    assert {code for code in august if august[code] != september[code]} == {"INC-2608-05", "INC-2608-08"}
    assert july["INC-2607-08"] == august["INC-2607-08"] == september["INC-2607-08"] == "abierta"


def test_reports_count_what_the_records_hold():
    opened = Counter(row["fecha"][5:7] for row in ROWS)
    assert opened == {"07": 8, "08": 8, "09": 8}
    for text, words in zip(reports(), ("llegan abiertas al día 31", "quedan cinco abiertas", "hay siete abiertas")):
        assert words in text
    assert [list(last_states(n).values()).count("abierta") for n in (1, 2, 3)] == [3, 5, 7]
    assert "nueve de Vellani, ocho de Jaltec y siete de Molinar" in reports()[2]


# The traps


@pytest.mark.parametrize("report", range(3))
def test_each_report_ends_with_pending_work_that_is_not_a_state(report):
    body, pending = reports()[report].split(" Pendientes ")
    assert len(re.findall(r"\bpendientes?\b", pending)) >= 6
    closed = {row["codigo"] for row in ROWS if row["estado"] == "cerrada"}
    # It also names work left of incidents that are closed for good.
    assert re.search(r"INC-\d{4}-\d{2}[^-]{0,40}cerrada", pending)
    assert closed & set(CODE.findall(pending))
    assert "pendiente" not in body


@pytest.mark.parametrize("part", ["Grupo 3G", "Caudalímetro VL-1180", "Bomba rotativa M64", "Placa Nivel 2G"])
def test_parts_that_look_like_machines_are_in_a_manual_and_in_a_report(part):
    assert part in texts()["manual_recambios.md"]
    assert any(part in report for report in reports())


def test_models_are_written_with_and_without_brand_and_shortened():
    for text in (*reports(), texts()["manual_recambios.md"], texts()["manual_codigos_error.md"]):
        assert "Vellani Aurora 3G" in text
        assert re.search(r"(?<!Vellani )Aurora 3G", text)
        assert re.search(r"\bAurora\b(?! 3G)", text)
    everything = " ".join(texts().values())
    for other in ("Jaltec Brío 2G", "la Brío ", "Molinar M64 OD", "la Mistral "):
        assert other in everything


# The manuals agree with the records


def test_no_code_name_or_bar_outside_the_records():
    for text in texts().values():
        line = " ".join(text.split())
        assert set(CODE.findall(line)) <= CODES
        assert "Ana Ruiz" not in line
        for bar in re.findall(r"\bBar (?:[A-ZÁÉÍÓÚ]\w+ ?)+", line):
            assert any(bar.startswith(name) for name in NAMES["cliente"]), bar
        for surname in re.findall(r"\b(?:Lucía|Javier|Rocío|Manuel) ([A-ZÁÉÍÓÚ]\w+)", line):
            assert surname in {"Ortega", "Ruiz", "Benítez", "Campos"}
    assert set(CODE.findall(" ".join(reports()))) == CODES


def test_error_codes_mean_in_the_manual_what_the_incidents_show():
    manual = texts()["manual_codigos_error.md"]
    defined = re.findall(r"^(E\d\d), ", manual, re.MULTILINE)
    assert sorted(defined) == [f"E{n:02d}" for n in range(1, 13)]
    assert {row["codigo_error"] for row in ROWS} - {""} <= set(defined)
    meaning = dict(re.findall(r"^(E\d\d), ([^.]+)\.", manual, re.MULTILINE))
    assert meaning["E01"] == "falta de agua en la red"
    assert meaning["E07"] == "el grupo no dosifica"
    grinder = {row["codigo_error"] for row in ROWS if row["marca"] == "Molinar"} - {""}
    coffee = {row["codigo_error"] for row in ROWS if row["marca"] != "Molinar"} - {""}
    assert grinder <= {"E09", "E10", "E11", "E12"} and coffee <= {f"E{n:02d}" for n in range(1, 9)}


def test_the_flow_meter_is_of_the_aurora():
    manual = texts()["manual_recambios.md"]
    section = manual.split("## Piezas de la Aurora 3G")[1].split("##")[0]
    assert "Caudalímetro VL-1180" in section and "E07" in section
    for other in re.split(r"^## ", manual, flags=re.MULTILINE):
        if other.startswith(("Piezas de la Brío", "Piezas de la Mistral", "Piezas del molino")):
            assert "VL-1180" not in other


def test_every_part_that_a_text_names_has_its_entry():
    manual = texts()["manual_recambios.md"]
    part = re.compile(r"\b(?:VL|JT|ML|AQ)-\d+\b")
    named = {name for text in (*texts().values(), *(row["text"] for row in ROWS)) for name in part.findall(text)}
    assert "VL-1180" in named and named <= set(part.findall(manual))


# The questions


def test_30_questions_each_answered_by_one_or_two_passages():
    assert len(QUESTIONS) == 30 == len({question["id"] for question in QUESTIONS})
    for question in QUESTIONS:
        assert question["pregunta"].startswith("¿") or "¿" in question["pregunta"]
        assert 1 <= len(answering(question["contains"])) <= 2, question["id"]
        for words in question["contains"]:
            assert len(answering([words])) == 1, words


def test_at_least_half_of_the_questions_use_other_words_than_the_answer():
    def stems(text: str) -> set[str]:
        return {word[:5] for word in re.findall(r"\w{5,}", text.lower())}

    other = [
        question["id"] for question in QUESTIONS
        if len(stems(question["pregunta"]) & stems(" ".join(question["contains"]))) <= 1
    ]
    assert len(other) >= 15


def test_60_ranking_questions_of_three_kinds_half_for_tuning():
    assert len(RANKING) == 60 == len({question["text"] for question in RANKING})
    groups = Counter((question["corpus"], question["kind"], question["split"]) for question in RANKING)
    kinds = ("codigo", "significado", "ambos")
    assert groups == {
        (corpus, kind, split): count
        for corpus, count in (("quality_es", 6), ("base_conocimiento", 4)) for kind in kinds for split in ("tune", "report")
    }
    for question in RANKING:
        if question["corpus"] == "quality_es":
            assert question["relevant"]
            assert all(re.fullmatch(r"I[0-5]\d|I60|M[0-3]\d|F[0-2]\d", one) for one in question["relevant"])
        else:
            assert 1 <= len(answering(question["contains"])) <= 6, question["id"]
            assert all(answering([words]) for words in question["contains"])
