"""The second layer: what the server's own plan (EXPLAIN) says that a statement would do.

It holds where the screen is blind: the server has parsed the text, so comments, escapes and odd names are gone.
``query_type`` is ``r``, ``w``, ``rw`` or ``s`` (schema and administration), but ``r`` still covers LOAD CSV, SHOW
SETTINGS, TERMINATE TRANSACTIONS and every procedure that calls itself reading, so the operators are looked at too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import QueryRefused
from .screen import FUNCTIONS, PROCEDURES, READ_ADVICE, WRITE_ADVICE, called_functions, is_allowed
from .tokens import tokenize

_WRITING = re.compile(
    r"Create|Merge|Insert|Set[A-Z]|Delete|DetachDelete|Remove|Foreach|LockingMerge|LockNodes"
)
_NEVER = re.compile(
    r"LoadCSV|Transaction|Terminate|Administration|Alter|Drop|Rename|Grant|Deny|Revoke|Show(?!Indexes$|Constraints$)"
    r"|Create\w*(?:Index|Constraint)|\w*(?:User|Role|Database|Alias|Server)$|Export|DoNothing"
)


def check_plan(
    query_type: str,
    plan: Mapping[str, Any] | None,
    *,
    writing: bool = False,
    allowed_procedures: frozenset[str] = frozenset(),
) -> None:
    """Raise QueryRefused unless the server's plan only reads (``writing``: only reads and writes data).

    ``plan`` is the driver's ``summary.plan``: ``{"operatorType", "args", "children"}``.
    """
    advice = WRITE_ADVICE if writing else READ_ADVICE
    if query_type not in ({"r", "w", "rw"} if writing else {"r"}):
        what = "change the schema or administer the server" if query_type == "s" else "write"
        raise QueryRefused(f"The query would {what}, says the server's plan.", advice)
    for operator, details in _operators(plan or {}):
        if _NEVER.match(operator) or (not writing and _WRITING.match(operator)):
            raise QueryRefused(f"The query would do what is not allowed here ({operator} in the server's plan).", advice)
        if operator == "ProcedureCall":
            name = details.split("(", 1)[0].replace("`", "").strip().lower()
            if not is_allowed(name, PROCEDURES | allowed_procedures):
                raise QueryRefused(f"The procedure {name[:80]} is not allowed here.", advice)
        else:
            _check_functions(details, FUNCTIONS | allowed_procedures, advice)


def _operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and details of every operator; a plan may be thousands deep, so this does not recurse."""
    waiting = [plan]
    while waiting:
        step = waiting.pop()
        details = (step.get("args") or {}).get("Details", "")
        yield str(step.get("operatorType", "")).split("@", 1)[0], str(details)
        waiting.extend(step.get("children") or ())


def _check_functions(details: str, allowed: frozenset[str], advice: str) -> None:
    """User functions are no operators: they stand in the details of the operator that evaluates them."""
    if "(" not in details or "." not in details:
        return
    try:
        names = called_functions(tokenize(details))
    except QueryRefused:  # details are the server's print of an expression, cut where it is long
        names = re.findall(r"([\w.]+\.\w+)\s*\(", details.lower())
    for name in names:
        if not is_allowed(name, allowed):
            raise QueryRefused(f"The function {name[:80]} is not allowed here.", advice)
