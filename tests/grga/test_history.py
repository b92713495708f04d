"""What a visitor asked: kept for them alone, opened by link, shown with today's names and words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import Session, select

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Draft, Plan, ToolCall
from grga.config import load_config
from grga.db import open_database
from grga.edits import EditText, Merge, Rename
from grga.errors import HistoryError
from grga.history import COMMENT_LENGTH, REASONS, AskedLine, History, Part, current
from grga.history.table import AskedRow
from grga.history.today import renamed
from grga.ingest import import_transcript
from grga.scopes import Limits
from grga.store import Store
from grga.types import Answer, Citation, Meeting, Sentence, Speaker, TimeSpan, Utterance

LINES = (
    ("S1", "There are no hidden costs, Rosa."),
    ("S2", "Good."),
    ("S1", "There is one more item, a handling fee."),
    ("S3", "Then who signed this?"),
)


def meeting(*names: str, lines: tuple[tuple[str, str], ...] = LINES, id: str = "m1") -> Meeting:
    """Return a meeting of four lines, ten seconds apart, whose speakers S1, S2, … have these names."""
    utterances = tuple(
        Utterance(i, speaker, TimeSpan(10.0 * i, 10.0 * i + 5), text)
        for i, (speaker, text) in enumerate(lines)
    )
    speakers = tuple(Speaker(f"S{i}", name) for i, name in enumerate(names, 1))
    return Meeting(id, "Supplier review", 40.0, utterances, speakers, "en")


def answered(of: Meeting, *sentences: tuple[str, tuple[int, ...]], found: bool = True) -> Part:
    cited = dict.fromkeys(id for _, ids in sentences for id in ids)
    answer = Answer(
        question="Who pays?",
        sentences=tuple(Sentence(text, ids) for text, ids in sentences),
        citations=tuple(Citation.of(of, of.utterances[id]) for id in cited),
        verified=found,
        reflection_score=4.5,
        found=found,
        system="grga",
        policy="offline",
    )
    plan = Plan(1, (ToolCall("keyword_search", {"query": "fee", "nodes": [1, 2]}, "r1"),), "find it")
    return Part.of(of, AgentTrace((plan, Draft(1, answer.sentences)), answer))


def texts(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


PEOPLE = ("Dana", "Imran", "Rosa")
SAID = ("Dana said it at 0:20.", (2,))


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(open_database(tmp_path))


# --- keeping --------------------------------------------------------------------------------------


def test_an_answer_is_opened_again_by_its_token_after_a_restart(tmp_path: Path) -> None:
    parts = [answered(meeting(*PEOPLE), SAID), answered(meeting("Ann", "Bo", "Cy", id="m2"), ("No.", ()))]
    scope = Limits(("Dana, the boss", "Imran"), TimeSpan(1.5, 20.0))

    kept = History(open_database(tmp_path)).add("v1", "Who pays?", parts, without=["planner"], scope=scope)
    again = History(open_database(tmp_path)).get(kept.token)

    assert again == kept
    assert again.parts == tuple(parts)
    assert (again.system, again.policy, again.without, again.scope) == (
        "grga",
        "offline",
        ("planner",),
        scope,
    )
    assert again.created.tzinfo is not None


def test_a_visitor_s_list_shows_only_their_own_the_latest_first(history: History) -> None:
    part = answered(meeting(*PEOPLE), SAID)
    history.add("v1", "first", [part])
    last = history.add("v1", "second", [part, answered(meeting(*PEOPLE, id="m2"), ("No.", ()), found=False)])
    history.add("v2", "a secret", [part])

    lines = history.list("v1")

    assert [line.question for line in lines] == ["second", "first"]
    titles = {"m1": "Supplier review", "m2": "Supplier review"}
    assert lines[0] == AskedLine(last.token, "second", last.created, "grga", titles, True, True)
    assert [line.question for line in history.list("v1", limit=1)] == ["second"]
    assert history.list("nobody") == ()


def test_a_token_cannot_be_guessed_and_an_unknown_one_opens_nothing(history: History) -> None:
    part = answered(meeting(*PEOPLE), SAID)
    tokens = {history.add("v1", "again", [part]).token for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {22}  # 128 random bits
    for wrong in ("", "0", "' OR 1=1 --", next(iter(tokens))[:-1]):
        with pytest.raises(HistoryError, match="not kept"):
            history.get(wrong)


def test_an_unfinished_answer_is_not_kept(history: History) -> None:
    with pytest.raises(ValueError, match="at least one part"):
        history.add("v1", "Who pays?", [])


def test_a_row_that_something_else_changed_is_one_sentence_not_a_crash(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    token = History(engine).add("v1", "Who pays?", [answered(meeting(*PEOPLE), SAID)]).token
    for damage in ("", "{", "[1]", '[{"answer": {"step": "plan", "round": 1, "calls": []}}]'):
        with Session(engine) as session:
            row = session.exec(select(AskedRow)).one()
            row.parts = damage
            session.add(row)
            session.commit()
        with pytest.raises(HistoryError, match="can no longer be read"):
            History(engine).get(token)


# --- rating and forgetting ------------------------------------------------------------------------


def test_a_rating_has_reasons_and_a_comment_and_can_be_taken_back(history: History) -> None:
    token = history.add("v1", "Who pays?", [answered(meeting(*PEOPLE), SAID)]).token

    history.rate(token, "v1", -1, ["moment", "wrong"], "  It was Imran. ")
    rated = history.get(token)
    assert (rated.rating, rated.reasons, rated.comment) == (-1, ("wrong", "moment"), "It was Imran.")
    assert history.list("v1")[0].rating == -1

    assert history.rate(token, "v1", None, ["wrong"], "gone") == history.get(token)
    cleared = history.get(token)
    assert (cleared.rating, cleared.reasons, cleared.comment) == (None, (), "")


@pytest.mark.parametrize(
    ("rating", "reasons", "comment", "sentence"),
    [
        (2, (), "", "1, -1 or nothing"),
        (-1, ("<b>",), "", "unknown reason '<b>'"),
        (-1, ("wrong",), "x" * (COMMENT_LENGTH + 1), "the comment is too long"),
    ],
)
def test_a_rating_with_a_value_that_does_not_exist_is_refused(
    history: History, rating: int, reasons: tuple[str, ...], comment: str, sentence: str
) -> None:
    token = history.add("v1", "Who pays?", [answered(meeting(*PEOPLE), SAID)]).token
    with pytest.raises(HistoryError, match=sentence):
        history.rate(token, "v1", rating, reasons, comment)
    assert history.get(token).rating is None


def test_only_who_asked_may_rate_or_forget_but_whoever_has_the_link_may_read(history: History) -> None:
    token = history.add("v1", "Who pays?", [answered(meeting(*PEOPLE), SAID)]).token
    with pytest.raises(HistoryError, match="another visitor"):
        history.rate(token, "v2", 1)
    with pytest.raises(HistoryError, match="another visitor"):
        history.forget(token, "v2")
    assert history.clear("v2") == 0
    assert history.get(token).rating is None


def test_forgetting_removes_the_rows(tmp_path: Path) -> None:
    engine = open_database(tmp_path)
    history = History(engine)
    part = answered(meeting(*PEOPLE), SAID)
    first, *_ = [history.add("v1", "mine", [part]).token for _ in range(3)]
    history.add("v2", "theirs", [part])

    history.forget(first, "v1")
    with pytest.raises(HistoryError, match="not kept"):
        history.get(first)
    assert history.clear("v1") == 2

    with Session(engine) as session:
        assert [row.question for row in session.exec(select(AskedRow))] == ["theirs"]


def test_every_reason_has_words() -> None:
    assert set(REASONS) == {"wrong", "incomplete", "moment", "long", "other"}
    assert all(REASONS.values())


# --- as it reads today ----------------------------------------------------------------------------


def test_renamed_speakers_and_corrected_lines_show_in_an_old_answer() -> None:
    part = answered(meeting(*PEOPLE), ("Dana says at 0:20 that a fee is due, and Rosa objects.", (2, 3)))
    lines = (*LINES[:2], ("S1", "There is one more item, a transport fee."), LINES[3])

    today = current(part, meeting("Dana Weber", "Imran", "Rosa K.", lines=lines))

    assert texts(today) == ["Dana Weber says at 0:20 that a fee is due, and Rosa K. objects."]
    assert [(one.speaker, one.text) for one in today.citations] == [
        ("Dana Weber", "There is one more item, a transport fee."),
        ("Rosa K.", "Then who signed this?"),
    ]
    assert today.dropped_citations == 0


def test_what_was_said_stays_as_it_was_said() -> None:
    before = meeting(*PEOPLE)
    quoting = answered(before, ("Rosa hears at 0:00: “There are no hidden costs, Rosa.”", (0,)))
    listing = answered(before, ("[0:00–0:05] Dana: There are no hidden costs, Rosa.", (0,)))
    after = meeting("Dee", "Imran", "Rosie")

    assert texts(current(quoting, after)) == ["Rosie hears at 0:00: “There are no hidden costs, Rosa.”"]
    assert texts(current(listing, after)) == ["[0:00–0:05] Dee: There are no hidden costs, Rosa."]


def test_the_name_of_a_merged_speaker_becomes_the_survivor_s() -> None:
    part = answered(meeting("Dana", "Imran", "Speaker 3"), ("Speaker 3 asks who signed.", (3,)))
    uncited = answered(meeting("Dana", "Imran", "Speaker 3"), ("Speaker 3 is silent.", ()))
    after = meeting("Dana", "Imran", lines=(*LINES[:3], ("S2", LINES[3][1])))

    assert texts(current(part, after)) == ["Imran asks who signed."]
    assert current(part, after).citations[0].speaker == "Imran"
    assert texts(current(uncited, after)) == ["Imran is silent."]


def test_lines_that_are_gone_or_are_others_now_are_dropped_and_counted() -> None:
    part = answered(meeting(*PEOPLE), ("Dana said both.", (0, 2)), ("Rosa asked.", (3,)))
    shorter = meeting(*PEOPLE, lines=LINES[:3])
    moved = replace(
        shorter,
        utterances=(*shorter.utterances[:2], replace(shorter.utterances[2], span=TimeSpan(27.0, 31.0))),
    )

    today = current(part, moved)

    assert [one.utterance for one in today.citations] == [0]
    assert [sentence.citations for sentence in today.sentences] == [(0,), ()]
    assert today.dropped_citations == 2


def test_the_answer_of_a_deleted_meeting_stays_as_text() -> None:
    part = answered(meeting(*PEOPLE), SAID)
    assert current(part, None) == part.answer


def test_nothing_changes_while_the_meeting_does_not() -> None:
    part = answered(meeting(*PEOPLE), SAID, ("Rosa: Will you pay, Dana?", (3,)))
    assert current(part, meeting(*PEOPLE)) == part.answer


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Ann and Anna and Joann", {"Ann": "Bo"}, "Bo and Anna and Joann"),
        ("Speaker 1, not Speaker 12", {"Speaker 1": "Bo"}, "Bo, not Speaker 12"),
        ("Ann Lee met Ann", {"Ann": "Bo", "Ann Lee": "Cy"}, "Cy met Bo"),
        ("Ann asks Bo", {"Ann": "Bo", "Bo": "Ann"}, "Bo asks Ann"),
        ("老周在0:21说钱", {"老周": "周明"}, "周明在0:21说钱"),
        ("他问Rosa什么", {"Rosa": "Rosie"}, "他问Rosie什么"),
        ("小红和老周说", {"小红": "老周", "老周": "小红"}, "老周和小红说"),
        ("Zoë’s plan, ZOË too", {"Zoë": "Zoe"}, "Zoe’s plan, ZOË too"),
        ("May says at 0:10 it may be in May", {"May": "Anna"}, "Anna says at 0:10 it may be in May"),
        (
            "It follows from what Will said; Will it?",
            {"Will": "Bo"},
            "It follows from what Bo said; Will it?",
        ),
        ("王说国王来了，王在0:21走了", {"王": "王明"}, "王明说国王来了，王明在0:21走了"),
        ("A says a vitamin A pill", {"A": "Ann"}, "Ann says a vitamin A pill"),
        ("A. (B) paid", {"A. (B)": r"\1 $&"}, r"\1 $& paid"),
        ('Ann says "Ann"', {"Ann": "Bo"}, 'Bo says "Ann"'),
    ],
)
def test_only_whole_names_are_replaced(text: str, names: dict[str, str], expected: str) -> None:
    assert renamed(text, names) == expected


@given(
    st.text('Ana 一二“”"I.', max_size=40),
    st.dictionaries(st.text("An一I.", min_size=1, max_size=4), st.text()),
)
@settings(max_examples=200, deadline=None)
def test_replacing_names_by_themselves_or_by_nothing_new_leaves_any_text(
    text: str, names: dict[str, str]
) -> None:
    assert renamed(text, {name: name for name in names}) == text
    assert renamed(text, {}, names) == text


VTT = """\
WEBVTT

