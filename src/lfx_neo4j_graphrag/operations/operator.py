"""What the operator of the process decides by its environment; no node, no flow and no agent can change it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..schema.model import Hidden


def hidden_names(environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """NEO4J_GRAPHRAG_HIDDEN: labels, types and properties (``Label``, ``Label.property``, ``property``) that never show."""
    return Hidden.parse(environ.get("NEO4J_GRAPHRAG_HIDDEN", "")).names


def shows_values(environ: Mapping[str, str] = os.environ) -> bool:
    """SAMPLE_VALUES=false: schema and prompts hold no values of the data."""
    return environ.get("SAMPLE_VALUES", "true").strip().lower() not in ("false", "0", "no", "off")
