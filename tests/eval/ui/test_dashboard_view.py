"""What whoever runs a study sees before it is unblinded: how far people are, and nothing that they judged."""

from __future__ import annotations

from datetime import UTC, datetime

from eval.human.desk import RaterLine, StudyLine
from eval.human.scores import Conduct
from eval.human.tables import StudyState
from eval.ui import dashboard_view as view

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def line(state: StudyState = StudyState.OPEN, *, unblinded: bool = False) -> StudyLine:
    return StudyLine("tea", "Tea", state, False, NOW, 3, 1, unblinded)


def rater(done: int = 4, state: str = "rating", name: str = "Ada") -> RaterLine:
    return RaterLine("id-1", name, state, done, 10, NOW)


def way(excluded: str = "", failed: int = 0) -> Conduct:
    return Conduct("R1", 4, 10, 12.4, failed, 2, excluded)


def test_a_rater_shows_progress_pace_checks_and_a_link() -> None:
    shown = view.raters_html([rater()], [way(failed=1)], {"id-1": "tok.en"}, closed=False)
    for part in ("R1", "Ada", "4 of 10", "12 s per answer", "1 of 2 checks failed", 'path="rate/tok.en"'):
        assert part in shown
    assert "Will not count" not in shown


def test_an_unfinished_rater_is_no_news_until_the_study_is_closed() -> None:
    ways = [way("finished 4 of 10 answers (at least 90% expected)")]
    assert "Will not count" not in view.raters_html([rater()], ways, {}, closed=False)
    assert "Will not count" in view.raters_html([rater()], ways, {}, closed=True)


def test_a_rater_in_a_hurry_is_told_at_once() -> None:
    shown = view.raters_html([rater()], [way("took 0.4 s per answer")], {}, closed=False)
    assert "Will not count: took 0.4 s per answer" in shown


def test_a_revoked_rater_has_no_link() -> None:
    shown = view.raters_html([rater(state="revoked")], [way()], {"id-1": "tok.en"}, closed=False)
    assert "tok.en" not in shown


def test_names_are_shown_as_text() -> None:
    shown = view.raters_html([rater(name="<img onerror=x>${1}")], [way()], {}, closed=False)
    assert "<img" not in shown
    assert "${" not in shown


def test_each_state_offers_the_next_step_only() -> None:
    assert view.ending_html(line(StudyState.DRAFT)) == ""
    assert 'data-action="close"' in view.ending_html(line(StudyState.OPEN))
    assert 'data-action="unblind"' in view.ending_html(line(StudyState.CLOSED))
    assert view.ending_html(line(StudyState.CLOSED, unblinded=True)) == ""


def test_refused_attempts_are_counted_and_the_last_comes_first() -> None:
    shown = view.refusals_html(
        [(NOW, "rate", "the score 9 cannot be given"), (NOW, "listen", "no such clip")]
    )
    assert "2 attempts were refused" in shown
    assert shown.index("no such clip") < shown.index("score 9")
    assert view.refusals_html([]) == ""
