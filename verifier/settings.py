"""Reads a YAML file of settings with the line of each, and says in words what the schema finds wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import yaml

from analysis.errors import ConfigError, Problem, plain

LANGUAGE: Final = r"^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$"
PAGES_LANGUAGE: Final = r"^(auto|[a-z]{2,3}(-[A-Za-z0-9]{1,8})*)$"
# The type of the fault that no schema has a section's `kind`.
KIND: Final = "platform_kind"
_LARGEST: Final = 1_000_000
_DEEPEST: Final = 20
_HUGE: Final = 10**30
_NO_WORDS: Final = re.compile(r"[-+.\d][-+.\deE]*|true|false|yes|no|null|~", re.IGNORECASE)
_TEXT: Final = "tag:yaml.org,2002:str"
_NO_TEXT: Final = {
    "tag:yaml.org,2002:bool": "yes or no",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:null": "nothing",
}
_NEVER: Final = re.compile(r"(?!)")
# Octal, hexadecimal, binary, to the base of 60, parted by underscores.
_ODD: Final = {
    "tag:yaml.org,2002:int": re.compile(r"^[-+]?0.|[:_]"),
    "tag:yaml.org,2002:float": re.compile(r"[:_]"),
}
_MAPPING: Final = "a mapping of keys, such as {{key: value}}"
# The schema's names for what is wrong, in our words; `{...}` is filled from what the schema knows.
_EXPECTED: Final = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that is finite",
    "decimal_type": 'an amount such as "3.00"',
    "decimal_parsing": 'an amount such as "3.00"',
    "decimal_max_places": 'an amount with at most {decimal_places} decimals, such as "3.00"',
    "decimal_max_digits": "an amount of at most {max_digits} digits",
    "decimal_whole_digits": "a smaller amount",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": 'text; put it into quotes: "2014"',
    "literal_error": "{expected}",
    "greater_than_equal": "{ge:g} or more",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "{le:.12g} or less",
    "less_than": "less than {lt:g}",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "tuple_type": "a list, such as [a, b]",
    "list_type": "a list, such as [a, b]",
    "none_required": "null",
    "path_type": "the name of a file",
    "recursion_loop": "a value that does not hold itself",
}
_PATTERNS: Final = {
    "^[A-Z]{3}$": "three capital letters such as EUR",
    LANGUAGE: "a language code such as en or pt-BR",
    PAGES_LANGUAGE: "a language code such as en or de, or auto",
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$": "letters, digits, dot, dash and underscore, at most 100, the first "
    "of them a letter or a digit",
    r"^[A-Za-z0-9_-]{1,40}$": "letters, digits, dash and underscore, at most 40",
    r"^[0-9a-f]{64}$": "the 64 digits and letters a to f of a sha256",
}


@dataclass(frozen=True)
class Settings:
    """A YAML file as read.

    Attributes:
        path: the file.
        values: its keys and values.
        root: its tree, which knows the lines.
        problems: what is wrong whatever the schema says: keys that stand twice, what YAML reads as something
            else than it looks like.
    """

    path: Path
    values: dict[Any, Any]
    root: yaml.Node | None
    problems: tuple[Problem, ...]

    def where(self, location: Sequence[Any]) -> str:
        """File and line of a key."""
        return f"{self.path}:{_line(self.root, location)}"

    def written(self, location: Sequence[Any]) -> str | None:
        """How a value stands there, if that is without quotes and in one word."""
        node = _at(self.root, location)
        return node.value if isinstance(node, yaml.ScalarNode) and node.style is None else None


def read(path: Path, what: str = "a mapping of sections", like: str = "study: {name: ...}") -> Settings:
    """Read a YAML file whose top is a mapping.

    Args:
        path: the file.
        what: its top is, for messages.
        like: how it begins, the same.

    Raises:
        ConfigError: it is missing, cannot be read, or is no such file; with the line.
    """
    text = _text(path)
    root = None
    try:
        _refuse_depths(path, text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        mistaken = tuple(_mistaken(path, root))
        values = yaml.SafeLoader("").construct_document(root) if root else None
    except yaml.YAMLError as error:
        raise ConfigError(
            "not valid YAML", where=f"{path}:{_fault_line(error, text)}", got=_reason(error)
        ) from None
    except (ValueError, RecursionError, OverflowError) as error:
        where = f"{path}:{_unreadable_line(root)}"
        raise ConfigError("a value cannot be read", where=where, got=_cut(error)) from None
    if not isinstance(values, dict):
        raise ConfigError(f"not {what}", where=f"{path}:1", expected=like)
    return Settings(path, values, root, (*_twice(path, root), *mistaken))


def problem(file: Settings, fault: Any, fields_at: Callable[[Sequence[Any]], list[str]]) -> Problem:
    """One finding of the schema in words."""
    location = [part for part in fault["loc"] if part != "[key]"]
    key = ".".join(map(str, location))
    where = file.where(location)
    if fault["type"] == "extra_forbidden":
        allowed = ", ".join(fields_at(location[:-1])) or "nothing more"
        return Problem(
            f"unknown key {key!r}", where, expected=allowed, remedy="Remove it or mend its spelling."
        )
    if fault["type"] == "missing":
        return Problem(f"{key!r} is missing", where, remedy="Add it.")
    got = fault["input"]
    if fault["type"] == KIND and isinstance(got, dict):
        key, got = f"{key}.kind", got.get("kind")
    written = None if isinstance(got, str) else file.written(location)
    expected = _expected(fault)
    if fault["type"] == "string_type" and written:
        expected = f"text; put it into quotes: {json.dumps(written)}"
    read = "a date" if isinstance(got, date) else _shown(got)
    shown = read if written in (None, read) else f"{written}, which YAML reads as {read}"
    return Problem(f"{key!r} cannot be this", where, got=shown, expected=expected)


def line_of(found: Problem) -> int:
    """The line that a problem names, to sort by."""
    line = found.where.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def _expected(fault: Any) -> str:
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        return str(context["error"]).removeprefix("expected ")
    if fault["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"text of the form {context['pattern']}")
    words = _EXPECTED.get(fault["type"])
    said = words.format(**context) if words else str(fault["msg"])
    return {"True": "true", "False": "false", "None": "null"}.get(said, said)


def _shown(value: Any) -> str:
    """A value as YAML would write it, cut short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= _HUGE:
        # Python itself refuses to write out very long ones.
        return "a number of over 30 digits"
    if isinstance(value, str) and _NO_WORDS.fullmatch(value):
        # In quotes, as it stands there: without them it would be a number, or true or false.
        return json.dumps(value)
    return plain(value)


