"""Make the PDFs of the monthly reports from their Markdown: `python assets/make_reports.py [folder]`.

The same Markdown gives the same bytes (no date, no random identifier), so that a changed PDF is a changed text.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

SOURCES = Path(__file__).with_name("informes")
PAGE_BREAK = "<!-- salto -->"
TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=11.5, leading=16.5, spaceAfter=7)
STYLES = {
    "# ": ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=18, leading=24, spaceAfter=10),
    "## ": ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=13, leading=18, spaceBefore=6, spaceAfter=6),
    "- ": ParagraphStyle("item", parent=TEXT, leftIndent=14, spaceAfter=4),
}


class Rows(Flowable):
    """A pipe table (its second line is the rule under the header), each row drawn as one line of text.

    ReportLab's own table draws every cell apart, and readers of PDF then give each cell a line of its own.
    """

    LEADING = 18

    def __init__(self, block: str) -> None:
        super().__init__()
        lines = [line for line in block.splitlines() if not re.fullmatch(r"[|\-\s]+", line)]
        self.cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.height = width, self.LEADING * len(self.cells) + 12
        return self.width, self.height

    def draw(self) -> None:
        widest = [max(stringWidth(cell, "Helvetica-Bold", 10.5) for cell in column) for column in zip(*self.cells)]
        gap = min(24, (self.width - sum(widest)) / (len(widest) - 1))
        for number, cells in enumerate(self.cells):
            y = self.height - self.LEADING * (number + 1)
            line = self.canv.beginText(0, y)
            line.setFont("Helvetica" if number else "Helvetica-Bold", 10.5)
            for cell, width in zip(cells, widest):
                line.textOut(cell + " ")
                line.moveCursor(width + gap, 0)
            self.canv.drawText(line)
            self.canv.setLineWidth(0.4)
            self.canv.line(0, y - 5, sum(widest) + gap * (len(widest) - 1), y - 5)


def flowables(markdown: str) -> list[Flowable]:
    """Blocks are separated by blank lines; a list has one item a line."""
    story: list[Flowable] = []
    for block in re.split(r"\n{2,}", markdown.strip()):
        mark = next((mark for mark in STYLES if block.startswith(mark)), "")
        if block == PAGE_BREAK:
            story.append(PageBreak())
        elif block.startswith("|"):
            story.append(Rows(block))
        elif mark == "- ":
            story += [Paragraph(escape(line[2:]), STYLES[mark], bulletText="-") for line in block.splitlines()]
        else:
            story.append(Paragraph(escape(block[len(mark):]), STYLES.get(mark, TEXT)))
    return story


def make(source: Path, target: Path) -> None:
    markdown = source.read_text(encoding="utf-8")
    SimpleDocTemplate(
        str(target), pagesize=A4, leftMargin=25 * mm, rightMargin=25 * mm, topMargin=18 * mm, bottomMargin=18 * mm,
        title=markdown.splitlines()[0][2:], author="Servicio Técnico Guadaíra", lang="es", invariant=1,
    ).build(flowables(markdown))


def main(folder: Path) -> None:
    for source in sorted(SOURCES.glob("*.md")):
        make(source, folder / source.with_suffix(".pdf").name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES)
