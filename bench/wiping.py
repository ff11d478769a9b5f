"""An empty database for a measurement."""

from __future__ import annotations

from neo4j import Driver


def wipe(driver: Driver) -> None:
    """Delete all constraints, indexes, relationships and nodes; a hub of 50,000 doesn't fill a transaction's memory."""
    with driver.session() as session:
        for row in session.run("SHOW CONSTRAINTS YIELD name").data():
            session.run("DROP CONSTRAINT $name", name=row["name"]).consume()
        for row in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name").data():
            session.run("DROP INDEX $name", name=row["name"]).consume()
        session.run("MATCH ()-[r]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS").consume()
        session.run("MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS OF 10000 ROWS").consume()
