"""What a study is: questions, the answers of several systems, and criteria in words.

A study does not change once it is open, so what a score meant can always be read again. Three raters
and three criteria from 1 to 5 are the paper's design (section 4.4, appendix D).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eval.records import Clip
from grga.agent.steps import QuestionType
from grga.errors import StudyError

SCORES = (1, 2, 3, 4, 5)


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Criterion(_Record):
    """One thing to judge. ``anchors`` say in words what 1, 2, 3, 4 and 5 mean.

    ``must_listen`` keeps the scores locked until a cited clip was heard.
    """

    name: str = Field(min_length=1, max_length=60)
    question: str = Field(min_length=1, max_length=400)
    anchors: Annotated[tuple[str, ...], Field(min_length=5, max_length=5)]
    must_listen: bool = False


CRITERIA = (
    Criterion(
        name="Correctness",
        question="Does the answer say what is true about this meeting?",
        anchors=(
            "Wrong, or it misses the question",
            "Mostly wrong; a detail is right",
            "Half right, or right with a serious error",
            "Right but for a small slip or gap",
            "Right and complete",
        ),
    ),
    Criterion(
        name="Groundedness",
        question="Do the cited moments, as you hear them, support what the answer says?",
        anchors=(
            "Nothing it says is supported by what can be heard",
            "Little is supported; most is not there",
            "Part is supported, part is not",
            "Nearly all is supported",
            "Every statement is supported by what can be heard",
        ),
        must_listen=True,
    ),
    Criterion(
        name="Coherence",
        question="Does the answer read well: clear, in order, without repeating itself?",
        anchors=(
            "Cannot be understood",
            "Hard to follow",
            "Can be followed with effort",
            "Clear, with small flaws",
            "Clear and well put",
        ),
    ),
)
"""The paper's three criteria (section 4.4); the words are ours."""


class Candidate(_Record):
    """One system's answer, its citations written as ``[n]`` counting from 1 into ``clips``."""

    system: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1, max_length=20_000)
    clips: tuple[Clip, ...] = ()


class StudyItem(_Record):
    """One question and every system's answer to it.

    ``corpus`` and ``type`` are the strata; ``meeting`` is the id whose recording is heard.
    """

    key: str = Field(min_length=1, max_length=120)
    question: str = Field(min_length=1, max_length=2000)
    corpus: str = "meetings"
    type: QuestionType | None = None
    meeting: str = ""
    reference: str | None = None
    candidates: tuple[Candidate, ...] = Field(min_length=1)


class KnownItem(_Record):
    """An answer whose right scores are known: for training, or to see whether a rater pays attention.

    ``expected`` maps a criterion's name to its least and greatest right score.
    """

    key: str = Field(min_length=1, max_length=120)
    question: str
    meeting: str = ""
    text: str
    clips: tuple[Clip, ...] = ()
    expected: dict[str, tuple[int, int]]
    feedback: str = ""


class Exclusion(_Record):
    """When a rater's scores do not count. Part of the study, so it is fixed before anybody looks.

    Attributes:
        most_failed_checks: More failed attention checks than this exclude a rater.
        least_seconds: A median time per answer below this excludes a rater.
        least_share: A rater who finished less than this share of the tasks is left out.
    """

    most_failed_checks: int = Field(1, ge=0)
    least_seconds: float = Field(5.0, ge=0)
    least_share: float = Field(0.9, ge=0, le=1)


class Study(_Record):
    """A whole study.

    Attributes:
        key: Its name in addresses and on the command line.
        one_at_a_time: Criteria appear one after the other instead of together.
        shuffle_criteria: Each rater sees the criteria in an order of their own.
        show_reference: Whether raters see the reference answer.
        pilot: Kept apart: never part of an analysis of the real thing.
        link_days: How long a rater's personal link works.
    """

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")
    title: str = Field(min_length=1, max_length=200)
    guidelines: str = ""
    consent: str = ""
    criteria: tuple[Criterion, ...] = Field(CRITERIA, min_length=1)
    items: tuple[StudyItem, ...] = Field(min_length=1)
    training: tuple[KnownItem, ...] = ()
    checks: tuple[KnownItem, ...] = ()
    raters: int = Field(3, ge=1, le=500)
    seed: int = 0
    one_at_a_time: bool = False
    shuffle_criteria: bool = False
    show_reference: bool = False
    pilot: bool = False
    link_days: int = Field(30, ge=1, le=365)
    exclusion: Exclusion = Exclusion()

    @property
    def systems(self) -> tuple[str, ...]:
        """The compared systems, in order of name."""
        return tuple(sorted({one.system for one in self.items[0].candidates}))

    @model_validator(mode="after")
    def _comparable(self) -> Study:
        keys = [one.key for one in self.items] + [one.key for one in (*self.training, *self.checks)]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"two questions have the key {twice!r}")
        names = {criterion.name for criterion in self.criteria}
        if len(names) < len(self.criteria):
            raise ValueError("two criteria have the same name")
        wanted = set(self.systems)
        for item in self.items:
            systems = [one.system for one in item.candidates]
            if set(systems) != wanted or len(systems) != len(wanted):
                raise ValueError(
                    f"question {item.key!r} has answers of {', '.join(systems)} instead of one of each of "
                    f"{', '.join(sorted(wanted))}"
                )
        known: KnownItem
        for known in (*self.training, *self.checks):
            for name, (least, most) in known.expected.items():
                if name not in names or not 1 <= least <= most <= 5:
                    raise ValueError(f"{known.key!r} expects {name} {least} to {most}, which cannot be given")
        return self

    def criterion(self, name: str) -> Criterion:
        """Return the criterion of this name.

        Raises:
            KeyError: there is none.
        """
        return {one.name: one for one in self.criteria}[name]


def checked(values: Mapping[str, Any]) -> Study:
    """Return the study that ``values`` describe.

    Raises:
        StudyError: they describe none; the sentence names the first field that is wrong.
    """
    try:
        return Study.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StudyError(f"this study cannot be made: {where} {first['msg']}".replace("  ", " ")) from None


class TaskKind(StrEnum):
    """What a rater is shown: an answer to rate, one to learn with, or one that checks attention."""

    TRAINING = "training"
    RATING = "rating"
    CHECK = "check"
