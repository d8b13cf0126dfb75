"""Properties of the entity key normaliser."""

from urllib.parse import quote

from hypothesis import example, given
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.keys import normalise, read_entity

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(ANY_TEXT)
@example("//[")
@example("http://[::1")
def test_a_key_is_its_own_key(text):
    """Normalising twice changes nothing more, and nothing but InputError is raised."""
    try:
        key = normalise(text, "en")
    except InputError:
        return
    assert normalise(key, "de") == key


@given(ANY_TEXT)
def test_a_title_and_its_address_have_the_same_key(text):
    try:
        key = normalise(f"w:en:{text}", "en")
    except InputError:
        return
    title = key.removeprefix("w:en:")
    assert normalise(f"https://en.wikipedia.org/wiki/{quote(title.replace(' ', '_'))}", "de") == key


@given(ANY_TEXT)
def test_reading_keeps_the_raw_value(text):
    try:
        assert read_entity(text, "en").raw == text
    except InputError:
        return
