"""Knowledge bases from the pages of a Wikipedia, as it publishes them."""

from __future__ import annotations

import bz2
import gzip
import time
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

from analysis.errors import InputError
from verifier.kb.build import build
from verifier.kb.local import LocalKb
from verifier.kb.wikitext import first_sentences, lists_namesakes

MUNICH = """{{Short description|Capital of Bavaria, Germany}}
{{Infobox settlement
| name = Munich | image = {{multiple image|a=b}}
}}
<!-- a note -->[[File:Skyline.jpg|thumb|The [[old town]] in {{lang|de|Bayern}}]]
'''Munich'''{{efn|{{IPA|de|x}}}} ({{langx|de|München}}; {{IPA|x}}) is the [[city|capital]] of [[Bavaria]],
Germany.<ref name="a">{{cite web|url=https://x.example}}</ref> On&nbsp;''[[Isar]]''.<ref name="b"/>
Third sentence. Fourth sentence.

== History ==
Old.
"""


def page(title: str, text: str = "", *, ns: int = 0, redirect: str | None = None) -> str:
    to = f"<redirect title={quoteattr(redirect)} />" if redirect else ""
    text = text or (f"#REDIRECT [[{redirect}]]" if redirect else "")
    return (
        f"<page><title>{escape(title)}</title><ns>{ns}</ns><id>7</id>{to}<revision><id>1</id><contributor>"
        f"<username>x</username></contributor><text bytes='9'>{escape(text)}</text></revision></page>\n"
    )


def dump(*pages: str, language: str = "en") -> bytes:
    base = f"<siteinfo><base>https://{language}.wikipedia.org/wiki/Main_Page</base></siteinfo>"
    return f"<mediawiki xmlns='http://x.example/'>{base}\n{''.join(pages)}</mediawiki>".encode()


DUMP = dump(
    page("Muenchen", redirect="Munich"),
    page("Paris (band)", "Paris were a band."),
    page("Munich", MUNICH),
    page("AC/DC & co", "'''AC/DC''' are a [[band]]."),
    page("Oktoberfest tent", "#REDIRECT [[Munich#Oktoberfest]]", redirect="Munich"),
    page("Paris", "Paris is a city. " * 9),
    page("Paris (disambiguation)", "'''Paris''' may be:\n* [[Paris]]\n{{disambiguation}}"),
    page("Talk:Paris", "Paris.", ns=1),
    page("Gone", redirect="No such article"),
)


@pytest.mark.parametrize(
    ("name", "pack"), [("d.xml", bytes), ("d.xml.gz", gzip.compress), ("d.xml.bz2", bz2.compress)]
)
def test_articles_become_entities_and_redirects_their_names(tmp_path: Path, name, pack) -> None:
    (tmp_path / name).write_bytes(pack(DUMP))
    assert build(tmp_path / name, tmp_path / "kb.db").entities == 4
    kb = LocalKb(tmp_path / "kb.db")
    assert [found.key for found in kb.search("muenchen")] == ["w:en:Munich"]
    assert [found.key for found in kb.search("paris")] == ["w:en:Paris", "w:en:Paris (band)"]
    assert (kb.search("Oktoberfest tent"), kb.search("Gone")) == ([], [])
    card = kb.card("w:en:Munich")
    assert card.description == "Capital of Bavaria, Germany"
    assert card.extract == "Munich is the capital of Bavaria,"
    assert kb.card("w:en:AC/DC & co").extract == "AC/DC are a band."
    kb.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MUNICH.replace(",\nGermany", ", Germany"), "Munich is the capital of Bavaria, Germany. On Isar."),
        ("{| class=x\n| a {{b}}\n{| c |}\n|}\nText [https://x.example to a] here.", "Text to a here."),
        ("A [[b]]s {{nowrap|c d}} {{lang|fr|le}} (, x) e.", "A bs c d le (x) e."),
        ("<gallery>\nFile:A.jpg|A\n</gallery>\n* list\n: more\n__NOTOC__\nFound it.", "Found it."),
        ("[[Datei:A.jpg|mini|[[x]] y]][[Kategorie:B]]Ein Satz über [[:Kategorie:B|B]].", "Ein Satz über B."),
        ("München ist schön. Ja! Und Öl? Viertens.", "München ist schön. Ja! Und Öl?"),
        ("A (1 May{{mdash}}{{circa|1955}}) was {{cvt|7|km|mi}}.", "A (1 May\u2014c. 1955) was 7 km."),
        ("{{nihongo|Tokyo|x|y}}, {{ill|Ann|de}}{{'s}} {{formatnum:70}} {{small|{{x}}}}.", "Tokyo, Ann's 70."),
        ("{{circa}}{{convert|{{x|1}}}}{{as of}} Nothing {0} {{sup|2}}.", "Nothing {0} 2."),
        ("{{never closed\nlost", None),
        ("[[never closed\nFound.", "never closed"),
        ("a <b onclick='x'>bold</b> &lt;script&gt; claim", "a bold <script> claim"),
        ("", None),
    ],
)  # fmt: skip
def test_first_sentences_stand_outside_all_markup(text, said) -> None:
    assert first_sentences(text) == said


ENDLESS = ["{{", "[[", "<ref>", "{|", "'", "[", "<", "(", ",", "{{disambiguation", "{{lang|x|", "( "]


@pytest.mark.parametrize(
    "text", [part * (200_000 // len(part)) for part in [*ENDLESS, " "]], ids=[*ENDLESS, "space"]
)
def test_what_is_never_closed_takes_no_long_time(text) -> None:
    begun = time.process_time()
    first_sentences(text)
    lists_namesakes(text)
    assert time.process_time() - begun < 10


BOMB = b"<!DOCTYPE m [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><mediawiki>&b;</mediawiki>"
OUTSIDE = b"<!DOCTYPE m SYSTEM 'file:///etc/passwd'><mediawiki/>"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("d.xml", BOMB, "declarations of its own"),
        ("d.xml", OUTSIDE, "declarations of its own"),
        ("d.xml", b"<mediawiki><page>&nothing;</page></mediawiki>", "not XML"),
        ("d.xml", DUMP[:-30], "not XML, or broken off"),
        ("d.xml", b"<mediawiki/>", "no entities"),
        ("d.xml", b"", "not XML"),
        ("d.xml", b"key\nQ1\n", "not XML"),
        ("d.xml", dump(page("A", "a"), language="de"), "another Wikipedia.*--language de"),
        ("d.xml", b"<?xml version='1.0' encoding='x-none'?><a/>", "unknown encoding: x-none"),
        ("d.xml.bz2", bz2.compress(DUMP)[:-9], "broken off"),
        ("d.xml.gz", DUMP, "not packed"),
    ],
)
def test_what_is_no_dump_is_refused(tmp_path: Path, name, content, reason) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=reason):
        build(tmp_path / name, tmp_path / "kb.db")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_page_moved_while_the_dump_was_written_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_bytes(dump(page("A", "First.").strip(), page("A", "Again."), page("B", "b.")))
    report = build(tmp_path / "d.xml", tmp_path / "kb.db")
    assert (report.entities, report.repeated) == (2, 1)
    kb = LocalKb(tmp_path / "kb.db")
    assert kb.card("w:en:A").extract == "First."
    kb.close()


def test_a_redirect_of_endless_links_takes_no_long_time(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_bytes(dump(page("A", "a."), page("R", "[[" * 100_000, redirect="A")))
    begun = time.process_time()
    assert build(tmp_path / "d.xml", tmp_path / "kb.db").names == 2
    assert time.process_time() - begun < 10
