"""The MCP server with a given table in place of the embedding model: ``python stub_mcp.py SIZE JSON [flags of mcp]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from stubs import Embedder  # noqa: E402

from lfx_neo4j_graphrag.cli import main  # noqa: E402
from lfx_neo4j_graphrag.cli import mcp as command  # noqa: E402

size, table, *flags = sys.argv[1:]
command.embedding_model = lambda name: Embedder(int(size))(json.loads(table)) if name else None
sys.argv = ["neo4j-graphrag", "mcp", *flags]
main()
