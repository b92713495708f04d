"""A stretch of a recording as a WAV file of its own, for whoever is not looking at the page."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from grga.agent.tools.audio import LONGEST_LISTEN
from grga.audio import Waveform, wav_bytes
from grga.errors import GrgaError, QuestionError
from grga.types import TimeSpan
from grga.ui.services import Services

PLAIN = {"X-Content-Type-Options": "nosniff"}


def routes(services: Services) -> list[BaseRoute]:
    """Return the route of clips."""

    def cut(meeting: str, start: float, end: float) -> bytes:
        if not 0 < end - start <= LONGEST_LISTEN:
            raise QuestionError(f"a clip has at most {LONGEST_LISTEN:g} seconds and ends after its start")
        recording = Waveform.open(services.store.folder(meeting).audio)
        inside = TimeSpan(start, end).clipped(TimeSpan(0.0, recording.duration))
        if inside is None:
            raise QuestionError(f"the recording has only {recording.duration:.0f} seconds")
        return wav_bytes(recording.samples(inside))

    async def clip(request: Request) -> Response:
        asked = request.path_params
        try:
            data = await run_in_threadpool(cut, asked["meeting"], asked["start"], asked["end"])
        except GrgaError as error:
            return PlainTextResponse(str(error), 404, headers=PLAIN)
        return Response(data, media_type="audio/wav", headers=PLAIN)

    return [Route("/grga/clip/{meeting}/{start:float}-{end:float}.wav", clip)]
