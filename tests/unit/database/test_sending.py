"""Parameter values as the driver can send them."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from enum import Enum
from zoneinfo import ZoneInfo

import pytest
from neo4j.time import DateTime, Time

from lfx_neo4j_graphrag.database.sending import sendable
from lfx_neo4j_graphrag.errors import InputError

MADRID = ZoneInfo("Europe/Madrid")


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (None, None),
        (True, True),
        (5, 5),
        (1.5, 1.5),
        ("ñ 😀", "ñ 😀"),
        (b"x", b"x"),
        (Decimal("1.50"), 1.5),
        (Decimal("7"), 7),
        ({3}, [3]),
        ((1, [2, (3,)]), [1, [2, [3]]]),
        ({"a": {1: (2,)}}, {"a": {"1": [2]}}),
        (Colour.RED, "red"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (dt.date(2026, 8, 1), dt.date(2026, 8, 1)),
        (2**63 - 1, 2**63 - 1),
    ],
)
def test_takes(value: object, sent: object) -> None:
    result = sendable({"x": value})["x"]
    assert result == sent and type(result) is type(sent)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, object(), 1j, "\ud800", ["ok", {"deep": "\udfff"}]])
def test_names_the_parameter_that_cannot_be_sent(value: object) -> None:
    with pytest.raises(InputError, match=r"\$fecha"):
        sendable({"ok": 1, "fecha": value})


def test_refuses_bottomless_values() -> None:
    bottomless: list = []
    bottomless.append(bottomless)
    with pytest.raises(InputError, match="nested"):
        sendable({"x": bottomless})


@pytest.mark.parametrize("month", [1, 8])
def test_named_zones_become_their_offset(month: int) -> None:
    """Packing a ZoneInfo takes the whole process down."""
    offset = dt.timedelta(hours=1 if month == 1 else 2)
    value = dt.datetime(2026, month, 1, 10, 30, 15, 250, MADRID)
    sent = sendable({"x": [value]})["x"][0]
    assert sent == value and sent.utcoffset() == offset and type(sent.tzinfo) is dt.timezone
    driver = sendable({"x": DateTime(2026, month, 1, 10, 30, 15, 250_000_000, tzinfo=MADRID)})["x"]
    assert (driver.hour, driver.nanosecond, driver.utc_offset()) == (10, 250_000_000, offset)
    assert sendable({"x": dt.time(10, tzinfo=MADRID)})["x"] == dt.time(10)
    assert sendable({"x": Time(10, 0, 0, tzinfo=MADRID)})["x"].tzinfo is None


def test_nothing_is_nothing() -> None:
    assert sendable(None) == {} == sendable({})
