"""The nine documents of the example as text, and the passages that the measurements of search are made on."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from langchain_text_splitters import RecursiveCharacterTextSplitter
from pypdf import PdfReader

ASSETS = Path(__file__).parent
PASSAGE_SIZE = 800


@dataclass(frozen=True)
class Passage:
    """`position` counts from 0 within the document; `document` is its file name."""

    document: str
    position: int
    text: str

    def says(self, words: str) -> bool:
        """Whether the words are in the passage, whatever its line breaks (a PDF breaks sentences)."""
        return " ".join(words.split()) in " ".join(self.text.split())


def read(path: Path) -> str:
    """The text of a document; pages of a PDF are joined by a blank line, as Langflow's Read File joins them."""
    if path.suffix == ".pdf":
        return "\n\n".join(page.extract_text() for page in PdfReader(path).pages)
    return path.read_text(encoding="utf-8")


def documents() -> dict[str, str]:
    """File name -> text: the three monthly reports in order of month, then the six texts of consultation."""
    paths = [*sorted(ASSETS.glob("informes/*.pdf")), *sorted(ASSETS.glob("base_conocimiento/*.md"))]
    return {path.name: read(path) for path in paths}


def passages() -> list[Passage]:
    """The documents in passages of at most 800 characters without overlap, as the source's own measurement has them."""
    split = RecursiveCharacterTextSplitter(chunk_size=PASSAGE_SIZE, chunk_overlap=0).split_text
    return [Passage(name, i, part) for name, text in documents().items() for i, part in enumerate(split(text))]
