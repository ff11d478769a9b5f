"""As many whole rows as a token limit takes, in a text that parses, says first what it leaves out and last that it goes on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..defaults import TOKEN_LIMIT
from ..errors import InputError
from . import rendering
from .tokens import ENCODING, count_tokens, tokenizer_note
from .values import CUT_NOTE, plain

# Below this limit the advice of the notice takes too large a part of the reply and is worded shorter, and nothing is said twice.
ROOMY = 256
# Tokens for rows where a tail, which is never cut, takes up the whole limit.
BESIDE_TAIL = 64
# Characters a text keeps when columns have to go as well.
SMALLEST = 8
HINT = "Return fewer columns, filter or aggregate, or page with ORDER BY, SKIP and LIMIT."
BRIEF_HINT = "Use fewer columns, or SKIP and LIMIT."
SHORTENED_HINT = "Return fewer columns, or a part of the long value: left(text, 500)."


@dataclass(frozen=True)
class Fitted:
    """``text`` is the reply; ``shown`` counts its rows; ``truncation`` is the notice at its head, None when all is shown."""

    text: str
    shown: int
    truncated: bool
    truncation: dict[str, Any] | None


def fit(
    rows: Sequence[dict[str, Any]],
    *,
    token_limit: int = TOKEN_LIMIT,
    format: str = "yaml",
    more: bool = False,
    extra: dict[str, Any] | None = None,
    tail: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
    hint: str | None = None,
    encoding: str = ENCODING,
) -> Fitted:
    """The document ``{truncated?, notes?, **extra, rows, **tail}`` with the largest number of first rows that fits.

    A first row that is too large alone is shortened. ``more`` says that the rows are only the first of those there
    are. Entries of ``extra`` are never cut; when they cannot fit whole they are left out and named in the notice.
    ``tail`` is never cut: where it takes the whole limit, the text is longer than that by BESIDE_TAIL tokens.
    The text never has more than ``token_limit`` tokens (0: no limit) from a limit of 32 on; it parses at any.

    Raises InputError for an unknown format.
    """
    if format not in rendering.FORMATS:
        raise InputError(f"'{format}' is not a format.", f"Choose one of {', '.join(rendering.FORMATS)}.")
    document = {"notes": list(notes)} if notes else {}
    document.update(plain(extra or {}, longest=None))
    fitting = _Fitting(rows, document, token_limit, format, more, hint, encoding)
    if tail:
        fitting.keep_tail(plain(tail, longest=None))
    return fitting.result()


class _Fitting:
    def __init__(self, rows, document, limit, format, more, hint, encoding) -> None:
        self.rows, self.document, self.limit, self.format, self.more = rows, document, limit, format, more
        self.encoding, self.hint = encoding, hint
        self.columns = list(dict.fromkeys(str(name) for row in rows for name in row)) if format == "table" else []
        self.left_out: list[str] = []
        self.rendered: list[str] = []
        self.totals = [0]  # totals[n]: tokens of the first n rows
        self.tail: dict[str, Any] = {}

    def keep_tail(self, tail: dict[str, Any]) -> None:
        self.tail = tail
        if self.limit > 0:
            self.limit = max(self.limit, self._count(rendering.tail(tail, self.format)) + BESIDE_TAIL)

    def result(self) -> Fitted:
        self._render_rows()
        if len(self.rendered) == len(self.rows):
            notice = self._notice(len(self.rows), "row limit") if self.more else None
            text = self._text(notice, self.rendered)
            if self._fits(text):
                return Fitted(text, len(self.rows), notice is not None, notice)
        while True:
            fitted = self._as_many_as_fit() or self._first_row_shortened() or self._no_row()
            if self._fits(fitted.text) or not self.document:
                return fitted
            largest = max(self.document, key=lambda name: len(rendering.compact_json(self.document[name])))
            del self.document[largest]
            self.left_out.append(largest)

    def _render_rows(self) -> None:
        """Until they exceed the limit: what comes after cannot be shown, however many rows there are."""
        for row in self.rows:
            self.rendered.append(rendering.row(plain(row), self.format, self.columns))
            if self.limit > 0:
                self.totals.append(self.totals[-1] + self._count(self.rendered[-1]))
                if self.totals[-1] > self.limit:
                    return

    def _as_many_as_fit(self) -> Fitted | None:
        most = min(len(self.rendered), len(self.rows) - 1)
        room = self.limit - self._count(self._text(self._notice(0), []))
        shown = max(0, min(most, bisect_right(self.totals, room) - 1))
        # The sum above is exact but for what stands around the rows and the digits of the notice, so the true
        # number is at most a few rows away.
        while shown < most and self._fits(self._with(shown + 1)):
            shown += 1
        while shown and not self._fits(self._with(shown)):
            shown -= 1
        return Fitted(self._with(shown), shown, True, self._notice(shown)) if shown else None

    def _first_row_shortened(self) -> Fitted | None:
        if not self.rows:
            return None
        first = plain(self.rows[0])
        longest, columns = len(rendering.compact_json(first)), len(first)

        def text(notice: dict[str, Any], size: int, entries: int) -> str:
            row = _smaller(first, size, entries)
            names = list(row)
            return self._text(notice, [rendering.row(row, self.format, names)], names)

        full = self._notice(1, shortened=", row shortened")
        for notice in (full, {key: value for key, value in full.items() if key != "hint"}):
            size, entries = _largest(lambda size, n=notice: self._fits(text(n, size, columns)), longest), columns
            if not size:
                size = SMALLEST
                entries = _largest(lambda entries, n=notice: self._fits(text(n, SMALLEST, entries)), columns)
            if self._fits(text(notice, size, entries)):
                return Fitted(text(notice, size, entries), 1, True, notice)
        return None

    def _no_row(self) -> Fitted:
        notice = self._notice(0) if self.rows or self.more or self.left_out else None
        text = self._text(notice, [])
        if notice and not self._fits(text):
            notice = {key: notice[key] for key in ("shown", "of", "reason")}
            text = self._text(notice, [])
        return Fitted(text, 0, notice is not None, notice)

    def _with(self, shown: int) -> str:
        return self._text(self._notice(shown), self.rendered[:shown])

    def _text(self, notice: dict[str, Any] | None, rows: list[str], columns: list[str] | None = None) -> str:
        document = ({"truncated": notice} if notice else {}) | self.document
        text = rendering.head(document, self.format) + rendering.body(rows, self.format, columns or self.columns, self.tail)
        goes_on = notice and (self.more or notice["shown"] < len(self.rows)) and not 0 < self.limit < ROOMY
        return text + rendering.mark(notice["shown"], notice["of"], self.format) if goes_on else text

    def _notice(self, shown: int, reason: str = "", shortened: str = "") -> dict[str, Any]:
        estimated = ", estimated" if tokenizer_note(self.encoding) else ""
        total = len(self.rows)
        notice = {
            "shown": shown,
            "of": f"more than {total}" if self.more else total,
            "reason": reason or f"token limit {self.limit}{estimated}{shortened}",
            "hint": self.hint or (BRIEF_HINT if 0 < self.limit < ROOMY else SHORTENED_HINT if shortened else HINT),
        }
        return notice | ({"left_out": list(self.left_out)} if self.left_out else {})

    def _count(self, text: str) -> int:
        return count_tokens(text, self.encoding)

    def _fits(self, text: str) -> bool:
        return self.limit <= 0 or self._count(text) <= self.limit


def fit_text(
    text: str, *, token_limit: int = TOKEN_LIMIT, hint: str = "", notice: str = "[{}]", encoding: str = ENCODING
) -> str:
    """The first whole lines of ``text`` that fit, under a line that says how many of them and, in ``hint``, what to do.

    ``notice`` is how that line is marked off, for texts in a language that has its own comments.
    """
    if token_limit <= 0 or count_tokens(text, encoding) <= token_limit:
        return text
    lines = text.splitlines()
    estimated = ", estimated" if tokenizer_note(encoding) else ""

    def shown(count: int) -> str:
        first = f"Cut: {count} of {len(lines)} lines (token limit {token_limit}{estimated}). {hint}".rstrip()
        return "\n".join([notice.format(first), *lines[:count]])

    count = _largest(lambda count: count_tokens(shown(count), encoding) <= token_limit, len(lines) - 1)
    return shown(count)


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to ``most`` that fits, 0 when none does. Gallops first: what is tried stays near the answer."""
    low, step = 0, 1
    while low + step <= most and fits(low + step):
        low, step = low + step, step * 2
    high = min(most + 1, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _smaller(value: Any, size: int, entries: int) -> Any:
    """``value`` with texts of about ``size`` characters and at most ``entries`` entries, ``size`` of them further inside."""
    if isinstance(value, str):
        whole, before = (value[: note.start()], int(note[1])) if (note := CUT_NOTE.search(value)) else (value, 0)
        cut = f"{whole[:size]}…(+{len(whole) - size + before}{' characters' if size > 64 else ''})"
        return cut if size < len(whole) and len(cut) < len(value) else value
    if isinstance(value, list):
        kept = [_smaller(item, size, size) for item in value[:entries]]
        return kept + [f"…(+{len(value) - entries})"] if len(value) > entries else kept
    if isinstance(value, dict):
        pairs = list(value.items())
        kept = {_smaller(key, size + SMALLEST, 0): _smaller(item, size, size) for key, item in pairs[:entries]}
        return kept | {"…": f"(+{len(pairs) - entries})"} if len(pairs) > entries else kept
    return value
