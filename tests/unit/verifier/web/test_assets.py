"""The pages' scripts in one file, and answers packed for browsers that read them so."""

from __future__ import annotations

import gzip
import re

import pytest
from flask import Flask, Response, jsonify
from flask.testing import FlaskClient

from verifier.web import assets, packing


@pytest.fixture
def client() -> FlaskClient:
    """An app with the assets and one long answer."""
    app = Flask(__name__)
    packing.install(app)
    app.extensions[assets.NAME] = assets.Assets()
    app.register_blueprint(assets.blueprint)
    app.add_url_rule("/long", view_func=lambda: jsonify(text=5000 * "a"))
    app.add_url_rule("/short", endpoint="short", view_func=lambda: jsonify(text="a"))
    return app.test_client()


def version(client: FlaskClient) -> str:
    return client.application.extensions[assets.NAME].version


def packed(client: FlaskClient, path: str) -> Response:
    return client.get(path, headers={"Accept-Encoding": "br, gzip"})


def test_the_modules_are_one_without_imports_each_once_and_in_order() -> None:
    joined = assets.joined("main")
    assert not re.findall(r"^(?:import|export)\b", joined, re.MULTILINE)
    made = re.findall(r"^const of_(\w+) = ", joined, re.MULTILINE)
    assert sorted(made) == sorted(set(made))
    for name in set(re.findall(r"\bof_(\w+)", joined)):
        assert joined.index(f"const of_{name} =") == joined.index(f"of_{name}") - len("const ")


@pytest.mark.parametrize("path", ["/assets/VERSION/page.js", "/assets/VERSION/page.css", "/long"])
def test_packed_and_plain_are_the_same(client: FlaskClient, path: str) -> None:
    path = path.replace("VERSION", version(client))
    small, plain = packed(client, path), client.get(path)
    assert (small.headers["Content-Encoding"], plain.headers.get("Content-Encoding")) == ("gzip", None)
    assert gzip.decompress(small.data) == plain.data
    assert len(small.data) * 2 < len(plain.data)
    assert small.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_what_fits_a_packet_is_left_as_it_is(client: FlaskClient) -> None:
    assert "Content-Encoding" not in packed(client, "/short").headers


def test_only_under_its_own_address_is_a_file_kept_for_good(client: FlaskClient) -> None:
    kept = client.get(f"/assets/{version(client)}/page.js").headers["Cache-Control"]
    assert "immutable" in kept
    assert client.get("/assets/of-before/page.js").headers["Cache-Control"] == "no-cache"
    assert client.get(f"/assets/{version(client)}/other.js").status_code == 404
