"""What is said of the names of a question."""

from __future__ import annotations

from lfx_neo4j_graphrag.asking.linking import Inventory
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.value_linking import link_values

NOWHERE = Connection("bolt://127.0.0.1:9", "", "")


async def test_a_name_is_missing_only_where_values_were_read():
    question = "¿Cuánto cobra por hora el técnico Javier Ruiz?"
    place = ("Tecnico", "nombre")
    known = Inventory(values={place: ["Lucía Ortega"]}, complete={place})
    assert [m.asked for m in (await link_values(NOWHERE, question, known))[1]] == ["Javier Ruiz"]
    assert await link_values(NOWHERE, question, Inventory()) == ([], []), "nothing was read: the server was too busy"
