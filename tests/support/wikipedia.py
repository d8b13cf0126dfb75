"""A small Wikipedia and Wikidata on 127.0.0.1 that speak as much of MediaWiki's API as is asked of them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

# By language and title: description, extract, item.
ARTICLES: dict[str, dict[str, tuple[str, str, str]]] = {
    "en": {
        "Barack Obama": ("President of the United States", "Barack Obama is a politician.", "Q76"),
        "Obama, Fukui": ("city in Japan", "Obama is a city in Fukui.", "Q41773"),
        "Munich": ("city in Germany", "Munich is the capital of Bavaria.", "Q1726"),
        "Paris": ("capital of France", "Paris is the capital of France.", "Q90"),
        "Paris (band)": ("British band", "Paris were a band.", "Q2"),
        "Paris (disambiguation)": ("lists", "Paris may be:", "Q9"),
    },
    "de": {"München": ("Stadt in Bayern", "München ist eine Stadt.", "Q1726")},
}
# One dot.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c636800000082008177cd72b60000000049454e44ae426082"
)
# By item: files and their ranks.
IMAGES = {
    "Q1726": [("Old.jpg", "deprecated"), ("Town.svg", "normal"), ("Frauenkirche Munich.jpg", "preferred")]
}
_MOST = 50
REDIRECTS = {"en": {"Obama": "Barack Obama", "Muenchen": "Munich"}, "de": {"Minga": "München"}}
ODD = {"garbled": b"<html>", "odd": b'{"query": {"pages": [7, {"title": 7}], "redirects": 3}}'}
NUMBERS = {"en": {"534366": "Barack Obama"}, "de": {}}


class Wikipedia:
    """What the server is asked, and how it behaves.

    Attributes:
        asked: path and parameters of every request.
        agents: user agents.
        mood: what to do with the next requests, the last one for good: `well`, `slow`, `busy`, `fault`,
            `garbled`, `elsewhere`, `odd`, `refuse`.
        files: what lies at a path of an image, where it is not the usual dot.
        coding: how files are said to be packed.
    """

    def __init__(self, port: int) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.agents: list[str] = []
        self.mood = ["well"]
        self.files: dict[str, bytes] = {}
        self.coding: str | None = None
        self.delay = 5.0
        self.home = f"http://127.0.0.1:{port}"
        self.api = f"{self.home}/{{language}}/w/api.php"
        self.wikidata = f"{self.home}/wikidata/w/api.php"

    def yaml(self, keys: str) -> str:
        """The section of study.yaml that leads here."""
        return (
            f'kb: {{kind: wikipedia, api: "{self.api}", wikidata: "{self.wikidata}",'
            f" contact: me@example.org, keys: {keys}}}\n"
        )

    def next_mood(self) -> str:
        """How to behave now."""
        return self.mood.pop(0) if len(self.mood) > 1 else self.mood[0]


@contextmanager
def serving() -> Iterator[Wikipedia]:
    """A Wikipedia that answers until the end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            split = urlsplit(self.path)
            given = {name: values[0] for name, values in parse_qs(split.query).items()}
            wiki.asked.append((split.path, given))
            wiki.agents.append(self.headers["User-Agent"])
            mood = wiki.next_mood()
            if mood == "slow":
                time.sleep(wiki.delay)
            status = {"busy": 429, "fault": 500, "elsewhere": 302, "refuse": 403}.get(mood, 200)
            self.send_response(status)
            if mood == "busy":
                self.send_header("Retry-After", "0")
            if mood == "elsewhere":
                self.send_header("Location", f"{wiki.home}/secret")
            if split.path.startswith("/images/"):
                body = wiki.files.get(split.path, PNG if "Munich" in split.path else b"<svg/>")
            else:
                said = json.dumps(_answer(split.path.split("/")[1], given))
                body = ODD.get(mood) or said.replace("HOME", wiki.home).encode()
            if wiki.coding and split.path.startswith("/images/"):
                self.send_header("Content-Encoding", wiki.coding)
            self.send_header("Content-Length", str(len(body)))
            # Who has lost patience does not listen any more.
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        wiki = Wikipedia(server.server_port)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield wiki
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Dripping:
    """A host that sends a byte now and then.

    Attributes:
        home: its address.
        left: that whoever asked has hung up.
        seconds: how long it would go on.
    """

    home: str
    left: Event
    seconds: float = 60.0


