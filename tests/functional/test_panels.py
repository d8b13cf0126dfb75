"""Panels and lists of people: signed links, codes and addresses by outcome, decisions as a CSV."""

import csv
from pathlib import Path

import pytest

from analysis.errors import ConfigError, InputError, StateError
from tests.support.crowds import NOON, judge, planned
from verifier.crowd import codes, decisions_file, review, signing
from verifier.crowd.arrivals import arrive
from verifier.crowd.leaving import leaving
from verifier.crowd.submission import submit
from verifier.plan import draw
from verifier.store import crowd, forgetting, ledger
from verifier.study import Study
from verifier.web.app import create_app

PANEL = (
    "platform: {kind: link, preset: panel, complete_url: 'https://panel.test/end?s=1&rid={participant}&c={code}',"
    " no_consent_url: 'https://panel.test/end?s=2&rid={participant}', nothing_left_url: 'https://panel.test/end?s=3',"
    " failed_check_url: 'https://panel.test/end?s=4', nothing_left_code: NONE}\n"
    "server: {public_url: 'https://study.test'}\n"
)
SIGNED = "platform: {kind: link, signed: true}\nserver: {public_url: 'https://study.test'}\n"


def opened(folder, more):
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(more)
    return Study.open(folder)


@pytest.fixture
def panel(tiny_folder):
    with opened(tiny_folder, PANEL) as study:
        planned(study)
        yield study


@pytest.fixture
def signed(tiny_folder):
    with opened(tiny_folder, SIGNED) as study:
        planned(study)
        yield study


