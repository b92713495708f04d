import pytest

from grga.errors import QuestionError
from grga.scopes import clock, parse_scope, parse_time
from grga.types import Meeting, Scope, Speaker, TimeSpan

MEETING = Meeting("m", "M", 60, (), (Speaker("S1", "Rosa", role="Chair"), Speaker("S2", "Imran")))


@pytest.mark.parametrize(
    ("parts", "scope"),
    [
        ([], Scope()),
        (["speaker=rosa"], Scope(frozenset({"S1"}))),
        (["speaker=chair, speaker=S2"], Scope(frozenset({"S1", "S2"}))),
        (["time=1:30-2:00"], Scope(span=TimeSpan(90, 120))),
        (["time=90-120; speaker=Imran"], Scope(frozenset({"S2"}), TimeSpan(90, 120))),
    ],
)
def test_scopes_as_people_write_them(parts: list[str], scope: Scope) -> None:
    assert parse_scope(parts, MEETING) == scope


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("speaker=Bob", "nobody in this meeting is called 'Bob' .found Rosa, Imran."),
        ("time=10:00", "has no end"),
        ("time=2:00-1:00", "ends before it starts"),
        ("time=x-2", "'x' is not a time"),
        ("place=here", "cannot be read"),
    ],
)
def test_a_scope_that_means_nothing_is_refused(part: str, message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        parse_scope([part], MEETING)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("1:30", 90), ("61:00", 3660), ("1:04:13.283", 3853.283)]
)
def test_times_with_and_without_hours(text: str, seconds: float) -> None:
    assert parse_time(text) == pytest.approx(seconds)


def test_clock_shows_hours_only_when_there_are_some() -> None:
    assert [clock(s) for s in (0, 69.9, 3600)] == ["0:00", "1:09", "1:00:00"]
