"""neo4j-graphrag's SimpleKGPipeline, for run_build.py. It needs ``neo4j-graphrag`` here and APOC in the server.

Its components read their own type hints, so the annotations below must be real types, not text.
"""

import time
from typing import Any

import neo4j
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.experimental.components.text_splitters.base import TextSplitter
from neo4j_graphrag.experimental.components.types import TextChunk, TextChunks
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.llm.base import LLMInterface
from neo4j_graphrag.llm.types import LLMResponse

TYPES = {"Aviso": ["name", "prioridad"], "Cliente": ["name"], "Maquina": ["name"]}


async def peer(connection: Any, texts: list[str], model: Any) -> dict[str, Any]:
    """Its pipeline on these texts, one chunk each; it runs five calls at once, which can't be set."""

    class Peer(LLMInterface):
        def invoke(self, *args: Any, **kwargs: Any) -> LLMResponse:
            raise RuntimeError("synchronous call")

        async def ainvoke(self, input: Any, *args: Any, **kwargs: Any) -> LLMResponse:
            return LLMResponse(content=await model.content(str(input)))

    class Vectors(Embedder):
        def embed_query(self, text: str) -> list[float]:
            return [0.1] * 8

    class Documents(TextSplitter):
        async def run(self, text: str) -> TextChunks:
            return TextChunks(chunks=[TextChunk(text=one, index=index) for index, one in enumerate(texts)])

    schema = {
        "node_types": [
            {"label": label, "properties": [{"name": name, "type": "STRING"} for name in names]} for label, names in TYPES.items()
        ],
        "relationship_types": ["DE_CLIENTE", "EN_MAQUINA"],
        "patterns": [("Aviso", "DE_CLIENTE", "Cliente"), ("Aviso", "EN_MAQUINA", "Maquina")],
    }
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.username, connection.password)) as driver:
        pipeline = SimpleKGPipeline(
            llm=Peer("slow"),
            driver=driver,
            embedder=Vectors(),
            from_file=False,
            text_splitter=Documents(),
            on_error="IGNORE",
            schema=schema,
        )
        started = time.perf_counter()
        await pipeline.run_async(text="x")
        took = time.perf_counter() - started
    return {"seconds": took, "extraction": None, "calls": model.calls, "most": model.most, "failed": None}
