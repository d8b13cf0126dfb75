"""A page as a reader of the screen has it: its accessibility tree, line by line, and what is announced."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

# Boxes and pieces of lines, which no reader speaks.
_UNSPOKEN = frozenset({"none", "generic", "InlineTextBox", "LineBreak", "RootWebArea", "ListMarker"})
_LISTEN = """() => {
  const live = document.getElementById("live");
  window.heard = [];
  const hear = new MutationObserver(() => window.heard.push(live.textContent));
  hear.observe(live, { childList: true, characterData: true, subtree: true });
}"""


def spoken(page: Page, within: str | None = None) -> list[str]:
    """Role and name of each thing in the order in which it is read; of a named region alone, if asked."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    begin = nodes[0] if within is None else next(node for node in nodes if _told(node) == f"region {within}")
    found: list[str] = []
    _walk(begin, by_id, found)
    return found


def _walk(node: dict[str, Any], by_id: dict[str, dict[str, Any]], found: list[str]) -> None:
    said = _told(node)
    if said:
        found.append(said)
    # What a button or a link is called is not read once more from inside.
    if said.split(" ")[0] in ("button", "link", "StaticText", "option", "combobox", "heading"):
        return
    for child in node.get("childIds", []):
        if child in by_id:
            _walk(by_id[child], by_id, found)


def _told(node: dict[str, Any]) -> str:
    role = node.get("role", {}).get("value", "")
    if node.get("ignored") or role in _UNSPOKEN:
        return ""
    return " ".join([role, *node.get("name", {}).get("value", "").split()])


def listen(page: Page) -> None:
    """From now on, keep what is announced."""
    page.evaluate(_LISTEN)


def heard(page: Page) -> list[str]:
    """What was announced since this was last asked."""
    found: list[str] = page.evaluate("window.heard.splice(0)")
    return found
