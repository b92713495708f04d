"""Nothing that was acknowledged is ever lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from annotation.schema import Status
from annotation.verdicts import read_verdict
from annotation.workflow import judge, release, set_gold, undo
from annotation.workspace import Workspace
from grga.db import writing

Desk = Any  # of conftest.py, which tests cannot import

ACCEPT = read_verdict({"kind": "accept", "seconds": 3})
REJECT = read_verdict({"kind": "reject", "reason": "trivial"})

JUDGE = """
import sys, threading
from pathlib import Path
from annotation.verdicts import read_verdict
from annotation.workflow import judge
from annotation.workspace import Workspace

workspace = Workspace.open(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
verdict = read_verdict({"kind": "accept"})
threads = [threading.Thread(target=judge, args=(workspace, "m1-1", name, verdict)) for name in sys.argv[2:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("saved", flush=True)
sys.stdin.readline()
"""


def start(home: Path, *names: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", JUDGE, str(home), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def say_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_fifty_verdicts_at_once_from_threads(desk: Desk) -> None:
    desk.add("m1-1", overlap=60)
    names = [f"a{number:02}" for number in range(50)]
    with ThreadPoolExecutor(50) as pool:
        given = list(pool.map(lambda name: judge(desk.workspace, "m1-1", name, ACCEPT), names))
    assert sorted(one.annotator for one in desk.judgements(item="m1-1")) == names
    assert {one.id for one in desk.judgements()} == {one.id for one in given}
    assert desk.stands().status == Status.IN_REVIEW


@pytest.mark.slow
def test_fifty_verdicts_at_once_from_threads_of_five_processes(desk: Desk) -> None:
    desk.add("m1-1", overlap=50)
    names = [f"a{number:02}" for number in range(50)]
    processes = [start(desk.home, *names[first : first + 10]) for first in range(0, 50, 10)]
    assert [hear(one) for one in processes] == ["ready"] * 5
    for one in processes:
        say_go(one)
    assert [hear(one) for one in processes] == ["saved"] * 5
    errors = [one.communicate(timeout=60)[1] for one in processes]
    assert errors == [""] * 5
    assert sorted(one.annotator for one in desk.judgements(item="m1-1")) == names
    assert desk.stands().status == Status.ACCEPTED
    assert len(list(desk.workspace.journal.lines())) == 51


@pytest.mark.slow
def test_a_server_killed_right_after_it_said_saved_has_the_verdict(desk: Desk) -> None:
    desk.add("m1-1")
    process = start(desk.home, "ana")
    assert hear(process) == "ready"
    say_go(process)
    assert hear(process) == "saved"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    again = Workspace.open(desk.home)
    assert [one.annotator for one in desk.judgements()] == ["ana"]
    assert again.replay().applied == 0


def test_a_lost_database_is_rebuilt_from_the_journal(desk: Desk) -> None:
    desk.add("m1-1", "m1-2", overlap=1)
    desk.add("gold-1")
    judge(desk.workspace, "m1-1", "ana", read_verdict({"kind": "edit", "answer": "200 euros."}))
    judge(desk.workspace, "m1-2", "ana", ACCEPT)
    undo(desk.workspace, "ana")
    release(desk.workspace, "ana")
    judge(desk.workspace, "m1-2", "ben", REJECT)
    set_gold(desk.workspace, "gold-1", True, "lead")
    keys = ("m1-1", "m1-2", "gold-1")
    before = [desk.stands(key) for key in keys], desk.judgements(undone=True)
    desk.workspace.engine.dispose()
    for file in desk.home.glob("grga.db*"):
        file.unlink()

    desk.workspace = Workspace.open(desk.home)

    assert ([desk.stands(key) for key in keys], desk.judgements(undone=True)) == before


def test_a_crash_between_journal_and_database_is_made_good_at_the_next_start(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add("m1-1")
    append = desk.workspace.journal.append

    def append_and_die(line: bytes) -> None:
        append(line)
        raise KeyboardInterrupt

    monkeypatch.setattr(desk.workspace.journal, "append", append_and_die)
    with pytest.raises(KeyboardInterrupt):
        judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert desk.judgements() == []
    assert desk.workspace.replay().applied == 1
    assert [one.annotator for one in desk.judgements()] == ["ana"]


def test_a_line_cut_by_a_power_failure_costs_only_itself(desk: Desk) -> None:
    desk.add("m1-1")
    with desk.workspace.journal.file.open("ab") as journal:
        journal.write(b'{"kind":"verdict","id":"x","at":"2026-')
    judge(desk.workspace, "m1-1", "ana", ACCEPT)
    lines = list(desk.workspace.journal.lines())
    assert len(lines) == 3
    assert json.loads(lines[2])["by"] == "ana"
    replay = desk.workspace.replay()
    file = desk.workspace.journal.file
    assert replay.problems == (f"line 2 of {file} cannot be used: it is cut or damaged",)


def test_a_verdict_that_the_disk_does_not_take_is_not_in_the_database_either(desk: Desk) -> None:
    desk.add("m1-1")
    desk.workspace.journal.file.unlink()
    desk.workspace.journal.file.mkdir()
    with pytest.raises(IsADirectoryError):
        judge(desk.workspace, "m1-1", "ana", ACCEPT)
    assert desk.judgements() == []


@pytest.mark.parametrize(
    "statement", ["UPDATE annotation_history SET by = 'nobody'", "DELETE FROM annotation_history"]
)
def test_the_database_refuses_to_rewrite_history(desk: Desk, statement: str) -> None:
    desk.add("m1-1")
    with (
        pytest.raises(IntegrityError, match="the history only grows"),
        writing(desk.workspace.engine) as session,
    ):
        session.connection().exec_driver_sql(statement)
    assert [(entry.by, entry.action) for entry in desk.stands().history] == [("setup", "added")]


def test_the_revisions_make_what_the_models_say(desk: Desk) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext
    from sqlmodel import SQLModel

    def include(thing: object, name: str | None, kind: str, reflected: bool, compared: object) -> bool:
        return kind != "table" or str(name).startswith("annotation_")

    with desk.workspace.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": include})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_history_tells_who_did_what_when_with_both_values(desk: Desk) -> None:
    desk.add("m1-1", overlap=1)
    judge(desk.workspace, "m1-1", "ana", read_verdict({"kind": "edit", "answer": "200 euros."}))
    added, edit, status = desk.stands().history
    assert added.at < edit.at == status.at
    assert edit.changes == {"answer": ("Two hundred euros.", "200 euros.")}
    assert (edit.by, edit.action) == ("ana", "edit")
    assert status.changes == {
        "answer": ("Two hundred euros.", "200 euros."),
        "status": ("proposed", "accepted"),
        "verifier": (None, "ana"),
    }
