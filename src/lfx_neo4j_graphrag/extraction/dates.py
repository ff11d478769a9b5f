"""Dates as people write them, and the date that a document carries.

Numbers with slashes or dots are read day first (03/07/2026 is the third of July), unless only the other reading is a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "enero january jan ene", "febrero february feb", "marzo march mar", "abril april apr abr", "mayo may",
            "junio june jun", "julio july jul", "agosto august aug ago", "septiembre setiembre september sep sept set",
            "octubre october oct", "noviembre november nov", "diciembre december dec dic",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FORMS = (
    re.compile(r"(?<![\d])(?P<y>(?:19|20)\d\d)[-_./](?P<m>\d{1,2})[-_./](?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})[-_./](?P<m>\d{1,2})[-_./](?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})(?:º|st|nd|rd|th)?(?:\s+de|\s+of)?[\s_-]+(?P<n>{_MONTH})\.?(?:\s+del?|,)?[\s_-]+(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(rf"\b(?P<n>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)(?!\d)"),
)  # fmt: skip
_MONTH_FORMS = (
    re.compile(rf"(?<![^\W_])(?P<n>{_MONTH})\.?(?:\s+del?|,)?[\s_-]+(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(rf"(?<!\d)(?P<y>(?:19|20)\d\d)[\s_-]+(?P<n>{_MONTH})(?![^\W_])"),
    re.compile(r"(?<![\d-])(?P<y>(?:19|20)\d\d)[-_./](?P<m>0[1-9]|1[0-2])(?![\d-])"),
    re.compile(r"(?<![\d/.-])(?P<m>0?[1-9]|1[0-2])[/-](?P<y>(?:19|20)\d\d)(?!\d)"),
)
# Metadata in which somebody states what date a document is of. The date of a file (creation, last change) says when it was
# saved: three reports exported in one evening would all be of that evening.
DATE_FIELDS = ("date", "fecha", "document_date", "fecha_documento", "published", "published_at", "publication_date")
# Langflow puts the moment of the upload in front of a file's name.
_UPLOAD_STAMP = re.compile(r"^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}_")
_HEAD_LINES = 12
_HEAD_CHARS = 800


def read_date(text: str) -> date | None:
    """The one day that ``text`` is, or None: ``2026-07-03``, ``3/7/2026``, ``3 de julio de 2026``, ``July 3, 2026``."""
    text = text.strip().lower()
    for form in _DAY_FORMS:
        if match := form.match(text):
            rest = text[match.end() :]
            if not rest or re.fullmatch(r"[t\s]+\d{1,2}:\d{2}.*|\s*\.", rest):
                return _day(match)
    return None


def read_datetime(value: str) -> datetime | None:
    """``2026-07-03T10:00``, also with the forms of ``read_date`` in front of the time; a day alone is its midnight."""
    text = value.strip()
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        pass
    day = read_date(text)
    if day is None:
        return None
    clock = re.search(r"\b(\d{1,2}):(\d{2})(?::(\d{2}))?", text)
    try:
        return datetime.combine(day, time(*(int(part or 0) for part in clock.groups())) if clock else time())
    except ValueError:
        return None


def clean_file_name(name: str) -> str:
    """The last part of a path, without the stamp that an upload adds."""
    return _UPLOAD_STAMP.sub("", re.split(r"[\\/]", name.strip())[-1])


def document_date(text: str, name: str = "", metadata: Mapping[str, Any] | None = None) -> date | None:
    """The date a document carries: in its metadata, else in its name, else in its first lines; None when in none of them.

    A month counts as its last day (a report of July knows what happened until its end). A year alone is no date. In the first
    lines it is the first line that holds a date, and the latest one in it.
    """
    fields = {str(key).lower(): value for key, value in (metadata or {}).items()}
    for field in DATE_FIELDS:
        if found := _of_value(fields.get(field)):
            return found
    if found := max(_dates(clean_file_name(name).lower()), default=None):
        return found
    for line in text[:_HEAD_CHARS].splitlines()[:_HEAD_LINES]:
        if found := max(_dates(line.lower()), default=None):
            return found
    return None


def _of_value(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return max(_dates(value.lower()), default=None) if isinstance(value, str) else None


def _dates(text: str) -> Iterator[date]:
    rest = text
    for form in _DAY_FORMS:
        for match in form.finditer(rest):
            if day := _day(match):
                yield day
                rest = rest.replace(match.group(), " ")  # its month must not be read again as a month's last day
    for form in _MONTH_FORMS:
        for match in form.finditer(rest):
            number = _MONTHS[match["n"]] if "n" in match.groupdict() else int(match["m"])
            year = int(match["y"]) + number // 12
            yield date(year, number % 12 + 1, 1) - timedelta(days=1)


def _day(match: re.Match[str]) -> date | None:
    parts = match.groupdict()
    month = _MONTHS[parts["n"]] if parts.get("n") else int(parts["m"])
    day, year = int(parts["d"]), int(parts["y"])
    for first, second in ((month, day), (day, month)):
        try:
            return date(year, first, second)
        except ValueError:
            if parts.get("n"):
                return None
    return None
