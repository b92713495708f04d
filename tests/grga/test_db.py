"""The database brings any older home up to date, whoever opens it, and never guesses about a newer one."""

from __future__ import annotations

import importlib
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
from sqlmodel import Session, SQLModel, select

import grga
from grga.db import FILE_NAME, migrate, open_database, writing
from grga.errors import StoreError
from grga.jobs import Job, JobState

BEFORE_REVISIONS = """
CREATE TABLE jobs (
    id INTEGER NOT NULL, title VARCHAR NOT NULL, folder VARCHAR NOT NULL, options VARCHAR NOT NULL,
    state VARCHAR(9) NOT NULL, stage VARCHAR NOT NULL, percent FLOAT NOT NULL, seconds_left FLOAT,
    error VARCHAR NOT NULL, place FLOAT NOT NULL, created DATETIME NOT NULL, started DATETIME,
    finished DATETIME, meeting VARCHAR, PRIMARY KEY (id)
);
CREATE INDEX ix_jobs_state ON jobs (state);
INSERT INTO jobs VALUES
    (1, 'standup.flac', '1', '{}', 'QUEUED', '', 0.0, NULL, '', 1.0, '2026-05-01 10:00:00.000000', NULL, NULL, NULL);
"""


def a_job(title: str) -> Job:
    return Job(title=title, folder="", created=datetime.now(UTC))


def test_a_fresh_home_gets_every_table(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "new")
    with writing(engine) as session:
        session.add(a_job("standup.flac"))
    with Session(open_database(tmp_path / "new")) as session:
        assert [job.title for job in session.exec(select(Job))] == ["standup.flac"]


def test_a_home_from_before_there_were_revisions_keeps_its_rows(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as old:
        old.executescript(BEFORE_REVISIONS)
    old.close()

    with Session(open_database(tmp_path)) as session:
        (job,) = session.exec(select(Job)).all()

    assert (job.title, job.state, job.visitor, job.kind) == ("standup.flac", JobState.QUEUED, "", "index")


def test_the_revisions_make_what_the_models_say(tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    root = Path(grga.__file__).parent
    for file in root.rglob("*.py"):
        if "table=True" in file.read_text(encoding="utf-8"):
            importlib.import_module(".".join(file.relative_to(root.parent).with_suffix("").parts))
    ours = {
        str(model.__tablename__)
        for mapper in SQLModel._sa_registry.mappers
        if (model := mapper.class_).__module__.startswith("grga.")
    }

    def include(thing: object, name: str | None, kind: str, reflected: bool, compared: object) -> bool:
        # Other packages' tables share the metadata; the version table is Alembic's.
        return kind != "table" or name in ours

    with open_database(tmp_path).connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": include})
        assert compare_metadata(context, SQLModel.metadata) == []
    assert "jobs" in ours


def test_two_processes_may_open_a_fresh_home_at_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from grga.db import open_database; import alembic.op; "
        "print('ready', flush=True); sys.stdin.readline(); open_database(Path(sys.argv[1]))"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", program, tmp_path / "new"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == b"ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"go\n")
        racer.stdin.flush()
    ended = [racer.communicate(timeout=60) for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 4, ended


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version_grga SET version_num = 'grga_9999'")
    with pytest.raises(StoreError, match=r"newer version of GRGA \(found revision grga_9999.*update GRGA"):
        open_database(tmp_path)


def test_every_package_counts_its_own_revisions_in_the_same_file(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    versions = tmp_path / "other" / "versions"
    versions.mkdir(parents=True)
    (versions / "0001.py").write_text(
        "from alembic import op\nimport sqlalchemy as sa\nrevision, down_revision = 'other_1', None\n"
        "def upgrade(): op.create_table('notes', sa.Column('id', sa.Integer, primary_key=True))\n"
    )
    migrate(engine, tmp_path / "other", "other")
    migrate(engine, tmp_path / "other", "other")
    open_database(tmp_path)
    with engine.connect() as connection:
        assert (
            connection.exec_driver_sql("SELECT version_num FROM alembic_version_other").scalar() == "other_1"
        )
        assert connection.exec_driver_sql("SELECT count(*) FROM notes").scalar() == 0


def test_a_revision_that_fails_leaves_nothing_half_done(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    versions = tmp_path / "broken" / "versions"
    versions.mkdir(parents=True)
    (versions / "0001.py").write_text(
        "from alembic import op\nimport sqlalchemy as sa\nrevision, down_revision = 'b_1', None\n"
        "def upgrade():\n"
        "    op.create_table('half', sa.Column('id', sa.Integer, primary_key=True))\n"
        "    raise ValueError('stop')\n"
    )
    with pytest.raises(ValueError, match="stop"):
        migrate(engine, tmp_path / "broken", "broken")
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all()
    assert "half" not in tables


def test_writers_wait_for_each_other_and_lose_nothing(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    with writing(engine) as session:
        session.add(a_job("counter"))

    def count(_: int) -> None:
        with writing(engine) as session:
            job = session.exec(select(Job)).one()
            job.percent += 1
            session.add(job)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    with Session(engine) as session:
        assert session.exec(select(Job)).one().percent == 40


def test_readers_do_not_wait_for_a_writer_and_see_only_what_is_committed(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    written, seen = Event(), Event()

    def write() -> None:
        with writing(engine) as session:
            session.add(a_job("standup.flac"))
            session.flush()
            written.set()
            assert seen.wait(10)

    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(write)
        assert written.wait(10)
        with Session(engine) as session:
            before = session.exec(select(Job)).all()
        seen.set()
        end.result(timeout=10)
    with Session(engine) as session:
        assert (len(before), len(session.exec(select(Job)).all())) == (0, 1)


def test_what_raises_is_rolled_back(tmp_path: Path) -> None:
    engine = open_database(tmp_path)

    def add_and_fail() -> None:
        with writing(engine) as session:
            session.add(a_job("standup.flac"))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    with Session(engine) as session:
        assert session.exec(select(Job)).all() == []


def test_what_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreError, match=r"grga\.db cannot be used: file is not a database"):
        open_database(tmp_path)
