"""Speech as context: the recording itself goes to a model that hears, as far as it takes it (paper, section 4.1).

Models take different lengths; what is beyond is cut off, and the draft says so. A model that hears a whole
meeting has no utterances to point at, so its answers carry no citations.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from grga.agent.agent import checked_question
from grga.agent.policies.llm.policy import NOTHING, tokens_of
from grga.agent.steps import EVERYWHERE, Draft, Step
from grga.baselines.writing import conclude
from grga.errors import ModelServerError, QuestionError
from grga.llm.audio import hear
from grga.llm.prompts import read_prompt
from grga.types import Scope, Sentence, TimeSpan

if TYPE_CHECKING:
    from grga.llm.client import ChatClient
    from grga.store import IndexedMeeting

PROMPT = Path(__file__).parent / "prompts" / "speech_context.md"
NOT_FOUND = "not found"
LONGEST_ANSWER = 500
"""Tokens of an answer."""


class Ears(NamedTuple):
    """How much a model hears: at most ``seconds`` (None: as its context allows), at ``rate`` tokens a second."""

    seconds: float | None
    rate: float


EARS = {
    "qwen3-omni": Ears(2_400.0, 12.5),
    "audio-flamingo-3": Ears(600.0, 25.0),
    "mimo-audio": Ears(None, 6.25),
}
"""By what the model's name contains. Forty minutes, ten minutes, and whatever fits 128k tokens (paper, table 2)."""
UNKNOWN_EARS = Ears(600.0, 25.0)


def longest(model: str, context_tokens: int) -> float:
    """Return the seconds of recording that this model takes at once."""
    name = model.lower().replace("_", "-")
    ears = next((ears for part, ears in EARS.items() if part in name), UNKNOWN_EARS)
    fits = max(0.0, (context_tokens - 2 * LONGEST_ANSWER) / ears.rate)
    return fits if ears.seconds is None else min(ears.seconds, fits)


class SpeechAsContext:
    """One call with the recording.

    Args:
        client: A model that hears.
    """

    name = "speech_context"

    def __init__(self, client: ChatClient) -> None:
        self.client = client

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield the draft and the answer.

        Raises:
            QuestionError: an empty question, a meeting without a recording, or a scope of speakers.
            ModelServerError: the server failed, or its model does not hear.
        """
        question = checked_question(question)
        if meeting.waveform is None:
            raise QuestionError("this meeting has no recording to hear", fix="import it with its recording")
        if scope.speakers is not None:
            raise QuestionError("a recording cannot be limited to a speaker", fix="limit it in time instead")
        began = perf_counter()
        whole = TimeSpan(0.0, meeting.waveform.duration)
        wanted = whole if scope.span is None else scope.span.clipped(whole) or TimeSpan(0.0, 0.0)
        limit = longest(self.client.model, self.client.settings.context_tokens)
        heard = TimeSpan(wanted.start, min(wanted.end, wanted.start + limit))
        instructions, version = read_prompt(PROMPT)
        text, usage = hear(
            self.client,
            meeting.waveform.levelled(heard),
            system=instructions,
            user=question,
            version=version,
            max_tokens=LONGEST_ANSWER,
            seconds=limit,
        )
        if text is None:
            raise ModelServerError(
                f"the model {self.client.model} takes no audio", fix="use one that does, and llm.audio = auto"
            )
        notes: tuple[str, ...] = ()
        if heard.end < wanted.end:
            notes = (f"heard {heard.duration:.0f} of {wanted.duration:.0f} s: this model takes no more",)
        found = not text.lower().startswith(NOT_FOUND)
        sentences = (Sentence(text),) if found else NOTHING
        seconds, tokens = perf_counter() - began, tokens_of(usage)
        draft = Draft(1, sentences, found, notes=notes, seconds=seconds, tokens=tokens)
        yield draft
        yield conclude(
            question,
            draft,
            meeting.meeting,
            system=self.name,
            policy=self.client.model,
            phases={"synthesize": seconds},
        )