def _cut(error: Exception) -> str:
    """The first clause of what Python says: the rest is advice to programmers."""
    return str(error).partition(";")[0].partition(":")[0]


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            "no study here", where=str(path), remedy="Make one with: posthoc init DIR"
        ) from None
    except NotADirectoryError:
        raise ConfigError(
            "a file, where a study's folder is to be named", where=str(path.parent), remedy="Name its folder."
        ) from None
    except OSError as error:
        raise ConfigError("cannot be read", where=str(path), got=error.strerror or "") from None
    if len(content) > _LARGEST:
        raise ConfigError("too large to be a configuration", where=str(path), got=f"{len(content)} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "not UTF-8 text",
            where=f"{path}:{line}",
            got=f"byte {content[error.start]:#04x}",
            remedy="Save the file as UTF-8.",
        ) from None


def _refuse_depths(path: Path, text: str) -> None:
    """Refuse what is nested so deeply that nobody has meant it, before anything has to climb down there."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise ConfigError(f"nested more than {_DEEPEST} levels deep", where=f"{path}:{line}")


def _fault_line(error: yaml.YAMLError, text: str) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    return text.count("\n", 0, getattr(error, "position", 0)) + 1


def _reason(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)


def _unreadable_line(root: yaml.Node | None) -> int:
    """The line of the first value that YAML's own rules take for a number or a date, and which is none."""
    for node in _nodes(root):
        if isinstance(node, yaml.ScalarNode):
            try:
                yaml.SafeLoader("").construct_object(node)
            except (yaml.YAMLError, ValueError, OverflowError):
                return int(node.start_mark.line) + 1
    return 1


def _twice(path: Path, root: yaml.Node | None) -> Iterator[Problem]:
    """Keys that stand twice in one mapping: YAML would keep the last without a word."""
    for node in _nodes(root):
        if not isinstance(node, yaml.MappingNode):
            continue
        first: dict[Any, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in first:
                yield Problem(
                    f"the key {key.value!r} stands twice",
                    f"{path}:{line}",
                    got=f"line {first[key.value]} too",
                    remedy="Keep one of them.",
                )
            first.setdefault(key.value, line)


def _mistaken(path: Path, root: yaml.Node | None) -> Iterator[Problem]:
    """What YAML 1.1 reads as something else than it looks like: keys as no text, 010 as 8, 1:30 as 90.

    Such keys are text afterwards, so that the schema says no more of them.
    """
    for node in _nodes(root):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        for key in (key for key, _ in pairs if isinstance(key, yaml.ScalarNode)):
            if key.style is None and key.tag in _NO_TEXT:
                yield Problem(
                    f"a key that is no text: YAML reads it as {_NO_TEXT[key.tag]}",
                    f"{path}:{key.start_mark.line + 1}",
                    key.value,
                    f"it in quotes: {json.dumps(key.value, ensure_ascii=False)}",
                )
                key.tag = _TEXT
        if (
            isinstance(node, yaml.ScalarNode)
            and node.style is None
            and _ODD.get(node.tag, _NEVER).search(node.value)
        ):
            yield _misread(path, node, "a number that YAML reads in another way than people do")


def _misread(path: Path, node: yaml.ScalarNode, what: str) -> Problem:
    quoted = json.dumps(node.value, ensure_ascii=False)
    where = f"{path}:{node.start_mark.line + 1}"
    return Problem(what, where, node.value, f"digits, with no zero before them; if it is text, {quoted}")


def _nodes(root: yaml.Node | None) -> Iterator[yaml.Node]:
    """Every node of the tree once, also where an alias leads back to it."""
    waiting, seen = [root] if root else [], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _line(node: yaml.Node | None, location: Sequence[Any]) -> int:
    """The line, 1-based, of the deepest part of `location` that the file has."""
    line = 1
    for number, _ in _way(node, location):
        line = number
    return line


def _at(node: yaml.Node | None, location: Sequence[Any]) -> yaml.Node | None:
    """The value at `location`; None if the file has none."""
    way = list(_way(node, location))
    return way[-1][1] if way and len(way) == len(location) else None


def _way(node: yaml.Node | None, location: Sequence[Any]) -> Iterator[tuple[int, yaml.Node]]:
    """The parts of `location` that the file has, from the outermost in: line of the key, value."""
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(part)]
            if not found:
                return
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return
        yield line, node
