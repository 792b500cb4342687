"""Types of jobs: what their jobs start from, and how params become arguments and nothing else."""

import json
import re
import string
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job_types import ARGUMENT_LIMIT, BUILT_IN, JobType, Kind, argv_of, check_command, target_of
from core.jobs import Command, Gate, Json, NewJob
from core.refusals import BadInput

NOTHING = Command()
IN_A_SHELL = Command(("a | b",), None, {}, True)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts)
names = st.sampled_from(["day", "files", "dry-run", "_x1"])
pieces = st.one_of(texts, names.map(lambda name: ("hole", name)))
elements = st.lists(pieces, max_size=5)


def filled(*command: str, **params: Json) -> tuple[str, ...]:
    return argv_of(JobType("etl", command=("run", *command)), NOTHING, params)[1:]


def written(value: Json) -> str:
    """A scalar as the rule says: text as it is, null as nothing, the others as JSON writes them."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def test_a_job_starts_from_its_types_settings_without_its_command() -> None:
    gate = Gate("Go?", four_eyes=True)
    etl = JobType(
        "etl", command=("load",), params={"day": 1}, env={"A": "b"}, cwd="/srv", timeout=timedelta(hours=2),
        max_retries=0, backoff="fixed:9s", approval=gate, concurrency_key="db", concurrency=2,
    )  # fmt: skip
    assert etl.new_job() == NewJob(
        job_type="etl", params={"day": 1}, timeout=timedelta(hours=2), max_retries=0, backoff="fixed:9s",
        approval=gate, concurrency_key="db",
    )  # fmt: skip


def test_what_a_type_leaves_open_is_what_any_job_has() -> None:
    assert JobType("etl").new_job() == NewJob(job_type="etl")


def test_there_is_a_built_in_type_of_each_kind_under_its_name() -> None:
    assert {name: one.kind.value for name, one in BUILT_IN.items()} == {
        "command": "command",
        "python": "python",
        "external": "external",
    }
    assert all(one == JobType(name, Kind(name)) for name, one in BUILT_IN.items())


def test_a_result_may_take_a_day_unless_told_otherwise() -> None:
    assert BUILT_IN["external"].report_within == timedelta(days=1)


def test_a_type_does_not_change_with_what_it_was_made_from() -> None:
    params = {"day": 1}
    etl = JobType("etl", params=params)
    params["day"] = 2
    etl.new_job().params["day"] = 3  # type: ignore[index]
    assert etl.params == {"day": 1}


@pytest.mark.parametrize("kind", [Kind.COMMAND, Kind.EXTERNAL])
def test_a_jobs_own_arguments_run_as_they_stand(kind: Kind) -> None:
    etl = JobType("etl", kind, command=("load", "{day}"))
    assert argv_of(etl, Command(("echo", "{day}", "{{", "{a.b}")), {"day": 1}) == ("echo", "{day}", "{{", "{a.b}")
    assert argv_of(etl, IN_A_SHELL, {}) == ("/bin/sh", "-c", "a | b")
    assert argv_of(etl, NOTHING, {"day": 1}) == ("load", "1")


def test_the_jobs_params_go_over_the_types() -> None:
    etl = JobType("etl", command=("load", "{a}", "{b}"), params={"a": "type", "b": "type"})
    assert argv_of(etl, NOTHING, {"b": "job"}) == ("load", "type", "job")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is; $(x) {y} *", "as it is; $(x) {y} *"),
        ("", ""),
        (None, ""),
        (True, "true"),
        (False, "false"),
        (-7, "-7"),
        (2.5, "2.5"),
        (1e300, "1e+300"),
        ("two\nlines\x1b[0m", "two\nlines\x1b[0m"),
    ],
)
def test_a_param_fills_its_place(value: Json, text: str) -> None:
    assert filled("{x}", "--x={x}", x=value) == (text, f"--x={text}")


def test_one_argument_stays_one_whatever_is_in_it() -> None:
    assert filled("{x}", x="a b 'c' \"d\"; rm -rf /") == ("a b 'c' \"d\"; rm -rf /",)


def test_a_list_that_stands_alone_becomes_several_arguments() -> None:
    assert filled("-v", "{files}", "end", files=["a b", 1, True, None]) == ("-v", "a b", "1", "true", "", "end")
    assert filled("{files}", files=[]) == ()


def test_doubled_braces_are_braces() -> None:
    assert filled("{{x}}", "{{{x}}}", "}}{{", x=1) == ("{x}", "{1}", "}{")


def test_a_filled_text_is_not_filled_again() -> None:
    assert filled("{a}{b}", a="{b}", b="{a}") == ("{b}{a}",)


def test_a_missing_param_is_named() -> None:
    with pytest.raises(BadInput, match=r'^type etl needs the param "day"$'):
        filled("--day={day}", other=1)


@pytest.mark.parametrize(
    ("element", "value", "words"),
    [
        ("--x={x}", [1], "is a list"),
        ("{x}{x}", [1], "is a list"),
        ("{x}", [1, [2]], "holds a list"),
        ("{x}", [{"a": 1}], "holds an object"),
        ("{x}", {"a": 1}, "is an object"),
        ("--x={x}", {}, "is an object"),
        ("{x}", "a\0b", "NUL"),
        ("{x}", ["a\0b"], "NUL"),
        ("{x}", "\ud800", "UTF-8"),
        ("{x}", float("nan"), "nan"),
        ("{x}", "y" * ARGUMENT_LIMIT, "131,072"),
        ("{x}{x}", "y" * (ARGUMENT_LIMIT // 2), "131,072"),
    ],
)
def test_what_can_be_no_argument_is_refused_with_the_name_of_its_type(element: str, value: Json, words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        filled(element, x=value)
    assert "type etl" in str(refused.value)


def test_the_longest_argument_is_one_byte_below_the_limit() -> None:
    assert filled("{x}", x="y" * (ARGUMENT_LIMIT - 1)) == ("y" * (ARGUMENT_LIMIT - 1),)


@pytest.mark.parametrize("program", ["", " ", None, []])
def test_a_program_without_a_name_is_refused(program: Json) -> None:
    with pytest.raises(BadInput, match="type etl has nothing to run with these params"):
        argv_of(JobType("etl", command=("{program}",)), NOTHING, {"program": program})


@pytest.mark.parametrize(
    "element",
    ["{", "}", "{}", "{0}", "{1x}", "{a.b}", "{a[0]}", "{a!r}", "{a:>9}", "{ a }", "{a", "a}", "{{a}", "{a}}", "x{\n}",
     "{__class__.__init__}", "}}}"],
)  # fmt: skip
def test_anything_else_in_braces_is_refused_when_the_type_is_declared(element: str) -> None:
    with pytest.raises(BadInput, match=r"names no param; write \{name\}, and \{\{ or \}\} for a brace"):
        JobType("etl", command=("run", element))


def test_a_nul_is_refused_when_the_type_is_declared() -> None:
    with pytest.raises(BadInput, match="NUL"):
        JobType("etl", command=("run", "a\0b"))


@given(st.lists(elements, max_size=5), st.dictionaries(names, st.one_of(scalars, st.lists(scalars, max_size=4))))
def test_filling_yields_nothing_that_is_not_from_the_template_or_a_param(
    template: list[list[str | tuple[str, str]]], params: dict[str, Json]
) -> None:
    def source(piece: str | tuple[str, str]) -> str:
        return piece.replace("{", "{{").replace("}", "}}") if isinstance(piece, str) else f"{{{piece[1]}}}"

    expected: list[str] = []
    possible = True
    for element in template:
        shown = [piece for piece in element if piece != ""]
        values = [params.get(piece[1], ...) for piece in shown if not isinstance(piece, str)]
        if ... in values or (any(isinstance(value, list) for value in values) and len(shown) > 1):
            possible = False
        elif values and isinstance(values[0], list):
            expected += [written(value) for value in values[0]]
        else:
            rest = iter(values)
            expected.append("".join(piece if isinstance(piece, str) else written(next(rest)) for piece in shown))

    command = tuple("".join(map(source, element)) for element in template)
    if possible:
        assert filled(*command, **params) == tuple(expected)
    else:
        with pytest.raises(BadInput):
            filled(*command, **params)


@given(st.text("{}ab0-. ", max_size=12))
def test_braces_are_read_as_python_reads_them(element: str) -> None:
    try:
        read = list(string.Formatter().parse(element))
    except ValueError:
        read = [("", "", "", None)]
    if all(name is None or re.fullmatch("[ab][ab0-]*", name) for _, name, _, _ in read):
        expected = "".join(literal + ("" if name is None else "value") for literal, name, _, _ in read)
        everything = {name: "value" for _, name, _, _ in read if name}
        assert filled(element, **everything) == (expected,)
    else:
        with pytest.raises(BadInput, match="names no param"):
            JobType("etl", command=(element,))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("command", r"there is no command; give one behind --, as in: jobdeck submit -- echo hello"),
        ("external", "there is no command, and type external has none of its own"),
        ("etl", "there is no command, and type etl has none of its own"),
        ("python", "there is no function; give it as module:function behind --"),
    ],
)
def test_a_job_with_nothing_to_run_is_refused(name: str, words: str) -> None:
    job_type = BUILT_IN.get(name, JobType(name))
    with pytest.raises(BadInput, match=words):
        check_command(job_type, NOTHING)


def test_a_type_with_a_command_needs_none_from_its_jobs() -> None:
    check_command(JobType("etl", command=("load", "{day}")), NOTHING)
    check_command(JobType("report", Kind.PYTHON, function="reports:monthly"), NOTHING)
    check_command(JobType("etl"), Command(("load",)))


def test_a_python_job_calls_its_own_function_or_its_types() -> None:
    report = JobType("report", Kind.PYTHON, function="reports:monthly")
    assert target_of(report, NOTHING) == "reports:monthly"
    assert target_of(report, Command(("shop.reports:weekly",))) == "shop.reports:weekly"
    assert target_of(BUILT_IN["python"], Command(("reports:monthly",))) == "reports:monthly"


@pytest.mark.parametrize(
    "target",
    [
        "",
        "reports",
        "reports:",
        ":monthly",
        "a:b:c",
        "a b:c",
        "a..b:c",
        ".a:b",
        "a:b()",
        "a/b:c",
        "a:b.c",
        "-m:x",
        "a:1",
    ],
)
def test_what_names_no_function_is_refused(target: str) -> None:
    with pytest.raises(BadInput, match="is not a function; write module:function"):
        target_of(BUILT_IN["python"], Command((target,)))
    with pytest.raises(BadInput, match="is not a function; write module:function"):
        JobType("report", Kind.PYTHON, function=target)


def test_a_python_job_takes_neither_arguments_nor_a_shell() -> None:
    with pytest.raises(BadInput, match="takes params and no arguments"):
        target_of(BUILT_IN["python"], Command(("reports:monthly", "--fast")))
    with pytest.raises(BadInput, match="no shell"):
        target_of(BUILT_IN["python"], IN_A_SHELL)
