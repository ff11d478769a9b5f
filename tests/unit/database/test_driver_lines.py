"""What the driver logs of our statements is in our replies and reports; other users of the driver keep their lines."""

from __future__ import annotations

import logging

from lfx_neo4j_graphrag.database import connection
from lfx_neo4j_graphrag.database.connection import Connection, driver_for

LINE = "Transaction failed and will be retried in %ss (%s)"


async def test_the_drivers_lines_are_silent_only_while_we_use_it(caplog, monkeypatch):
    async def no_login(driver, where):
        pass

    monkeypatch.setattr(connection, "_log_in", no_login)  # there is no server
    logger = logging.getLogger("neo4j.session")
    for _ in range(2):
        async with driver_for(Connection("bolt://127.0.0.1:1")):
            logger.warning(LINE, 1, "ours")
    with caplog.at_level(logging.WARNING, logger="neo4j.session"):
        logger.warning(LINE, 2, "theirs")
    assert [record.getMessage() for record in caplog.records] == ["Transaction failed and will be retried in 2s (theirs)"]
    assert len([one for one in logger.filters if getattr(one, "__name__", "") == "_not_ours"]) == 1
