"""Build hook: the wheel carries the example flows, and an editable install reads the node from the working tree.

Hatchling would copy ``components`` and ``extension.json`` once, and Langflow would go on loading the old copy after every edit.
Without the copy Langflow finds the manifest at the project's root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class EditableFromTree(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            build_data["force_include_editable"] = {"src/lfx_neo4j_graphrag/py.typed": "lfx_neo4j_graphrag/py.typed"}
        else:
            flows = Path(self.root, "flows").glob("*.json")
            build_data["force_include"].update({str(flow): f"lfx_neo4j_graphrag/flows/{flow.name}" for flow in flows})