def table(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def client(study):
    return create_app(study, dashboard_key="key").test_client()


def hand_in(study, name):
    arrived = arrive(study, {"rid": name}, NOON)
    judge(study, arrived.token)
    return submit(study, arrived.token, NOON)


def test_who_has_finished_goes_to_the_address_of_the_outcome(panel):
    done = hand_in(panel, "p 1")
    outcome = "4" if f"s={4}" in done.finish_url else "1"
    with panel.read() as session:
        counted = crowd.submitted(session)[0].counted
    assert outcome == ("1" if counted else "4")
    assert counted is False or done.finish_url == f"https://panel.test/end?s=1&rid=p%201&c={done.code}"


def test_who_does_not_agree_and_who_finds_nothing_go_to_theirs(panel):
    arrived = arrive(panel, {"rid": "p2"}, NOON)
    told = leaving(panel, "no_consent", token=arrived.token)
    assert told.redirect_url == "https://panel.test/end?s=2&rid=p2"
    told = leaving(panel, "nothing_left", {"rid": "p3"})
    assert (told.code, told.redirect_url) == ("NONE", "https://panel.test/end?s=3")
    assert leaving(panel, "expired") is None


def test_the_page_shows_the_way_back_to_the_panel(panel):
    arrived = arrive(panel, {"rid": "p2"}, NOON)
    with panel.read() as session:
        (row,) = crowd.assignments_of(session, 1)
    draw.release(panel, row.id, state="no_consent", now=NOON)
    page = client(panel).get(f"/w/{arrived.token}").text
    assert "https://panel.test/end?s=2&amp;rid=p2" in page


def test_a_plain_link_tells_nobody_anything(tiny_study):
    assert leaving(tiny_study, "no_consent") is None


@pytest.mark.parametrize(
    ("preset", "parameter"), [("connect", "participantId"), ("panel", "rid"), ("null", "participant")]
)
def test_a_preset_knows_how_the_panel_names_people(tiny_folder, preset, parameter):
    with opened(tiny_folder, f"platform: {{kind: link, preset: {preset}}}\n") as study:
        planned(study)
        assert arrive(study, {parameter: "somebody"}, NOON).outcome == "working"


def test_sona_must_be_told_the_number_of_the_sign_up(tiny_folder):
    with pytest.raises(ConfigError, match="survey_code"):
        opened(tiny_folder, "platform: {kind: link, preset: sona, complete_url: 'https://s.test/credit'}\n")


def test_a_signed_link_lets_in_whom_it_was_made_for_alone(signed, tmp_path):
    (tmp_path / "people.txt").write_text("ann\n\nbob\n", encoding="utf-8")
    made = dict(signing.links(signed, signing.read(signed, tmp_path / "people.txt")))
    assert list(made) == ["ann", "bob"]
    assert made["ann"].startswith("https://study.test/start?participant=ann&sig=")
    told = signing.told(signed, "ann")
    assert arrive(signed, told, NOON).outcome == "working"
    for forged in ({"participant": "ann"}, {**told, "participant": "bob"}, {**told, "sig": "A" * 20}):
        with pytest.raises(InputError, match="not one that was given out"):
            arrive(signed, forged, NOON)
    with signed.read() as session:
        assert len(crowd.assignments_of(session, 1)) == 1


def test_a_forged_entry_gets_a_page_that_says_so_and_leaves_nothing(signed):
    answer = client(signed).get("/start?participant=eve&sig=x")
    assert (answer.status_code, "This link cannot be used" in answer.text) == (400, True)
    assert "eve" not in answer.text


def test_a_list_with_strange_ids_is_refused_line_by_line(signed, tmp_path):
    (tmp_path / "people.txt").write_text("ann\nann\n" + "x" * 300 + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        signing.read(signed, tmp_path / "people.txt")
    assert [p.where.rsplit(":")[-1] for p in caught.value.problems] == ["2", "3"]


def test_the_command_writes_the_links(signed, tmp_path, posthoc):
    (tmp_path / "people.txt").write_text("ann\n", encoding="utf-8")
    ran = posthoc("links", signed.path, tmp_path / "people.txt", "--out", tmp_path / "links.csv")
    assert ran.status == 0, ran.err
    (row,) = table(tmp_path / "links.csv")
    assert row["participant"] == "ann"
    assert posthoc("links", signed.path, tmp_path / "people.txt", "--out", tmp_path / "links.csv").status == 1


def decisions(folder, *lines, header="completion_code,participant,decision,reason"):
    path = Path(folder) / "decided.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def test_decisions_of_a_panel_are_put_on_record_by_code_or_id(panel, tmp_path):
    first, _ = hand_in(panel, "p1"), hand_in(panel, "p2")
    file = decisions(tmp_path, f"{first.code},,approve,", ",p2,reject,Nothing was read.")
    decided = decisions_file.read(panel, file)
    assert decisions_file.record(panel, decided, now=NOON) == 2
    assert decisions_file.record(panel, decided, now=NOON) == 0
    assert [entry.decision for entry in review.queue(panel).entries] == ["approve", "reject"]
    with panel.read() as session:
        assert crowd.committed(session) == panel.config.place.pay


def test_every_fault_of_a_list_of_decisions_is_told_and_no_id_repeated(panel, tmp_path):
    done = hand_in(panel, "p1")
    lines = ["NOCODE,,approve,", f"{done.code},,maybe,", ",p1,reject,", ",,approve,"]
    with pytest.raises(InputError) as caught:
        decisions_file.read(panel, decisions(tmp_path, *lines))
    assert len(caught.value.problems) == 4
    assert "NOCODE" not in str(caught.value)
    with pytest.raises(InputError, match="stands twice"):
        decisions_file.read(panel, decisions(tmp_path, f"{done.code},,approve,", ",p1,approve,"))


def test_too_many_rejections_by_a_list_are_refused_whole(panel, tmp_path):
    hand_in(panel, "p1"), hand_in(panel, "p2")
    file = decisions(tmp_path, ",p1,reject,No.", ",p2,reject,No.")
    with pytest.raises(StateError, match="too many would be rejected"):
        decisions_file.record(panel, decisions_file.read(panel, file), now=NOON)
    assert all(entry.decision is None for entry in review.queue(panel).entries)


def test_the_command_takes_decisions_in(panel, tmp_path, posthoc):
    hand_in(panel, "p1")
    file = decisions(tmp_path, ",p1,approve,")
    assert "1 decisions can be read" in posthoc("review", panel.path, "--decisions", file).out
    ran = posthoc("review", panel.path, "--decisions", file, "--live", "--confirm", "tiny")
    assert ran.out.startswith("Put 1 decisions on record."), ran.err


def test_bonuses_on_a_link_are_recorded_once_and_written_for_who_pays(panel, tmp_path, posthoc):
    hand_in(panel, "p1")
    (tmp_path / "b.csv").write_text("assignment,amount,reason\n1,0.50,Thanks\n", encoding="utf-8")
    asked = ("bonus", panel.path, tmp_path / "b.csv")
    assert "--out" in posthoc(*asked, "--live", "--confirm", "tiny").err
    ran = posthoc(*asked, "--live", "--confirm", "tiny", "--out", tmp_path / "pay.csv")
    assert ran.status == 0, ran.err
    (row,) = table(tmp_path / "pay.csv")
    assert (row["participant"], row["amount"]) == ("p1", "0.50")
    ran = posthoc(*asked, "--live", "--confirm", "tiny", "--out", tmp_path / "pay2.csv")
    assert "0 bonuses on record, for you to pay" in ran.out
    assert "was not written" in ran.err
    assert not (tmp_path / "pay2.csv").exists()


def test_nobody_who_was_forgotten_is_put_down_as_paid(panel, tmp_path, posthoc):
    hand_in(panel, "p1")
    with panel.write() as session:
        forgetting.forget(session, "2026-12-01")
    (tmp_path / "b.csv").write_text("assignment,amount,reason\n1,0.50,Thanks\n", encoding="utf-8")
    live = ("--live", "--confirm", "tiny", "--out", tmp_path / "pay.csv")
    for asked in (("bonus", panel.path, tmp_path / "b.csv"), ("review", panel.path)):
        ran = posthoc(*asked, *live)
        assert (ran.status, "not known any more" in ran.err) == (1, True), ran.err
    assert not (tmp_path / "pay.csv").exists()
    with panel.read() as session:
        assert (ledger.calls(session, "bonus"), crowd.submitted(session)[0].decision) == ([], None)


def test_every_outcome_has_a_code_and_an_address():
    assert set(codes.OUTCOMES) == {"completed", "failed check", "no consent", "nothing left"}
