"""The words of a question: what is a code, what is a name, what says nothing."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Letters and digits, with the signs that hold a code together (INC-2608-07, 4.2, P-12/B).
_TOKEN = re.compile(r"\w+(?:[-./:_]\w+)*")
_LETTERS = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"([^\"]{2,80})\"|«([^»]{2,80})»|“([^”]{2,80})”")
# A code written apart: INC 2608 07, VL 1180.
_SPACED = re.compile(r"(?<![\w-])([^\W\d_]{1,4})(?: \d{2,}){1,3}(?!\w)")
_SENTENCE_END = re.compile(r"[.!?¿¡:;…]\s*$")
TOKEN_CHARS = 80

# Function words of Spanish and English: articles, prepositions, pronouns, conjunctions, question words, auxiliaries.
# They match half of the documents and push the words that matter down; measured in docs/benchmarks.md.
_SPANISH = (
    "a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquello asi aun aunque cada como con contra cual "
    "cuales cualquier cuando cuanta cuantas cuanto cuantos de debe deben del desde despues donde dos e el ella ellas ello ellos "
    "en entre era eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos estoy fue fueron ha haber "
    "habia han has hasta hay he hecho la las le les lo los mas me mi mis mientras muy nada ni no nos nosotros o os otra otras "
    "otro otros para pero poco por porque pues puede pueden puedo que quien quienes se sea segun ser si sido sin sobre solo son "
    "soy su sus tal tambien tan tanto te tener tengo tiene tienen toda todas todo todos tras tu tus u un una unas uno unos usted "
    "ustedes va vamos van y ya yo"
)
_ENGLISH = (
    "about after all also am an and any are as at be because been before being both but by can could did do does during each "
    "for from had has have having her here him his how i if in into is it its itself just like me more most my no nor not of "
    "off on only or other our out over own same she should so some such than that the their them then there these they this "
    "those through to too under until up us very was we were what when where which while who whom why will with would you your"
)
STOP_WORDS = frozenset(f"{_SPANISH} {_ENGLISH}".split())


@dataclass(frozen=True)
class Word:
    """``code``: E07, VL-1180, 2026-08-26, not 24 or 2G. ``digit``: holds one. ``name``: a capital in mid-sentence, or quoted."""

    text: str
    code: bool = False
    digit: bool = False
    name: bool = False


def is_code(text: str) -> bool:
    """A word that names one thing: a letter first and a digit later (E07), or six and more characters with a digit.

    Numbers and measures (24, 2G, 400, 4.2) are words like others: a passage that holds them need not be about them.
    """
    return any(c.isdigit() for c in text) and (text[0].isalpha() or len(text) >= 6)


def fold(text: str) -> str:
    """Lower case without accents; ñ stays a letter of its own."""
    kept = unicodedata.normalize("NFC", text.lower()).replace("ñ", "\0")
    plain = "".join(c for c in unicodedata.normalize("NFKD", kept) if not unicodedata.combining(c))
    return plain.replace("\0", "ñ")


def words(question: str) -> list[Word]:
    """The distinct words of a question in order, function words last resort only: kept when there is nothing else."""
    question = _SPACED.sub(_joined, question)
    quoted = [m.span() for m in _QUOTED.finditer(question)]
    shouting = question.upper() == question
    found: dict[str, Word] = {}
    for match in _TOKEN.finditer(question):
        whole = match.group()[:TOKEN_CHARS]
        digit = any(c.isdigit() for c in whole)
        inside = any(start <= match.start() < end for start, end in quoted)
        starts = match.start() == 0 or bool(_SENTENCE_END.search(question[: match.start()].rstrip(' "«“(')))
        for text in [whole.strip("_")] if digit else _LETTERS.findall(whole):
            capital = text[:1].isupper() and not starts and not shouting
            if text:
                found.setdefault(fold(text), Word(text, is_code(text), digit, inside or capital))
    telling = [word for key, word in found.items() if key not in STOP_WORDS]
    return telling or list(found.values())


def without_codes(question: str) -> str:
    """The question as it is compared by meaning where codes are searched apart: a model reads a code as noise.

    Unchanged when there is nothing but codes.
    """
    if all(word.code for word in words(question)):
        return question
    rest = _TOKEN.sub(lambda match: "" if is_code(match.group()) else match.group(), _SPACED.sub(_joined, question))
    return " ".join(rest.split())


def _joined(match: re.Match[str]) -> str:
    """``INC 2608 07`` as ``INC-2608-07``, of the same length; ``de 24`` and ``mesa 12`` stay."""
    letters = match[1]
    code = letters.isupper() or (len(letters) < 4 and fold(letters) not in STOP_WORDS)
    return match[0].replace(" ", "-") if code else match[0]


def quoted_phrases(question: str) -> list[str]:
    """What the user put between quotation marks, when it is more than one word."""
    texts = (next(group for group in match.groups() if group) for match in _QUOTED.finditer(question))
    phrases = (" ".join(_TOKEN.findall(text)) for text in texts)
    return list(dict.fromkeys(phrase for phrase in phrases if " " in phrase))