00:01.000 --> 00:05.000
<v Speaker 1>We promised the neighbours that there are no hidden costs.

00:06.000 --> 00:09.000
<v Speaker 2>The caterer now wants a handling fee of fifty pounds.

00:10.000 --> 00:12.000
<v Speaker 3>Speaker 2 is right about the pounds.
"""


def test_an_old_answer_follows_what_people_correct_and_take_back(tmp_path: Path) -> None:
    (tmp_path / "fees.vtt").write_text(VTT, encoding="utf-8")
    config = load_config(overrides={"home": tmp_path})
    store = Store(tmp_path)
    folder = store.folder(import_transcript(tmp_path / "fees.vtt", store, config).meeting)
    asked = store.load(folder.id)
    ids = {speaker.name: speaker.id for speaker in asked.meeting.speakers}
    trace = AgentTrace.collect(make_answerer("text_rag").answer("handling fee of fifty pounds", asked))
    part = Part.of(asked.meeting, trace)
    said = "[0:06–0:09] Speaker 2: The caterer now wants a handling fee of fifty pounds."
    assert said in texts(part.answer)

    def now() -> tuple[list[str], dict[int, tuple[str, str]]]:
        answer = current(part, folder.read_meeting())
        return texts(answer), {one.utterance: (one.speaker, one.text) for one in answer.citations}

    folder.edit(Rename(speaker=ids["Speaker 2"], name="Imran"))
    folder.edit(EditText(utterance=1, text="The caterer now wants a handling fee of 15 pounds."))
    sentences, cited = now()
    assert said.replace("Speaker 2", "Imran") in sentences
    assert cited[1] == ("Imran", "The caterer now wants a handling fee of 15 pounds.")

    folder.edit(Merge(speaker=ids["Speaker 2"], into=ids["Speaker 3"]))
    sentences, cited = now()
    assert said.replace("Speaker 2", "Speaker 3") in sentences
    assert cited[1][0] == "Speaker 3"

    for _ in range(3):
        folder.undo()
    assert now()[0] == texts(part.answer)


def test_visitors_who_ask_at_once_all_find_their_answer_kept(tmp_path: Path) -> None:
    history = History(open_database(tmp_path))
    part = answered(meeting(*PEOPLE), SAID)
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda n: history.add(f"v{n % 4}", f"question {n}", [part]), range(40)))
    assert len({one.token for one in kept}) == 40
    for n in range(4):
        own = {line.question for line in history.list(f"v{n}")}
        assert own == {f"question {i}" for i in range(40) if i % 4 == n}
