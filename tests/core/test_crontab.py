"""Crontabs as they are found in the wild: each line taken over or refused by its number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.crontab import Entry, Refused, read_crontab

WILD = """\
# m h dom mon dow command
SHELL=/bin/bash
PATH=/usr/local/bin:/usr/bin:/bin
MAILTO="ops@example.org"
BACKUP_DIR = '/srv/back ups'

*/5 * * * * /usr/bin/poll
0 0-23/2 * * * every-two-hours
15,45 8-18 * * mon-fri office
0 22 * * 1-5 weekdays
30 4 1,15 * 5 both days set
0 0 * * 7 sunday is seven
0 0 * * SUN sunday by name
5 4 * jan-mar,DEC * winter
@daily rotate
@hourly   sync  --all
@weekly report
@monthly bill
@yearly archive
@annually again
@midnight cleanup
@reboot start-daemon
0 6 * * * mail -s hello ann%dear ann,%all is well%%
0 6 * * * date +\\%Y-\\%m-\\%d >> log
61 * * * * too late
* * * * true-but-no-command
0 0 31 2 * never
0 0 * * 8 no such day
CRON_TZ=Europe/Paris
30 2 * * * at night in Paris
CRON_TZ=Mars/Base
0 3 * * * still in Paris
SHELL=/usr/bin/fish
\tindented\t
   10 3 * * *   spaced   out
0 0 29 2 * leap day
59 23 31 12 * last minute
*/7 */3 */2 */2 */2 steps everywhere
0 12 * * * A=1 B=2 env-in-front
0,30 * * * * half hourly
"""


def by_number(text: str) -> dict[int, Entry | Refused]:
    return {one.number: one for one in read_crontab(text, "UTC")}


def test_forty_lines_from_the_wild_are_each_taken_over_or_refused_by_number() -> None:
    found = by_number(WILD)
    assert len(WILD.splitlines()) == 40
    refused = {number: one.reason for number, one in found.items() if isinstance(one, Refused)}
    assert set(refused) == {22, 25, 26, 27, 28, 31, 34}
    assert "@reboot is no time" in refused[22]
    assert "minute 61 is not in 0-59" in refused[25]
    assert "no command" in refused[26]
    assert "Mars/Base" in refused[31]
    entries = {number: one for number, one in found.items() if isinstance(one, Entry)}
    assert len(entries) == 25
    assert entries[7].cron == "*/5 * * * *"
    assert entries[15].cron == "@daily"
    assert entries[16].command == "sync  --all"
    assert entries[35].command == "spaced   out"
    assert entries[39].command == "A=1 B=2 env-in-front"


def test_what_stands_behind_a_percent_sign_is_what_the_command_reads() -> None:
    found = by_number(WILD)
    mail, date = found[23], found[24]
    assert isinstance(mail, Entry)
    assert isinstance(date, Entry)
    assert (mail.command, mail.input) == ("mail -s hello ann", "dear ann,\nall is well\n\n\n")
    assert (date.command, date.input) == ("date +%Y-%m-%d >> log", "")


def test_the_zone_and_the_environment_hold_from_their_line_on() -> None:
    found = by_number(WILD)
    before, after, kept = found[7], found[30], found[32]
    assert isinstance(before, Entry)
    assert isinstance(after, Entry)
    assert isinstance(kept, Entry)
    late = found[36]
    assert isinstance(late, Entry)
    assert (before.shell, late.shell) == ("/bin/bash", "/usr/bin/fish")
    assert (before.timezone, after.timezone, kept.timezone) == ("UTC", "Europe/Paris", "Europe/Paris")
    assert before.env == {"PATH": "/usr/local/bin:/usr/bin:/bin", "BACKUP_DIR": "/srv/back ups"}


def test_mail_is_not_sent_and_that_is_said() -> None:
    [entry] = read_crontab("MAILTO=ann\n@daily x", "UTC")
    assert isinstance(entry, Entry)
    assert entry.notes == ("its output is not mailed to ann; it is in its log",)
    [quiet] = read_crontab('MAILTO=""\n@daily x', "UTC")
    assert isinstance(quiet, Entry)
    assert quiet.notes == ()


def test_a_system_crontab_has_a_user_before_the_command() -> None:
    [entry] = read_crontab("17 * * * * root cd / && run-parts /etc/cron.hourly", "UTC", with_users=True)
    assert isinstance(entry, Entry)
    assert (entry.user, entry.command) == ("root", "cd / && run-parts /etc/cron.hourly")
    assert entry.notes == ("it runs as you, not as root",)


@pytest.mark.parametrize("line", ["* * * * * a\0b", "0 0 * * * " + "x" * 20_000])
def test_a_line_that_no_command_can_be_made_of_is_refused(line: str) -> None:
    [refused] = read_crontab(line, "UTC")
    assert isinstance(refused, Refused)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_whatever_is_in_it_breaks_the_reader(text: str) -> None:
    for one in read_crontab(text, "UTC"):
        assert 1 <= one.number <= text.count("\n") + 1
