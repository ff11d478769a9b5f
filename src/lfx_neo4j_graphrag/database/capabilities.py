"""What the connected server can do, asked once a minute per server and database."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..defaults import CAPABILITIES_SECONDS
from .connection import Connection, driver_for
from .failures import translated

if TYPE_CHECKING:
    from neo4j import AsyncSession

# EXPLAIN of a search in an index that does not exist: "no such index" means that the syntax is known, a syntax
# error that it is not. Asking the parser is surer than a table of versions (Aura has versions of its own).
_PROBE = "EXPLAIN CYPHER 25 MATCH (n:X) SEARCH n IN (VECTOR INDEX `no such index` FOR $v {where}LIMIT 1) RETURN n"
_PROBES = (_PROBE.format(where=""), _PROBE.format(where="WHERE n.p = $p "), _PROBE.format(where="WHERE n.p IN $p "))


@dataclass(frozen=True)
class Capabilities:
    """``version`` as the server gives it (``2026.08.1``, ``5.26.30``, ``5.27-aura``); the rest are abilities.

    ``search_clause``: SEARCH … IN (VECTOR INDEX …); ``filter_in_index``: WHERE inside it, and WITH [properties] when an
    index is made; ``in_operator``: IN inside that WHERE; ``quantization_type``: the option ``vector.quantization.type``;
    ``vector_type_over_bolt``: the driver may send ``neo4j.vector.Vector`` (Bolt 6).
    """

    version: str
    search_clause: bool
    filter_in_index: bool
    in_operator: bool
    quantization_type: bool
    cypher25: bool
    vector_type_over_bolt: bool
    enterprise: bool


_known: dict[tuple[str, str, str | None], tuple[float, Capabilities]] = {}


async def capabilities(connection: Connection) -> Capabilities:
    """The abilities of this server, remembered for a minute.

    Raises the errors of ``failures.explain``: host, password, database.
    """
    key = (connection.uri, connection.username, connection.database)
    remembered = _known.get(key)
    if remembered and time.monotonic() - remembered[0] < CAPABILITIES_SECONDS:
        return remembered[1]
    async with translated(connection), driver_for(connection) as driver:
        bolt = (await driver.get_server_info()).protocol_version
        async with driver.session(database=connection.database, default_access_mode="READ") as session:
            result = await session.run("CALL dbms.components() YIELD name, versions, edition")
            parts = {record["name"]: record async for record in result}
            cypher25 = "Cypher" in parts and "25" in parts["Cypher"]["versions"]
            plain, equal, listed = [cypher25 and await _understood(session, probe) for probe in _PROBES]
    kernel = parts["Neo4j Kernel"]
    found = Capabilities(
        version=kernel["versions"][0],
        search_clause=plain,
        filter_in_index=equal,
        in_operator=listed,
        quantization_type=listed,  # both came with 2026.06
        cypher25=cypher25,
        vector_type_over_bolt=tuple(bolt) >= (6, 0),
        enterprise=kernel["edition"] == "enterprise",
    )
    _known[key] = (time.monotonic(), found)
    return found


async def _understood(session: AsyncSession, probe: str) -> bool:
    from neo4j.exceptions import ClientError

    try:
        await (await session.run(probe, v=[1.0], p=[1])).consume()
    except ClientError as error:
        if error.code == "Neo.ClientError.Schema.IndexNotFound":
            return True
        if error.code and error.code.startswith("Neo.ClientError.Statement."):
            return False
        raise
    return True
