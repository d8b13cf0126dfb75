"""The service model: botocore's own, the package that keeps it, and that both say the same."""

import importlib.metadata
import shutil
from pathlib import Path

import pytest
from botocore.loaders import Loader

from analysis.errors import MissingExtraError
from verifier.crowd.localmturk.model import load, model
from verifier.crowd.localmturk.operations import HANDLERS
from verifier.crowd.localmturk.service import ROOMS, Service
from verifier.crowd.localmturk.state import State

PACKAGE = "botocore-a-la-carte-mturk"
VERSION = Path("mturk") / "2017-01-17"
# What a campaign needs none of; the local MTurk says so, loudly.
NOT_SERVED = {
    "AcceptQualificationRequest",
    "CreateWorkerBlock",
    "DeleteWorkerBlock",
    "GetFileUploadURL",
    "ListHITsForQualificationType",
    "ListQualificationRequests",
    "ListReviewPolicyResultsForHIT",
    "ListWorkerBlocks",
    "RejectQualificationRequest",
    "SendTestEventNotification",
    "UpdateHITTypeOfHIT",
    "UpdateNotificationSettings",
}


def alone(folder, file):
    """What a botocore would load that had this file and nothing else."""
    (folder / VERSION).mkdir(parents=True)
    shutil.copy(file, folder / VERSION)
    return load(Loader(extra_search_paths=[str(folder)], include_default_search_paths=False))


def kept(name):
    """The file of a distribution that holds the model."""
    found = [f for f in importlib.metadata.files(name) or [] if f.parent.name == VERSION.name]
    (file,) = [f for f in found if f.name.startswith("service-2.json")]
    return file.locate()


def test_botocore_and_the_package_give_the_same_39_operations_and_shapes(tmp_path):
    try:
        other = kept(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{PACKAGE} is not installed")
    own = alone(tmp_path / "own", kept("botocore"))
    again = alone(tmp_path / "again", other)
    assert len(own.operations) == 39
    assert again.operations == own.operations
    assert again.target == own.target
    for name, shape in own.shapes.items():
        written = {key: value for key, value in shape.items() if key != "documentation"}
        assert {k: v for k, v in again.shapes[name].items() if k != "documentation"}.keys() == written.keys()


def test_a_botocore_without_the_service_says_what_to_install(tmp_path):
    loader = Loader(extra_search_paths=[str(tmp_path)], include_default_search_paths=False)
    with pytest.raises(MissingExtraError, match=PACKAGE):
        load(loader)


def test_every_operation_of_the_model_is_dispatched_served_or_refused_loudly():
    assert ROOMS
    assert set(model().operations) == set(HANDLERS) | NOT_SERVED
    assert not set(HANDLERS) & NOT_SERVED
    state = State(None, 100)
    service = Service(state)
    for name in NOT_SERVED:
        answer = service.answer(f"{model().target}.{name}", b"{}")
        assert answer.status == 400
        assert answer.body["TurkErrorCode"].startswith("AWS.MechanicalTurk.")
    state.close()
