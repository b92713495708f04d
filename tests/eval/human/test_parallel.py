"""Many raters at once over HTTP, on SQLite and on a real PostgreSQL: nothing lost, nothing twice."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from sqlalchemy import Engine, inspect
from sqlmodel import Session, func, select
from starlette.applications import Starlette

from annotation.workspace import Workspace
from eval.human.desk import Desk
from eval.human.rating import RatingRoom
from eval.human.study import Study
from eval.human.tables import RatingHistoryRow, RatingRow, TaskRow
from eval.ui.rater_routes import routes
from grga.db import open_database
from grga.store import Store

pytestmark = pytest.mark.slow


def postgres_programs() -> Path | None:
    """Return the folder of PostgreSQL's server programs, as Debian installs them or on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    beside = shutil.which("initdb")
    return found[-1].parent if found else Path(beside).parent if beside else None


def as_nobody_special(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as the user that its package made."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A PostgreSQL server of the test's own on loopback, in a temporary folder; its address."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip(
            "no PostgreSQL server on this machine: install Debian's package postgresql to test with it"
        )
    # Not below pytest's own folder, which only its owner may enter.
    data = Path(tempfile.mkdtemp(prefix="grga-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(data, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    make = [str(programs / "initdb"), "-D", str(data), "-U", "grga", "-A", "trust", "--no-sync"]
    subprocess.run(as_nobody_special(make), check=True, capture_output=True, timeout=120, cwd="/")
    # What it writes to standard output must not go into a pipe that nobody reads to the end.
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data} -c fsync=off"
    control = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-t", "60", "-l", str(data / "log")]
    subprocess.run(
        as_nobody_special([*control, "-o", options, "start"]),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        cwd="/",
    )
    yield f"postgresql://grga@127.0.0.1:{port}/postgres"
    stop = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-m", "immediate", "stop"]
    stopped = subprocess.run(as_nobody_special(stop), capture_output=True, text=True, timeout=120, cwd="/")
    shutil.rmtree(data)
    assert stopped.returncode == 0, stopped.stderr


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    url = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    return open_database(tmp_path, url)


@contextmanager
def serving(desk: Desk, home: Path) -> Iterator[str]:
    """Serve the raters' addresses on a free port."""
    app = Starlette(routes=routes(RatingRoom(desk), Store(home)))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(timeout=30)


def rate_everything(address: str, token: str) -> int:
    """Rate all answers over HTTP as fast as the server answers; return how many clicks were acknowledged."""
    acknowledged = 0
    with httpx.Client(base_url=f"{address}/rate/{token}", timeout=60) as client:
        view = client.post("/consent", json={}).raise_for_status().json()
        while (task := view["task"]) is not None:
            for clip in task["clips"]:
                heard = {"task": task["id"], "clip": clip["id"], "seconds": clip["seconds"]}
                client.post("/heard", json=heard).raise_for_status()
            for criterion in task["criteria"]:
                click = {"task": task["id"], "criterion": criterion["name"], "score": 4}
                client.post("/score", json=click).raise_for_status()
                acknowledged += 1
            view = client.get("/view").raise_for_status().json()
    return acknowledged


def test_three_raters_rate_150_questions_of_two_systems_at_once(
    engine: Engine, tmp_path: Path, a_study: Callable[..., Study]
) -> None:
    desk = Desk.open(tmp_path, engine=engine)
    desk.make(a_study(150, key="big"))
    desk.open_study("big", "Olga", cleared=True)
    tokens = [desk.invite("big", f"Rater {number}") for number in range(3)]
    with serving(desk, tmp_path) as address, ThreadPoolExecutor(3) as pool:
        acknowledged = list(pool.map(lambda token: rate_everything(address, token), tokens))

    assert acknowledged == [150 * 2 * 3] * 3
    with Session(engine) as session:
        assert session.exec(select(func.count()).select_from(RatingRow)).one() == 2700
        assert session.exec(select(func.count()).select_from(RatingHistoryRow)).one() == 2700
        tasks = session.exec(select(TaskRow)).all()
    assert [line.state for line in desk.raters("big")] == ["finished"] * 3
    assert all(task.done for task in tasks)
    places: dict[tuple[str, str], list[int]] = {}
    for task in tasks:
        places.setdefault((task.rater, task.item), []).append(task.position)
    shown_first = Counter(
        (task.item, task.system) for task in tasks if task.position == min(places[task.rater, task.item])
    )
    # Of three showings of a question each system comes first once or twice.
    assert {shown_first[task.item, task.system] for task in tasks} == {1, 2}


def test_all_tables_can_live_on_postgresql(postgres: str, tmp_path: Path) -> None:
    """One address holds jobs, history, annotation and studies; the history of items only grows there too."""
    engine = open_database(tmp_path, postgres)
    Workspace.open(tmp_path, engine=engine)
    Desk.open(tmp_path, engine=engine)
    Workspace.open(tmp_path, engine=open_database(tmp_path, postgres))  # a second start finds all done
    with engine.connect() as connection:
        names = set(inspect(connection).get_table_names())
    assert {"jobs", "asked", "annotation_items", "annotation_history", "human_ratings"} <= names
