"""A rehearsal: the whole campaign on a copy; the study stays as it is, the account is equal, no id leaves."""

import json
import re
import shutil
from pathlib import Path

import httpx
import pytest

from analysis.errors import InputError, StateError
from tests.support import serving_here
from tests.support.crowds import come, planned, work_through
from verifier import clock
from verifier.cli.rehearse import lines
from verifier.crowd import campaigns
from verifier.crowd.base import Capability
from verifier.exporting import write_bundle, write_judgments
from verifier.rehearse import copying, running
from verifier.rehearse.account import Account, Line
from verifier.simulate import habits
from verifier.store import crowd, hosting, progress
from verifier.store.engine import Store
from verifier.study import Study
from verifier.web.app import create_app

WORKERS = 12


@pytest.fixture(scope="module")
def own(tmp_path_factory, tiny_blank):
    """The tiny study, with a budget, on a plain link."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("rehearsed") / "tiny"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("budget: {cap: '30.00'}\n")
    return folder


def wanted(platform, workers=WORKERS, person=None):
    crowd_of = habits.crowd("mixed", dropouts=0.3)
    return running.Wanted(platform, workers, 5, crowd_of, "GT", person)


def run(folder, platform, **how):
    told = []
    with pytest.MonkeyPatch.context() as patch, Study.open(folder) as study:
        serving_here.put(patch)
        return running.rehearse(study, wanted(platform, **how), told.append)


@pytest.fixture(scope="module")
def done(own):
    """One rehearsal on the local MTurk, of a study that was never planned."""
    return run(own, "mturk")


def test_it_ends_with_equal_accounts_and_everybody_paid(done):
    assert done.account.equal
    assert done.outcomes["submitted"] >= done.approved > 0
    assert done.outcomes.get("returned", 0) + done.outcomes.get("abandoned", 0) > 0
    assert done.collected == {"matched": done.outcomes["submitted"]}
    rewards = [line for line in done.account.lines if line.what == "reward"]
    assert len(rewards) == done.approved
    assert done.bonuses == len(done.account.lines) - len(rewards) > 0
    assert done.account.held == (0, 0)


def test_work_that_the_cap_has_no_room_for_is_told_as_such(own, done, tmp_path):
    with Study.open(shutil.copytree(own, tmp_path / "own")) as study:
        planned(study)
    text = (tmp_path / "own" / "study.yaml").read_text(encoding="utf-8")
    (tmp_path / "own" / "study.yaml").write_text(text.replace("30.00", "0.40"), encoding="utf-8")
    poor = run(tmp_path / "own", "mturk")
    assert done.cap is None
    assert list(lines(poor))[-3].endswith("the cap of 0.40 USD has no room: raise budget.cap.")


def test_the_report_says_that_nobody_was_real(done):
    text = done.report.read_text(encoding="utf-8")
    assert "Simulated: no person made these judgments" in text


def test_the_study_itself_is_as_it_was(own, done):
    with Study.open(own) as study, study.read() as session:
        assert crowd.origin(session) == crowd.LIVE
        assert not progress.people(session)
        assert not hosting.places(session, "mturk")
    assert done.folder.parent == own / "rehearsals"


def test_a_copy_is_published_nowhere_but_here(done):
    with Study.open(done.folder) as copy, pytest.raises(StateError, match="made to rehearse on"):
        campaigns.check(copy, "production", Capability.PUBLISH)


def test_no_platform_id_stands_in_exports_reports_account_or_dashboard(done, tmp_path, capfd):
    """What the platform calls people and their participations is in the vault and the database alone."""
    with Study.open(done.folder) as copy:
        with copy.read() as session:
            rows = [crowd.assignment(session, person.assignment) for person in progress.people(session)]
            people = {crowd.participant(session, row.worker_id, "mturk") for row in rows}
            secret = {
                *people,
                *(row.platform_assignment for row in rows),
                *(row.token for row in rows),
                *(row.completion_code for row in rows),
            }
        write_bundle(copy, tmp_path / "bundle")
        write_judgments(copy, tmp_path / "judgments.csv", tmp_path / "annotations.csv")
    secret = {told.encode() for told in secret if told}
    assert len(secret) > 3 * done.approved
    files = [path for path in [*tmp_path.rglob("*"), *done.report.parent.rglob("*")] if path.is_file()]
    files.append(done.folder / "account.csv")
    for path in files:
        content = path.read_bytes()
        assert not [told for told in secret if told in content], path.name
    pages = b"".join(dashboard(done.folder))
    assert len(pages) > 10_000
    assert not [told for told in secret if told in pages]
    said = "".join(capfd.readouterr()).encode()
    assert not [told for told in secret if told in said]


def dashboard(folder):
    """Every page of the dashboard that a link leads to."""
    with Study.open(folder) as study:
        client = create_app(study, dashboard_key="key").test_client()
        client.get("/admin/enter?key=key")
        waiting, seen = ["/admin/", "/admin/live"], set()
        while waiting and len(seen) < 60:
            address = waiting.pop()
            page = client.get(address)
            assert page.status_code == 200, address
            yield page.data
            seen.add(address)
            html = page.mimetype == "text/html"
            links = re.findall(r'href="(/admin/[^"#]*)"', page.text) if html else []
            page.close()
            waiting += [link for link in links if link not in seen and link not in waiting]


@pytest.fixture
def not_analysed(monkeypatch):
    """The analysis takes long, and one rehearsal has it."""
    monkeypatch.setattr(running._Campaign, "_analyze", lambda _self: Path("report.html"))


def test_a_copy_takes_the_plan_and_leaves_the_people(any_tiny_study):
    study = planned(any_tiny_study)
    work_through(study, "ann")
    come(study, "bob")
    folder = copying.make(study, "link", clock.now())
    store = Store(f"sqlite:///{folder / 'study.db'}")
    with study.read() as session, store.read() as other:
        assert len(progress.people(session)) == 2
        assert not progress.people(other)
        before = [(work.tasks, work.displays) for work in progress.work(session)]
        assert [(work.tasks, work.displays) for work in progress.work(other)] == before
        assert all(not work.leased and not work.done for work in progress.work(other))
        assert crowd.origin(other) == crowd.SIMULATED
    store.close()


@pytest.mark.usefixtures("not_analysed")
def test_a_person_in_the_browser_is_waited_for(own):
    """The address is told until he is done; what he did is collected and paid."""
    asked = []

    def person(address, handed_in):
        asked.append(address)
        if len(asked) == 1:
            page = httpx.get(f"{address}/worker/A1", trust_env=False)
            hit = re.search(r"/worker/A1/hit/[A-Z0-9]+", page.text)[0]
            accepted = httpx.post(f"{address}{hit}/accept", trust_env=False).headers["location"]
            assignment = accepted.rsplit("/", 1)[-1]
            form = {"assignmentId": assignment, "completion_code": "x"}
            httpx.post(f"{address}/mturk/externalSubmit", data=form, trust_env=False)
        return handed_in == 1

    told = run(own, "mturk", person=person)
    assert asked[0].startswith("http://127.0.0.1:")
    assert told.collected == {"unknown": 1}
    assert told.account.equal


def test_no_such_platform_or_truth(own):
    with pytest.raises(InputError, match="no such platform"):
        run(own, "moon")
    with Study.open(own) as study, pytest.raises(InputError, match="truth"):
        running.rehearse(study, running.Wanted("link", 1, 0, habits.crowd("mixed"), "nobody"), print)


def test_an_account_that_differs_is_not_equal():
    line = Line("reward", 1, 1, 0, "platform")
    assert not Account((line,), (1, 0), (0, 0), (1, 0), "USD", hosted=True).equal
    assert not Account((), (1, 1), (0, 0), (0, 0), "USD", hosted=True).equal


@pytest.mark.usefixtures("not_analysed")
def test_on_a_link_the_ledger_stands_alone_and_the_command_says_all_as_json(own, posthoc):
    ran = posthoc("rehearse", own, "--platform", "link", "--workers", 4, "--dropouts", 0, "--json")
    assert ran.status == 0, ran.err
    told = json.loads(ran.out)
    assert told["equal"] is True
    assert told["account"]["hosted"] is False
    assert {line["side"] for line in told["account"]["lines"]} == {"ledger"}


def test_as_many_come_as_all_places_need():
    """A third more or so, and some to spare; never endlessly many."""
    usual = habits.crowd("mixed")
    assert 150 < running.enough(100, usual) < 200
    assert 1000 < running.enough(100, habits.crowd("mixed", dropouts=0.9)) < 1100
