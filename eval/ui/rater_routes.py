"""What a rater's page asks the server: JSON below ``/rate/``, opened by the token of a link alone."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from eval.human.rating import RaterView, RatingRoom
from grga.audio import Waveform, wav_bytes
from grga.errors import StudyError
from grga.store import Store
from grga.types import TimeSpan
from grga.ui.posted import answering, body

PAD = 0.25
"""Seconds heard before and after a cited moment, so that no word is cut."""
PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class _Posted(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Score(_Posted):
    """A click on a score."""

    task: str
    criterion: str
    score: int


class Heard(_Posted):
    """Seconds of a clip that were played."""

    task: str
    clip: str
    seconds: float


SCORE, HEARD = TypeAdapter(Score), TypeAdapter(Heard)


def routes(room: RatingRoom, store: Store) -> list[BaseRoute]:
    """Return the routes of raters; recordings come from ``store``."""

    async def view(request: Request) -> Response:
        place = request.query_params.get("position", "")
        position = int(place) if place.isdigit() and len(place) < 7 else None
        return _json(await run_in_threadpool(room.view, _token(request), position))

    async def consent(request: Request) -> Response:
        await body(request, TypeAdapter(dict[str, Any]))
        return _json(await run_in_threadpool(room.consent, _token(request)))

    async def rate(request: Request) -> Response:
        given = await body(request, SCORE)
        saved = await run_in_threadpool(room.rate, _token(request), given.task, given.criterion, given.score)
        return JSONResponse({"saved": saved.at.isoformat(), "done": saved.task_done}, headers=PRIVATE)

    async def listen(request: Request) -> Response:
        given = await body(request, HEARD)
        saved = await run_in_threadpool(room.listen, _token(request), given.task, given.clip, given.seconds)
        return JSONResponse({"saved": saved.at.isoformat()}, headers=PRIVATE)

    def cut(token: str, clip: str) -> bytes:
        meeting, span = room.clip(token, clip)
        recording = store.folder(meeting).audio if meeting else None
        if recording is None or not recording.is_file():
            raise StudyError("there is no recording of this moment", fix="read the quote instead")
        waveform = Waveform.open(recording)
        inside = span.widened(PAD).clipped(TimeSpan(0.0, waveform.duration))
        if inside is None:
            raise StudyError("this moment lies outside the recording")
        return wav_bytes(waveform.samples(inside))

    async def sound(request: Request) -> Response:
        data = await run_in_threadpool(cut, _token(request), request.path_params["clip"])
        return _ranged(request, data)

    async def mine(request: Request) -> Response:
        rows = await run_in_threadpool(room.own_ratings, _token(request))
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["answer", "question", "criterion", "score", "at"])
        writer.writerows([*row[:4], row[4].isoformat()] for row in rows)
        said = {**PRIVATE, "Content-Disposition": 'attachment; filename="my-ratings.csv"'}
        return PlainTextResponse(out.getvalue(), media_type="text/csv; charset=utf-8", headers=said)

    at = "/rate/{token}"
    return [
        Route(f"{at}/view", answering(view, 403)),
        Route(f"{at}/consent", answering(consent, 403), methods=["POST"]),
        Route(f"{at}/score", answering(rate), methods=["POST"]),
        Route(f"{at}/heard", answering(listen), methods=["POST"]),
        Route(f"{at}/clip/{{clip}}.wav", answering(sound, 404)),
        Route(f"{at}/my-ratings.csv", answering(mine, 403)),
    ]


def _token(request: Request) -> str:
    return str(request.path_params["token"])


def _json(view: RaterView) -> JSONResponse:
    return JSONResponse(dataclasses.asdict(view), headers=PRIVATE)


def _ranged(request: Request, data: bytes) -> Response:
    """Answer a request for a part, as players send them, with that part."""
    said = {**PRIVATE, "Accept-Ranges": "bytes"}
    unit, _, wanted = request.headers.get("range", "").partition("=")
    first, dash, last = wanted.partition("-")
    if unit != "bytes" or not dash or not first.isdigit() or (last and not last.isdigit()):
        return Response(data, media_type="audio/wav", headers=said)
    start, end = int(first), min(int(last), len(data) - 1) if last else len(data) - 1
    if start > end:
        return Response(status_code=416, headers={**said, "Content-Range": f"bytes */{len(data)}"})
    said["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
    return Response(data[start : end + 1], 206, media_type="audio/wav", headers=said)
