"""Semantic accuracy: language models say whether an answer tells what the reference tells (paper, eq. 12).

Every answer is judged by every judge; the verdict that counts needs more than half of all judges, so a
judge that fails can leave an answer unscored but never decides anything. Judgements lie beside the run
(``judgements.jsonl``), one line each, and are never asked for twice: only failed ones are tried again.

Two checks come along. *Order swap*: the same judge sees the answer before the reference instead of after
it; a fair one says the same. *Judge swap*: what each judge alone would have said of the systems
(:mod:`eval.report.accuracy`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from eval.runs import Run, RunRecord
from eval.scorers import Score
from grga.errors import EvaluationError, ModelServerError
from grga.llm.failures import UnusableReplyError
from grga.llm.material import block, plain
from grga.llm.prompts import read_prompt
from grga.llm.structured import Request, ask, at_most

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPT = Path(__file__).parent / "prompts" / "judge.md"
FILE = "judgements.jsonl"
LONGEST = 6_000
"""Characters of a reference or answer that a judge reads."""
GIVE_UP_AFTER = 5
"""Failures in a row after which a judge is asked no more in this call."""
EVERY = 100
"""Judgements between two lines of progress."""
_KEPT = 2_000

Order = Literal["reference first", "answer first"]
FIRST: Order = "reference first"
SWAPPED: Order = "answer first"


class VerdictReply(BaseModel):
    """What a judge writes."""

    model_config = ConfigDict(frozen=True)

    reason: Annotated[str, at_most(300), StringConstraints(max_length=300)]
    right: bool


class Judgement(BaseModel):
    """One judge's verdict on one answer.

    Attributes:
        item, system: Which answer.
        judge: The model's name, with its address where two judges share a name.
        version: Of the prompt.
        order: What the judge saw first.
        right: None when the judge failed.
        reason: The judge's own, or what went wrong.
        raw: The unusable reply.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: str
    system: str
    judge: str
    version: str
    order: Order = FIRST
    right: bool | None = Field(strict=True)
    reason: str = ""
    raw: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Which answer this is about: item and system."""
        return self.item, self.system


@dataclass(frozen=True)
class Judge:
    """A model that judges, and its name in tables."""

    name: str
    client: ChatClient

    def verdict(self, record: RunRecord, order: Order = FIRST) -> Judgement:
        """Return what the judge says; a failure is a judgement without a verdict.

        Raises:
            ValueError: the item has no reference.
        """
        instructions, version = read_prompt(PROMPT)
        right, raw = None, ""
        try:
            request = Request(VerdictReply, "verdict", instructions, material(record, order), version)
            reply, _ = ask(self.client, request)
            right, reason = reply.right, reply.reason
        except ModelServerError as error:
            reason = str(error)
            raw = error.reply[:_KEPT] if isinstance(error, UnusableReplyError) else ""
        return Judgement(
            item=record.item.key,
            system=record.system,
            judge=self.name,
            version=version,
            order=order,
            right=right,
            reason=reason,
            raw=raw,
        )


def material(record: RunRecord, order: Order = FIRST) -> str:
    """Return question, reference and answer as blocks that nothing in them can leave.

    Raises:
        ValueError: the item has no reference.
    """
    if record.item.reference is None:
        raise ValueError(f"item {record.item.key} has no reference answer")
    reference = block("reference answer", [plain(record.item.reference, LONGEST)])
    answer = block("answer to be judged", [plain(record.text, LONGEST)])
    pair = (reference, answer) if order == FIRST else (answer, reference)
    return "\n\n".join((block("question", [plain(record.item.question, LONGEST)]), *pair))


def judge_run(
    run: Run,
    judges: Sequence[Judge],
    *,
    orders: Sequence[Order] = (FIRST,),
    say: Callable[[str], None] = print,
) -> None:
    """Judge every answer with a reference that a judge has not judged yet; each verdict is kept at once.

    Args:
        run: Whose answers; judgements are written beside them.
        judges: Who judges.
        orders: Which orders of reference and answer are asked.
        say: Called with a line of progress.

    Raises:
        EvaluationError: no answer has a reference, or a line of judgements is damaged.
    """
    answers = judgeable(run.records())
    if not answers:
        raise EvaluationError(
            f"nothing in {run.folder} can be judged", found="no answer to a question with a reference answer"
        )
    version = read_prompt(PROMPT).version
    done = {
        (one.judge, one.order, one.place)
        for one in read_judgements(run)
        if one.right is not None and one.version == version
    }
    _mend(run.folder / FILE)
    for judge in judges:
        asked = [
            (record, order)
            for order in orders
            for record in answers
            if (judge.name, order, record.place) not in done
        ]
        failed = 0
        for number, judgement in enumerate(_ask_all(judge, asked), start=1):
            _append(run.folder / FILE, judgement)
            failed += judgement.right is None
            if number % EVERY == 0:
                say(f"{judge.name}: {number} of {len(asked)}")
        say(f"{judge.name}: {len(asked)} to judge, {failed} without a verdict")


def _ask_all(judge: Judge, asked: Sequence[tuple[RunRecord, Order]]) -> Iterator[Judgement]:
    """Yield verdicts as they come; a judge that fails again and again is left alone."""
    in_a_row = 0
    with ThreadPoolExecutor(judge.client.settings.max_concurrency) as pool:
        futures: list[Future[Judgement]] = [pool.submit(judge.verdict, *one) for one in asked]
        try:
            for future in as_completed(futures):
                if future.cancelled():
                    continue
                judgement = future.result()
                yield judgement
                in_a_row = in_a_row + 1 if judgement.right is None else 0
                if in_a_row == GIVE_UP_AFTER:
                    _cancel(futures)
        finally:
            _cancel(futures)  # whoever stops listening does not pay for the rest


def _cancel(futures: Sequence[Future[Judgement]]) -> None:
    for future in futures:
        future.cancel()


def judgeable(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the answers that can be compared with a reference, each once."""
    found = {one.place: one for one in records if not one.error and one.item.reference is not None}
    return list(found.values())


