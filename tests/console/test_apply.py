"""`apply` and `export`: a store's set-up as a file, made so in one go, and the same again when it is read back."""

import io
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.setup.toml_text import toml_key, toml_value
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli

SETUP = """
[templates.nightly]
type = "backup"
argv = ["pg_dump", "main"]
timeout = "2h"
tags = { env = "prod" }
approval = "go?"
four_eyes = true

[templates.greet]
argv = ["echo hello | tee out"]
shell = true
cwd = "here"
env = { NAME = "Ann \\u2603" }
params = '{"nothing": null}'

[schedules.nightly-backup]
template = "nightly"
cron = "30 2 * * *"
timezone = "Europe/Paris"
params = { day = "today" }

["schedules"."greet all"]
template = "greet"
cron = "*/5 * * * *"
enabled = false
overlap = "queue"
catch_up = "none"
pause_on_failure = true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "setup.toml"
    path.write_text(SETUP)
    return path


def test_a_store_becomes_what_the_file_says_and_the_second_time_nothing_changes(cli: Cli, file: Path) -> None:
    ran = cli("apply", str(file))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "+ template greet"
    assert '    cwd: "' + str(file.parent / "here") + '"' in ran.out.splitlines()
    assert ran.out.endswith("\n4 changes\n")
    nightly = cli("template", "show", "nightly", "--json").json
    assert (nightly["job_type"], nightly["timeout"], nightly["approval"]["four_eyes"]) == ("backup", 7200, True)
    assert cli("template", "show", "greet", "--json").json["params"] == {"nothing": None}
    greet = cli("schedule", "show", "greet all", "--json").json
    assert (greet["enabled"], greet["overlap"], greet["catch_up"]) == (False, "queue", "none")
    before = cli("template", "list", "--json").out + cli("schedule", "list", "--json").out
    assert cli("apply", str(file)).out == "everything is as the file says\n"
    assert cli("template", "list", "--json").out + cli("schedule", "list", "--json").out == before


def test_what_is_exported_and_applied_to_an_empty_store_is_exported_just_so(
    cli: Cli, file: Path, tmp_path: Path
) -> None:
    cli("apply", str(file))
    exported = cli("export").out
    again = tmp_path / "again.toml"
    again.write_text(exported)
    assert cli("apply", str(again)).out == "everything is as the file says\n"
    other = ("--home", str(tmp_path / "other"))
    assert cli("export", *other).out == "# there are no templates and no schedules yet\n"
    assert cli("apply", str(again), *other).code == 0
    assert cli("export", *other).out == exported
    assert tomllib.loads(exported) == cli("export", "--json").json


def test_a_types_settings_are_not_written_out_again(cli: Cli, store_path: Path, tmp_path: Path) -> None:
    config = store_path.with_name("config.toml")
    config.write_text('[types.etl]\ncommand = ["load"]\ntimeout = "1h"\nmax_retries = 7\nparams = { a = 1 }\n')
    cli("template", "add", "load", "--type", "etl", "--param", "b=2")
    exported = cli("export").out
    assert exported == '[templates.load]\ntype = "etl"\nparams = { b = 2 }\n'
    file = tmp_path / "x.toml"
    file.write_text(exported)
    config.write_text('[types.etl]\ncommand = ["load"]\ntimeout = "3h"\nmax_retries = 7\nparams = { a = 1 }\n')
    assert cli("apply", str(file)).out == '~ template load\n    timeout: "1h" → as usual\n1 change\n'
    assert cli("template", "show", "load", "--json").json["timeout"] == 3 * 3600
    assert cli("apply", str(file)).out == "everything is as the file says\n"


def test_the_difference_is_shown_and_what_is_not_in_the_file_stays(cli: Cli, file: Path) -> None:
    cli("apply", str(file))
    cli("template", "add", "own", "--", "true")
    cli("schedule", "edit", "nightly-backup", "--param", "more=1", "--cron", "0 4 * * *")
    cli("schedule", "enable", "greet all")
    ran = cli("apply", str(file), "--dry-run")
    assert ran.out.splitlines() == [
        "~ schedule greet all",
        "    enabled: as usual → false",
        "~ schedule nightly-backup",
        '    cron: "0 4 * * *" → "30 2 * * *"',
        '    params: {"day": "today", "more": 1} → {"day": "today"}',
        "  template own is not in the file and stays; --prune removes it",
        "2 differences, nothing was changed",
    ]
    assert cli("schedule", "show", "greet all", "--json").json["enabled"]
    cli("apply", str(file))
    assert cli("schedule", "show", "nightly-backup", "--json").json["param_overrides"] == {"day": "today"}
    assert not cli("schedule", "show", "greet all", "--json").json["enabled"]


def test_prune_removes_what_the_file_does_not_have(cli: Cli, file: Path) -> None:
    cli("apply", str(file))
    file.write_text('[templates.nightly]\nargv = ["true"]\n')
    ran = cli("apply", str(file), "--prune", "--json")
    assert [(one["kind"], one["name"], one["change"]) for one in ran.json["changes"]] == [
        ("template", "nightly", "change"),
        ("template", "greet", "remove"),
        ("schedule", "greet all", "remove"),
        ("schedule", "nightly-backup", "remove"),
    ]
    assert ran.json["not_in_file"] == []
    assert cli("export").out == '[templates.nightly]\nargv = ["true"]\n'
    assert cli("doctor").code == 0


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[templates.a\n", 2, "is not valid TOML"),
        ('[templates.a]\nargv = ["x"]\n[templates.b]\nargvs = ["x"]\n', 2, 'templates.b: "argvs" is not something'),
        ("[templates.a]\n", 2, "templates.a: there is no command"),
        ('[templates.a]\nargv = ["x"]\ntimeout = "soon"\n', 2, 'templates.a: "soon" is not a duration'),
        ('[templates.a]\nargv = ["x"]\nparams = { d = 2020-01-01 }\n', 2, "templates.a.params.d: a param can't be"),
        ('[templates.a]\nargv = ["x"]\nparams = "[1]"\n', 2, "templates.a.params: the text must be a JSON object"),
        ('[templates.a]\nargv = ["x"]\nat = "18:00"\n', 2, "templates.a: scheduled_run_time belongs to one job"),
        ('[templates.a]\nargv = ["x"]\ntemplate = "b"\n', 2, "templates.a: a template does not start from another"),
        ('[schedules.a]\ncron = "* * * * *"\n', 2, "schedules.a: it needs template"),
        ('[schedules.a]\ntemplate = "x"\ncron = "61 * * * *"\n', 2, "schedules.a.cron: "),
        ('[schedules.a]\ntemplate = "x"\ncron = "* * * * *"\ntimezone = "Mars"\n', 2, "schedules.a.timezone: "),
        ('[schedules.a]\ntemplate = "x"\ncron = "* * * * *"\noverlap = "y"\n', 2, "schedules.a.overlap: use skip"),
        ('[schedules.a]\ntemplate = "x"\ncron = "* * * * *"\n', 4, 'schedules.a: there is no template "x"'),
        ("slots = 4\n", 2, "slots: that belongs to the config, which is a file already ("),
        ("[types.a]\n", 2, "types: that belongs to the config"),
        ("[notify.a]\n", 2, "notify: that belongs to the config"),
        ("[template.a]\n", 2, "template: there is no such key; did you mean templates?"),
    ],
)
def test_a_file_with_a_mistake_changes_nothing_at_all(
    cli: Cli, tmp_path: Path, text: str, code: int, words: str
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('[templates.good]\nargv = ["true"]\n' + text if text.startswith("[") else text)
    for dry in ((), ("--dry-run",)):
        ran = cli("apply", str(file), *dry)
        assert ran.code == code, ran
        assert words in ran.err
    assert cli("template", "list", "--json").json == []


def test_a_template_that_a_schedule_still_uses_is_not_pruned_away(cli: Cli, file: Path, store: Store) -> None:
    cli("apply", str(file))
    file.write_text('[schedules.nightly-backup]\ntemplate = "nightly"\ncron = "30 2 * * *"\n')
    ran = cli("apply", str(file), "--prune")
    assert ran.code == 3
    assert 'template "nightly" is used by schedule "nightly-backup"' in ran.err
    with store.read() as views:
        assert len(views.templates()) == len(views.schedules()) == 2


def test_a_file_may_come_through_a_pipe(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(b'[templates.a]\nargv = ["true"]\n')

    monkeypatch.setattr("sys.stdin", Pipe())
    assert cli("apply", "-").out == '+ template a\n    argv: ["true"]\n1 change\n'


def test_a_file_that_is_not_there_is_told(cli: Cli) -> None:
    ran = cli("apply", "nowhere.toml")
    assert ran.code == 2
    assert "nowhere.toml can't be read: no such file or directory" in ran.err


def test_a_changed_time_counts_from_now_on(cli: Cli, file: Path, clock: Clock) -> None:
    cli("apply", str(file))
    clock.forward(days=1)
    file.write_text(SETUP.replace("30 2", "45 9"))
    cli("apply", str(file))
    assert cli("schedule", "show", "nightly-backup", "--json").json["next_trigger_at"] == "2026-03-04T08:45:00Z"


VALUES = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), VALUES, max_size=3))
def test_every_value_is_read_back_from_toml_as_it_was(values: dict[str, object]) -> None:
    text = "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in values.items())
    assert tomllib.loads(text) == values


def test_the_example_in_the_readme_is_a_set_up(cli: Cli, tmp_path: Path) -> None:
    section = (Path(__file__).parents[2] / "README.md").read_text().partition("## Set-up as a file")[2]
    file = tmp_path / "setup.toml"
    file.write_text(section.partition("```toml\n")[2].partition("```")[0])
    assert cli("apply", str(file)).out.endswith("\n2 changes\n")
