"""``python -m lfx_neo4j_graphrag`` is the command, for programs that start interpreters only (Langflow's MCP Tools)."""

from .cli import main

if __name__ == "__main__":
    main()
