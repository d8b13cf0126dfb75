"""The peer of the server's bench: a Flask app that inserts a row per POST into SQLite, behind waitress."""

from __future__ import annotations

import logging
import sqlite3
import sys
import threading

from flask import Flask, jsonify, request
from waitress.server import create_server

_own = threading.local()


def app(path: str) -> Flask:
    """Stores what is posted, and hands out a fixed task."""
    made = Flask(__name__)

    def connection() -> sqlite3.Connection:
        if not hasattr(_own, "connection"):
            _own.connection = sqlite3.connect(path, timeout=30)
            _own.connection.execute("pragma journal_mode=wal")
            _own.connection.execute("pragma synchronous=full")
            _own.connection.execute("create table if not exists judgment (display text, decision text)")
        return _own.connection

    @made.post("/judgments")
    def judgments() -> object:
        item = request.get_json()["judgments"][0]
        with connection() as session:
            session.execute("insert into judgment values (?, ?)", (item["display"], item["action"]))
        return jsonify(saved=[item["display"]])

    @made.get("/tasks/0")
    def task() -> object:
        displays = [
            {"display": f"0.{n}", "start": n, "end": n + 4, "card": {"title": "Rome"}} for n in range(5)
        ]
        return jsonify(task=0, text="In Rome " * 60, displays=displays)

    return made


if __name__ == "__main__":
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(app(sys.argv[1]), host="127.0.0.1", port=0, threads=8, connection_limit=1000)
    sys.stdout.write(f"Listening on http://127.0.0.1:{server.effective_port}" + "\n")
    sys.stdout.flush()
    server.run()
