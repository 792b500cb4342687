"""Who is told, as it is written in a config; each mistake is a sentence with its place, and repeats no secret."""

import tomllib
from datetime import timedelta

import pytest

from core.config import Config, parse_config
from core.notifications import Program, Signal, Terminal, Told, Webhook
from core.refusals import BadInput

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
URL = 'url = "https://hooks.example.com/x"'
SIGNED = f'secrets = ["{SECRET}"]'


def config(text: str) -> Config:
    return parse_config(tomllib.loads(text))


def test_without_a_word_nobody_is_told() -> None:
    assert config("").targets == {}


def test_a_webhook_a_command_and_a_terminal() -> None:
    found = config(f"""
        [notify.ops]
        {URL}
        secrets = ["{SECRET}", "{SECRET}"]
        events = ["job.failed", "approval.wanted"]
        timeout = "5s"
        ca = "~/ca.pem"

        [notify.page]
        command = ["/usr/local/bin/page", "{{}}", "on call"]

        [notify.desk]
        terminal = "osc9"
    """).targets
    ops, page, desk = found["ops"], found["page"], found["desk"]
    assert isinstance(ops, Webhook)
    assert (ops.url, len(ops.secrets), ops.timeout) == ("https://hooks.example.com/x", 2, timedelta(seconds=5))
    assert ops.events == {Told.JOB_FAILED, Told.APPROVAL_WANTED}
    assert (ops.allow_private, ops.ca) == (False, "~/ca.pem")
    assert isinstance(page, Program)
    assert page.command == ("/usr/local/bin/page", "{}", "on call")
    assert page.events == frozenset(Told)
    assert isinstance(desk, Terminal)
    assert desk.signal is Signal.OSC9


def test_one_secret_may_stand_alone() -> None:
    found = config(f'[notify.ops]\n{URL}\nsecrets = "{SECRET}"').targets["ops"]
    assert isinstance(found, Webhook)
    assert len(found.secrets) == 1


WRONG = {
    "": "notify.ops: it names no way to tell; give it one of url, command, terminal",
    f'{URL}\n{SIGNED}\nterminal = "bell"': "notify.ops: it names url and terminal; give it one of",
    URL: "notify.ops: it has no secrets, so its receiver could trust nothing; make one with: echo whsec_",
    f"{URL}\nsecrets = []": "notify.ops.secrets: there are 0 secrets; use 1 to 5",
    f'{URL}\nsecrets = ["geheim"]': "notify.ops.secrets: the secret",
    f'{URL}\nsecret = "{SECRET}"': "notify.ops.secret: there is no such key; did you mean secrets?",
    f'url = "http://hooks.example.com/"\n{SIGNED}': "notify.ops.url: http:// goes to private addresses only",
    f'url = "ftp://hooks.example.com/"\n{SIGNED}': "notify.ops.url: an address begins with https:// and a host",
    f'url = "https:///x"\n{SIGNED}': "notify.ops.url: an address begins with https:// and a host",
    f'url = "https://me:pass@hooks.example.com/"\n{SIGNED}': "notify.ops.url: an address with a user or a password",
    f'url = "https://hooks.example.com:99999/"\n{SIGNED}': "notify.ops.url: the address can't be read: port out",
    f'url = "https://hooks.example.com/a b"\n{SIGNED}': "notify.ops.url: an address has only ASCII letters",
    f'url = "https://bücher.example/"\n{SIGNED}': "notify.ops.url: an address has only ASCII letters",
    f'url = "https://hooks.example.com/#x"\n{SIGNED}': "notify.ops.url: what stands behind # is never sent",
    f'url = "https://hooks.example.com/\\r\\nx: y"\n{SIGNED}': "notify.ops.url: the address has a control character",
    "command = []": "notify.ops.command: must have a program",
    'command = "page ops"': 'notify.ops.command: must be a list of texts such as ["/usr/local/bin/page", "ops"]',
    'command = ["bin/page"]': 'notify.ops.command: "bin/page" depends on where one stands; write it from / or ~ on',
    'command = ["page"]\nallow_private = true': "notify.ops.allow_private: goes with url, and this target has command",
    'terminal = "bell"\ncommand = ["page"]': "notify.ops: it names command and terminal",
    'terminal = "gong"': 'notify.ops.terminal: "gong" is not a signal; use bell, osc9',
    'terminal = "bell"\nevents = ["job.done"]': 'notify.ops.events: "job.done" is not an event; use job.failed, ',
    'terminal = "bell"\nevents = []': "notify.ops.events: must be a list of events such as",
    'terminal = "bell"\ntimeout = "1h"': "notify.ops.timeout: 1h is too long; use up to 5m",
    'terminal = "bell"\ntimeout = 0': "notify.ops.timeout: it must be longer than 0s",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items())
def test_a_mistake_is_told_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        config(f"[notify.ops]\n{text}")
    assert str(refused.value).startswith(sentence), str(refused.value)
    for secret in (SECRET, "geheim", "pass", "hooks.example.com/"):
        assert secret not in str(refused.value).replace("a password", "")


def test_there_is_an_end_to_how_many_are_told() -> None:
    text = "\n".join(f'[notify.t{number}]\nterminal = "bell"' for number in range(51))
    with pytest.raises(BadInput, match="notify: there are 51 targets; use 50 at the most"):
        config(text)