def read_judgements(run: Run) -> list[Judgement]:
    """Return the verdicts beside a run, the newest on each question; a last line that was cut is left out.

    Raises:
        EvaluationError: another line is damaged.
    """
    file = run.folder / FILE
    if not file.is_file():
        return []
    found = {}
    for number, line in enumerate(file.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            one = Judgement.model_validate_json(line)
        except ValidationError:
            raise EvaluationError(f"line {number} of {file} is damaged") from None
        key = (one.judge, one.version, one.order, one.place)
        if one.right is not None or key not in found:
            found[key] = one
    return list(found.values())


def _append(file: Path, judgement: Judgement) -> None:
    with file.open("ab") as out:
        out.write(judgement.model_dump_json().encode() + b"\n")


def _mend(file: Path) -> None:
    """Cut off what is left of a line that a kill interrupted."""
    if file.is_file():
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            file.write_bytes(content[: content.rfind(b"\n") + 1])


def current(judgements: Iterable[Judgement], order: Order | None = FIRST) -> list[Judgement]:
    """Return the judgements of today's prompt, in one order of reference and answer (None: both)."""
    version = read_prompt(PROMPT).version
    return [one for one in judgements if one.version == version and order in (None, one.order)]


def majority(judgements: Iterable[Judgement]) -> dict[tuple[str, str], Score]:
    """Return the verdict on each answer: 1.0 right, 0.0 wrong, None where no side has more than half.

    Half is counted of all judges that appear anywhere, also of those that failed here.
    """
    given = list(judgements)
    judges = {one.judge for one in given}
    by_answer: dict[tuple[str, str], list[Judgement]] = {}
    for one in given:
        by_answer.setdefault(one.place, []).append(one)
    return {place: _score(votes, len(judges)) for place, votes in by_answer.items()}


def _score(votes: Sequence[Judgement], judges: int) -> Score:
    yes = [one for one in votes if one.right is True]
    no = [one for one in votes if one.right is False]
    details = {"votes": {one.judge: one.right for one in votes}, "judges": judges}
    for value, side in ((1.0, yes), (0.0, no)):
        if 2 * len(side) > judges:
            return Score(value, side[0].reason, details)
    failed = [one.reason for one in votes if one.right is None]
    why = f"no majority: {len(yes)} say right, {len(no)} say wrong of {judges}"
    return Score(None, "; ".join([why, *failed[:1]]), details)