@contextmanager
def dripping(sent: bytes) -> Iterator[Dripping]:
    """A host that begins with `sent`, and then never ends, though every byte comes soon after the last."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = Dripping(f"http://127.0.0.1:{listening.getsockname()[1]}", Event())
        thread = Thread(target=_drip, args=(listening, host, sent))
        thread.start()
        try:
            yield host
        finally:
            thread.join()


def _drip(listening: socket.socket, host: Dripping, sent: bytes) -> None:
    until = time.monotonic() + host.seconds
    connection, _ = listening.accept()
    with connection, suppress(ConnectionError):
        connection.sendall(sent or b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while time.monotonic() < until:
            connection.sendall(b"a")
            time.sleep(0.02)
    host.left.set()


def _answer(language: str, given: dict[str, str]) -> dict[str, Any]:
    asked = (given.get("ids") or given.get("titles") or "").split("|")
    if len(asked) > _MOST:
        return {"error": {"code": "toomanyvalues"}}
    if given["action"] != "query":
        return _of_items(given, asked)
    if given.get("meta") == "siteinfo":
        return {"query": {"general": {}}}
    if "generator" in given:
        return _search(language, given.get("gpssearch") or given["gsrsearch"])
    if "pageids" in given:
        title = NUMBERS[language].get(given["pageids"])
        return {"query": {"pages": [{"title": title, "ns": 0} if title else {"missing": True}]}}
    return _titles(language, given, asked)


def _of_items(given: dict[str, str], asked: list[str]) -> dict[str, Any]:
    if given["action"] == "wbgetentities":
        return {"entities": {item: _item(item, given["languages"]) for item in asked}}
    return {"claims": {"P18": [_claim(*claim) for claim in IMAGES.get(given["entity"], ())]}}


def _titles(language: str, given: dict[str, str], titles: list[str]) -> dict[str, Any]:
    if given.get("prop") == "imageinfo":
        return {"query": {"pages": [_file(title) for title in titles]}}
    moved = REDIRECTS[language]
    ends = list(dict.fromkeys(moved.get(title, title) for title in titles))
    pages = [_page(language, title) for title in ends]
    if "langlinks" in given["prop"]:
        for page in pages:
            other = _called(page.get("pageprops", {}).get("wikibase_item"), given["lllang"])
            page["langlinks"] = [{"lang": given["lllang"], "title": other}] if other else []
    renamed = [{"from": title, "to": moved[title]} for title in titles if title in moved]
    return {"query": {"redirects": renamed, "pages": pages}}


def _search(language: str, query: str) -> dict[str, Any]:
    moved = REDIRECTS[language]
    names = [*ARTICLES[language], *moved]
    found = [name for name in names if name.casefold().startswith(query.casefold())]
    ends = list(dict.fromkeys(moved.get(name, name) for name in sorted(found)))
    pages = [{**_page(language, title), "index": n} for n, title in enumerate(ends)]
    renamed = [{"from": name, "to": moved[name]} for name in found if name in moved]
    # MediaWiki tells pages in the order of their numbers, not of the search.
    return {"query": {"redirects": renamed, "pages": pages[::-1]}} if pages else {"batchcomplete": True}


def _page(language: str, title: str) -> dict[str, Any]:
    if title not in ARTICLES[language]:
        return {"title": title, "ns": 0, "missing": True}
    description, extract, item = ARTICLES[language][title]
    several = {"disambiguation": ""} if "disambiguation" in title else {}
    properties = {"wikibase_item": item, **several}
    told = {"title": title, "ns": 0, "description": description, "extract": extract, "pageprops": properties}
    return told | {"thumbnail": {"source": f"HOME/images/{title}"}, "pageimage": f"{title}.png"}


def _claim(file: str, rank: str) -> dict[str, Any]:
    return {"rank": rank, "mainsnak": {"snaktype": "value", "datavalue": {"type": "string", "value": file}}}


def _file(title: str) -> dict[str, Any]:
    told = _credit() | {"thumburl": f"HOME/images/thumb/{title.removeprefix('File:')}"}
    return {"title": title, "ns": 6, "missing": True, "imagerepository": "shared", "imageinfo": [told]}


def _credit() -> dict[str, Any]:
    facts = {
        "Artist": "<a href='/x'>Ann &amp; Bob</a>",
        "LicenseShortName": "CC BY 4.0",
        "LicenseUrl": "https://l.example",
    }
    return {"extmetadata": {name: {"value": value} for name, value in facts.items()}}


def _called(item: str | None, language: str) -> str | None:
    return next((title for title, told in ARTICLES[language].items() if told[2] == item), None)


def _item(item: str, language: str) -> dict[str, Any]:
    title = _called(item, language)
    if title is None:
        return {"id": item, "missing": ""}
    description = ARTICLES[language][title][0]
    return {
        "id": item,
        "labels": {language: {"value": title}},
        "descriptions": {language: {"value": description}},
        "sitelinks": {f"{language}wiki": {"title": title}},
    }
