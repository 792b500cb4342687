"""`jobdeck doctor`: all is well and 0, or what is wrong and 1; never a traceback."""

from pathlib import Path

import pytest

from core.jobs import NewJob, NewSchedule
from store.store import Store
from store.version import SCHEMA_VERSION
from tests.console.conftest import Cli
from tests.store.patient import Patient
from tests.store.running_jobs import submit

MISCOUNT = "UPDATE job_counts SET n = 7 WHERE status = 'QUEUED'"
MISCOUNTED = "7 jobs are counted as QUEUED, but 1 are"


@pytest.fixture
def patient(store: Store) -> Patient:
    """A healthy store with one job in its queue."""
    submit(store)
    store.close()
    return Patient(store.path.parent)


@pytest.mark.usefixtures("patient")
def test_a_healthy_store_is_well(cli: Cli) -> None:
    ran = cli("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\nall is well\n")


@pytest.mark.usefixtures("patient")
def test_a_healthy_store_is_well_as_json(cli: Cli) -> None:
    ran = cli("doctor", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert (ran.json["healthy"], ran.json["findings"]) == (True, [])
    assert (ran.json["facts"]["journal"], ran.json["facts"]["schema version"]) == ("wal", SCHEMA_VERSION)


def test_each_finding_is_a_line_and_the_last_counts_them(cli: Cli, patient: Patient) -> None:
    patient.harm(MISCOUNT)
    patient.path.chmod(0o640)
    ran = cli("doctor")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines()[-3:] == [
        f"files: {patient.path} has mode 0640, so others can reach it; set it to 0600",
        f"counters: {MISCOUNTED}",
        "2 findings",
    ]


def test_findings_as_json_say_where_and_what(cli: Cli, patient: Patient) -> None:
    patient.harm(MISCOUNT)
    ran = cli("doctor", "--json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.json["healthy"] is False
    assert ran.json["findings"] == [{"where": "counters", "what": MISCOUNTED}]


def test_another_store_is_examined_on_request(cli: Cli, patient: Patient) -> None:
    patient.harm(MISCOUNT)
    elsewhere = patient.path.rename(patient.home / "other.db")
    assert cli("doctor", "--db", str(elsewhere)).out.endswith(f"counters: {MISCOUNTED}\n1 finding\n")


def test_a_damaged_name_can_not_steer_the_terminal(cli: Cli, patient: Patient) -> None:
    with Store(patient.path) as store, store.write("ann") as work:
        work.add_template("t", NewJob())
        work.add_schedule(NewSchedule("s", "t", "0 0 * * *"))
    patient.harm("UPDATE schedules SET name = 'x' || char(27) || '[2J', fired_count = -1")
    ran = cli("doctor")
    assert ran.code == 1
    assert 'schedule "x' in ran.out
    assert "\x1b" not in ran.out
    assert cli("doctor", "--json").code == 1


@pytest.mark.parametrize("content", [b"", b"dear diary\n" * 900, b"SQLite format 3\x00" + b"\xaa" * 9000])
def test_what_is_no_store_is_told_in_a_sentence(cli: Cli, store_path: Path, content: bytes) -> None:
    store_path.write_bytes(content)
    ran = cli("doctor")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.endswith("\n1 finding\n")
    assert f"store: {store_path} is " in ran.out
    assert store_path.read_bytes() == content


def test_a_corrupt_store_is_told_in_a_sentence(cli: Cli, patient: Patient) -> None:
    whole = patient.path.read_bytes()
    patient.path.write_bytes(whole[:4096] + b"\xaa" * (len(whole) - 4096))
    ran = cli("doctor", "--json")
    assert (ran.code, ran.err) == (1, "")
    (finding,) = ran.json["findings"]
    assert finding["where"] == "store"
    assert finding["what"].startswith("the file is damaged: ")
