"""The verbs that correct a meeting: ``rename|edit|merge|reassign|retitle|tag|undo|redo|history``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from grga.cli_options import AsJson, ConfigFile, Home, MeetingName, print_json, settings_of, store_of
from grga.edits import Edit, EditRecord, EditText, Merge, Reassign, Rename, SetTags, SetTitle
from grga.errors import QuestionError
from grga.scopes import clock, find_speaker, parse_time
from grga.store import MeetingFolder
from grga.types import Meeting

edits = typer.Typer()

By = Annotated[str, typer.Option(help="Who does it, for the history.")]
SpeakerName = Annotated[str, typer.Argument(help="Speaker id, for example S1, or the shown name.")]
_LINES_HELP = "Numbers of lines as `history` and JSON show them, or times: 12 or 3,5-9 or 0:34."


@edits.command()
def rename(
    meeting: MeetingName,
    speaker: SpeakerName,
    name: Annotated[str, typer.Argument(help="The name to show.")],
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Give a speaker a name; transcript, answers and exports follow."""
    folder = _folder(meeting, home, config)
    _edit(folder, Rename(speaker=find_speaker(speaker, folder.read_meeting()), name=name), by)


@edits.command()
def edit(
    meeting: MeetingName,
    line: Annotated[
        str, typer.Argument(help="Number of the line, or a time at which it is spoken: 12 or 0:34.")
    ],
    text: Annotated[str, typer.Argument(help="What was really said.")],
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Correct the words of one line; search, graph and answers follow."""
    folder = _folder(meeting, home, config)
    [number, *more] = parse_lines(line, folder.read_meeting())
    if more:
        raise QuestionError(f"{line!r} is more than one line", fix="edit one at a time")
    _edit(folder, EditText(utterance=number, text=text), by)


@edits.command()
def merge(
    meeting: MeetingName,
    speaker: SpeakerName,
    into: Annotated[str, typer.Argument(help="Who it really is: id or shown name.")],
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Make two speakers one person."""
    folder = _folder(meeting, home, config)
    there = folder.read_meeting()
    _edit(folder, Merge(speaker=find_speaker(speaker, there), into=find_speaker(into, there)), by)


@edits.command()
def reassign(
    meeting: MeetingName,
    lines: Annotated[str, typer.Argument(help=_LINES_HELP)],
    speaker: Annotated[
        str, typer.Argument(help="Who spoke them: id, shown name, or `new` for nobody yet there.")
    ],
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Give lines to another speaker, or split them off as a new one."""
    folder = _folder(meeting, home, config)
    there = folder.read_meeting()
    whom = None if speaker == "new" else find_speaker(speaker, there)
    _edit(folder, Reassign(utterances=parse_lines(lines, there), speaker=whom), by)


@edits.command()
def retitle(
    meeting: MeetingName,
    title: Annotated[str, typer.Argument(help="The title to show.")],
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Give a meeting another title."""
    _edit(_folder(meeting, home, config), SetTitle(title=title), by)


@edits.command()
def tag(
    meeting: MeetingName,
    tags: Annotated[list[str] | None, typer.Argument(help="All its tags; none removes them.")] = None,
    by: By = "",
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Set the tags of a meeting."""
    _edit(_folder(meeting, home, config), SetTags(tags=tuple(tags or ())), by)


@edits.command()
def undo(meeting: MeetingName, by: By = "", home: Home = None, config: ConfigFile = None) -> None:
    """Take back the last edit."""
    record = _folder(meeting, home, config).undo(by)
    print(f"taken back: {record.summary}" if record else "nothing to take back")


@edits.command()
def redo(meeting: MeetingName, by: By = "", home: Home = None, config: ConfigFile = None) -> None:
    """Bring back what was taken back last."""
    record = _folder(meeting, home, config).redo(by)
    print(f"brought back: {record.summary}" if record else "nothing to bring back")


@edits.command()
def history(
    meeting: MeetingName, home: Home = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Show who changed what and when, oldest first."""
    records = _folder(meeting, home, config).edits()
    if as_json:
        print_json([record.model_dump(mode="json") for record in records])
        return
    for record in records:
        print(
            f"{record.number:>3}  {record.at:%Y-%m-%d %H:%M}  {record.by or '-'}  {record.summary}{_state(record)}"
        )
    if not records:
        print("nothing was edited")


def parse_lines(text: str, meeting: Meeting) -> tuple[int, ...]:
    """Return the numbers of ``3``, ``3,5-9`` or ``0:34`` (the line spoken then, or else the next one).

    Raises:
        QuestionError: neither numbers nor times, a range that runs backwards, or a time after the last line.
    """
    numbers: list[int] = []
    for part in text.split(","):
        if match := re.fullmatch(r"\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?", part):
            first, last = int(match[1]), int(match[2] or match[1])
            if last < first or last >= len(meeting.utterances):
                raise QuestionError(
                    f"{part.strip()!r} names no line of this meeting",
                    expected=f"0 to {len(meeting.utterances) - 1}",
                )
            numbers += range(first, last + 1)
        else:
            numbers.append(_line_at(parse_time(part), meeting))
    return tuple(dict.fromkeys(numbers))


def _line_at(seconds: float, meeting: Meeting) -> int:
    for utterance in meeting.utterances:
        # A clock shows whole seconds, so 0:34 also means a line that begins at 34.6.
        if utterance.end > seconds or int(utterance.start) == int(seconds):
            return utterance.id
    raise QuestionError(f"nobody speaks at {clock(seconds)} or after", fix="give an earlier time")


def _folder(meeting: str, home: Home, config: ConfigFile) -> MeetingFolder:
    return store_of(settings_of(home, config)).find(meeting)


def _edit(folder: MeetingFolder, edit: Edit, by: str) -> None:
    print(folder.edit(edit, by).summary)


def _state(record: EditRecord) -> str:
    if record.undone:
        return f"  (taken back{f' by {record.undone_by}' if record.undone_by else ''})"
    return "" if record.applies else "  (no longer applies)"
