"""Real texts and arbitrary ones, for the tests of tokens and fitting."""

from __future__ import annotations

import json
import string
from pathlib import Path

import lfx_neo4j_graphrag.database.connection as code
from hypothesis import strategies as st

REAL = {
    "spanish": "La máquina mostraba E01 por falta de agua en la red; el técnico comprobó la electroválvula y pidió un caudalímetro. "
    "¿Cuántas averías hubo en agosto? ¡Ninguna! Según la señora Núñez, el camión llegó pingüe de café.\n" * 20,
    "english": "The quick brown fox jumps over the lazy dog, although nobody has ever seen it do so on a Thursday afternoon.\n" * 20,
    "code": Path(code.__file__).read_text(encoding="utf-8"),
    "cypher": "MATCH (i:`Incidencia`)-[:DE_CLIENTE]->(c:Cliente {nombre: $nombre})\nWHERE i.fecha >= date('2026-08-01') RETURN i\n" * 20,
    "yaml": "rows:\n" + "- codigo: INC-2608-07\n  fecha: '2026-08-26'\n  maquina:\n    modelo: Brío 2G\n    piezas:\n    - VL-1180\n" * 20,
    "json": json.dumps([{"id": i, "uuid": f"{i * 7919:032x}", "x": i / 7} for i in range(100)]),
    "cjk": "数据库中的节点和关系。東京都のグラフデータベース。그래프 데이터베이스 안녕하세요.\n" * 20,
    "cyrillic and arabic": "База данных графов. قاعدة بيانات الرسم البياني\n" * 20,
    "emoji": "👩‍👩‍👧 hola 😀😀 ☕️ cafetera 🇪🇸 \n" * 20,
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" * 20,
    "white space": ("\n" * 90 + " " * 300 + "\t" * 40 + "\r\n" * 50 + "     x\n\n  y") * 5,
    "special": "<|endoftext|> <|fim_prefix|> <|im_start|>" * 20,
}

# Pieces that meet awkwardly: pairs of letters without a token, mixed digits, marks, case and kinds of white space.
_pieces = st.sampled_from(
    ["qz", "bq", "jv", "ab", "á", "é", "ñ", "¿", "ü", "X", "Ab", "ST", "12", "0", "²", "٣", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "://", '{"',
     "'s", "'ll", "字", "ー", "😀", "\u200d", "\x00", "\u0301", ".", "…", "-", "_", "a" * 30, " " * 79, " " * 81, "<|endoftext|>"]
)
arbitrary = (
    st.text()
    | st.lists(_pieces, max_size=40).map("".join)
    | st.text(string.ascii_lowercase + " áéñ", max_size=80)
    | st.text(string.printable, max_size=80)
)
