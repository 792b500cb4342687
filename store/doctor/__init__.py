"""The doctor: reads a store's files and every row, and says what is wrong; it changes nothing."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from store import sqlite
from store.doctor.counters import counters
from store.doctor.dossiers import dossiers
from store.doctor.files import file_facts, files, wild_wal
from store.doctor.findings import Finding, Report
from store.doctor.gates import key_file
from store.doctor.integrity import damage, foreign_keys, journal, unreadable
from store.doctor.jobs import examine_job
from store.doctor.links import links
from store.doctor.outbox import outbox
from store.doctor.readable import templates
from store.doctor.reading import open_to_look
from store.doctor.reservations import reservations
from store.doctor.rules import rules
from store.doctor.schedules import schedules
from store.doctor.schema import schema
from store.version import SCHEMA_VERSION

__all__ = ["MOST_FINDINGS", "Finding", "Report", "examine"]

MOST_FINDINGS = 1000
"""Where listing stops: a store with more is beyond reading one by one."""


def examine(path: Path, key_path: Path, home: Path) -> Report:
    """Everything that can be known about a store's health without changing it."""
    report = Report()
    try:
        report.findings.extend(files(path, key_path, home))
        unusable = _unusable(path)
        if unusable is not None:
            report.findings.append(Finding("store", unusable))
            return report
        connection = open_to_look(path)
        try:
            _look(connection, path, key_path, report)
        finally:
            connection.close()
    except sqlite.driver.Error as error:
        report.findings.append(unreadable(error, path))
    except OSError as error:
        where = error.filename or path
        report.findings.append(Finding("store", f"{where} can't be examined: {(error.strerror or str(error)).lower()}"))
    return report


def _unusable(path: Path) -> str | None:
    """Why there is nothing to look into, if so."""
    if not path.is_file():
        return f"there is no store at {path}"
    if not os.access(path, os.R_OK):
        return f"{path} can't be read: permission denied"
    if path.stat().st_size == 0:
        return f"{path} is empty; the first job makes a store of it: jobdeck submit -- echo hello"
    return None


def _look(connection: Any, path: Path, key_path: Path, report: Report) -> None:
    # One transaction: an engine at work must not make two halves of the examination disagree.
    connection.execute("BEGIN")
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application_id != sqlite.APPLICATION_ID:
        words = f"{path} is an SQLite database, but not a jobdeck store"
        report.findings.append(Finding("store", words))
        return
    report.facts.update(file_facts(connection, path))
    if version != SCHEMA_VERSION:
        report.findings.append(Finding("store", _other_version(version)))
        return
    damaged = damage(connection)
    if damaged is not None:
        # What is read from a damaged file says nothing about its jobs.
        report.findings.append(damaged)
        return
    for finding in _all_findings(connection, path, key_path):
        if len(report.findings) == MOST_FINDINGS:
            words = f"more is wrong than the first {MOST_FINDINGS} findings; restore a backup"
            report.findings.append(Finding("store", words))
            return
        report.findings.append(finding)


def _other_version(version: int) -> str:
    if version > SCHEMA_VERSION:
        return f"its schema is version {version} and this jobdeck knows {SCHEMA_VERSION}; use a newer jobdeck"
    return f"its schema is version {version}, not {SCHEMA_VERSION}; bring it up to date with: jobdeck list"


def _all_findings(connection: Any, path: Path, key_path: Path) -> Iterator[Finding]:
    yield from journal(path)
    yield from wild_wal(path)
    # First of all that reads tables: when one is missing, that is said before anything stumbles over it.
    yield from schema(connection)
    key, wrong_with_key = key_file(connection, key_path)
    yield from wrong_with_key
    for check in (foreign_keys, rules, links, counters, templates, schedules, reservations, outbox):
        yield from check(connection)
    for dossier in dossiers(connection):
        yield from examine_job(dossier, key)
