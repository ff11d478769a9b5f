"""Neo4j GraphRAG for Langflow: the engine."""

__version__ = "0.1.0"
