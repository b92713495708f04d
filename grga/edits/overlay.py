"""From a list of edits to the overlay that lies over a meeting: each is checked against those before it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grga.edits import log
from grga.edits.kinds import Edit, EditRecord, EditText, Merge, Reassign, Rename, SetTags, SetTitle
from grga.edits.log import Line, NewSpeaker
from grga.edits.summaries import changed_words, lines_at, quoted
from grga.errors import StoreError
from grga.types import Meeting


@dataclass(frozen=True)
class Overlay:
    """What people changed, without the steps that led there.

    Attributes:
        names: Speaker id -> name, of everybody who was named by a person or brought in by an edit; those who
            have no line any more are among them.
        texts: Utterance id -> text, where it differs from what was recognised.
        speakers: Utterance id -> speaker id, where it differs from what was recognised.
        gone: Ids of recognised speakers who have no line any more.
        title: None when it was left as it is.
        tags: In the order given.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    speakers: Mapping[int, str] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    title: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def lines(self) -> bool:
        """Whether any line has other words or another speaker."""
        return bool(self.texts or self.speakers)


class Draft:
    """A meeting's overlay while edits are laid on one after the other.

    Args:
        recorded: The meeting as its stages left it.
        names: Names of speakers from before there was a history.
        on: Digest of its utterances.
    """

    def __init__(self, recorded: Meeting, names: Mapping[str, str], on: str) -> None:
        self._recorded = recorded
        self._on = on
        self._given = {id: name for id, name in names.items() if id in {s.id for s in recorded.speakers}}
        self._names = {one.id: self._given.get(one.id, one.name) for one in recorded.speakers}
        self._speakers = [utterance.speaker for utterance in recorded.utterances]
        self._turns = Counter(self._speakers)
        self._silent = {id for id in self._names if not self._turns[id]}
        self._texts: dict[int, str] = {}
        self._title: str | None = None
        self._tags: tuple[str, ...] = ()
        self.records: list[EditRecord] = []

    @classmethod
    def replay(cls, recorded: Meeting, names: Mapping[str, str], on: str, lines: Sequence[Line]) -> Draft:
        """Return the draft after all edits of ``lines`` that are not taken back and still fit."""
        draft = cls(recorded, names, on)
        undone = log.undone(lines)
        brought_in = {line.new.id for line in lines if line.new is not None and line.on != on}
        for number, line in enumerate(lines, start=1):
            if line.edit is None:
                continue
            back = undone.get(number)
            fits = line.on == on or not _on_lines(line.edit, brought_in)
            if fits and back is None:
                fits = draft._lay(line)
            draft.records.append(
                EditRecord(
                    number=number,
                    at=line.at,
                    by=line.by,
                    edit=line.edit,
                    undone=back is not None,
                    applies=fits,
                    summary=line.summary,
                    undone_at=back.at if back else None,
                    undone_by=back.by if back else "",
                )
            )
        return draft

    def overlay(self) -> Overlay:
        """Return what has been laid on so far."""
        shown = self.shown()
        return Overlay(
            names=dict(self._given),
            texts=dict(self._texts),
            speakers={
                one.id: now
                for one, now in zip(self._recorded.utterances, self._speakers, strict=True)
                if now != one.speaker
            },
            gone=frozenset(one.id for one in self._recorded.speakers if one.id not in shown),
            title=self._title,
            tags=self._tags,
        )

    def shown(self) -> dict[str, str]:
        """Return id -> name of everybody who has a line, or was there without ever saying one."""
        return {id: name for id, name in self._names.items() if self._turns[id] or id in self._silent}

    def line_of(self, edit: Edit, by: str, taken: Sequence[Line]) -> Line:
        """Return the line that records ``edit``, made now; ``taken`` are the lines so far.

        Raises:
            StoreError: it does not fit the meeting.
        """
        self._check(edit)
        new = self._newcomer(taken) if isinstance(edit, Reassign) and edit.speaker is None else None
        return Line(by=by, edit=edit, on=self._on, new=new, summary=self._summary(edit, new))

    def changes(self, edit: Edit) -> bool:
        """Return whether ``edit``, which fits, makes any difference."""
        match edit:
            case Rename(speaker=speaker, name=name):
                return self._names[speaker] != name
            case EditText(utterance=id, text=text):
                return self._text(id) != text
            case Reassign(utterances=ids, speaker=speaker):
                return any(self._speakers[id] != speaker for id in ids)
            case SetTitle(title=title):
                return (self._title or self._recorded.title) != title
            case SetTags(tags=tags):
                return self._tags != tags
            case Merge():
                return True

    # --- checks -----------------------------------------------------------------------------------

    def _lay(self, line: Line) -> bool:
        """Lay an earlier edit on; return whether it still fits."""
        assert line.edit is not None
        try:
            self._check(line.edit)
        except StoreError:
            return False  # the record says so; it stays in the history
        self._apply(line.edit, line.new)
        return True

    def _check(self, edit: Edit) -> None:
        match edit:
            case Rename(speaker=speaker, name=name):
                self._check_speaker(speaker)
                self._check_name(speaker, name)
            case Merge(speaker=speaker, into=into):
                self._check_speaker(speaker)
                self._check_speaker(into)
                if speaker == into:
                    raise StoreError(
                        f"{self._names[speaker]!r} cannot be merged into themselves",
                        fix="choose two speakers",
                    )
            case Reassign(utterances=ids, speaker=speaker):
                for id in ids:
                    self._check_line(id)
                if speaker is not None:
                    self._check_speaker(speaker)
            case EditText(utterance=id):
                self._check_line(id)
            case SetTitle() | SetTags():
                pass

    def _check_speaker(self, id: str) -> None:
        shown = self.shown()
        if id not in shown:
            raise StoreError(
                f"there is no speaker {id!r} in meeting {self._recorded.id!r}",
                found=", ".join(f"{id} ({name})" for id, name in shown.items()),
                fix="use one of these ids",
            )

    def _check_name(self, speaker: str, name: str) -> None:
        others = {shown.casefold() for id, shown in self.shown().items() if id != speaker}
        if name.casefold() in others:
            raise StoreError(
                f"the name {name!r} is taken",
                fix="choose another name, or merge the two if they are one person",
            )

    def _check_line(self, id: int) -> None:
        if not 0 <= id < len(self._speakers):
            raise StoreError(
                f"there is no line {id} in meeting {self._recorded.id!r}",
                expected=f"0 to {len(self._speakers) - 1}",
                fix="use the number of a line",
            )

    # --- effects ----------------------------------------------------------------------------------

    def _apply(self, edit: Edit, new: NewSpeaker | None) -> None:
        match edit:
            case Rename(speaker=speaker, name=name):
                self._names[speaker] = self._given[speaker] = name
            case Merge(speaker=speaker, into=into):
                self._speak(into, [id for id, one in enumerate(self._speakers) if one == speaker])
                self._silent.discard(speaker)
            case Reassign(utterances=ids, speaker=speaker):
                if speaker is None:
                    assert new is not None
                    speaker = new.id
                    self._names[speaker] = self._given[speaker] = new.name
                self._speak(speaker, ids)
            case EditText(utterance=id, text=text):
                self._texts[id] = text
                if text == self._recorded.utterances[id].text:
                    del self._texts[id]
            case SetTitle(title=title):
                self._title = title
            case SetTags(tags=tags):
                self._tags = tags

    def _speak(self, speaker: str, ids: Iterable[int]) -> None:
        for id in ids:
            self._turns[self._speakers[id]] -= 1
            self._turns[speaker] += 1
            self._speakers[id] = speaker

    def _text(self, id: int) -> str:
        return self._texts.get(id, self._recorded.utterances[id].text)

    def _newcomer(self, taken: Sequence[Line]) -> NewSpeaker:
        """Return an id in the style of those there and a name, both of which nobody ever had here."""
        ids = {*self._names, *(line.new.id for line in taken if line.new is not None)}
        names = {
            name.casefold() for name in [*self._names.values(), *(s.name for s in self._recorded.speakers)]
        }
        styles = Counter(match[1] for id in ids if (match := re.fullmatch(r"(\D+)\d+", id)))
        style = styles.most_common(1)[0][0] if styles else "S"
        number = next(n for n in range(len(self._names) + 1, 10**6) if f"{style}{n}" not in ids)
        shown = next(n for n in range(len(self.shown()) + 1, 10**6) if f"speaker {n}" not in names)
        return NewSpeaker(id=f"{style}{number}", name=f"Speaker {shown}")

    def _summary(self, edit: Edit, new: NewSpeaker | None) -> str:
        names, spoken = self._names, self._recorded.utterances
        match edit:
            case Rename(speaker=speaker, name=name):
                return f"{quoted(names[speaker])} → {quoted(name)}"
            case Merge(speaker=speaker, into=into):
                count = self._turns[speaker]
                return f"{quoted(names[speaker])} merged into {quoted(names[into])} ({_lines(count)})"
            case Reassign(utterances=ids, speaker=speaker):
                name = names[speaker] if speaker is not None else new.name if new else ""
                whom = f"{quoted(name)}{'' if new is None else ', who is new'}"
                return f"{lines_at([spoken[id] for id in ids])}: now {whom}"
            case EditText(utterance=id, text=text):
                before, after = changed_words(self._text(id), text)
                return f"{lines_at([spoken[id]])}: {quoted(before)} → {quoted(after)}"
            case SetTitle(title=title):
                return f"Title: {quoted(self._title or self._recorded.title)} → {quoted(title)}"
            case SetTags(tags=tags):
                return f"Tags: {', '.join(tags)}" if tags else "Tags removed"


def _on_lines(edit: Edit, brought_in: set[str]) -> bool:
    """Return whether an edit means certain lines or voices, so that it dies with them.

    Names survive, except those of speakers whom only an edit brought in.
    """
    match edit:
        case Rename(speaker=speaker):
            return speaker in brought_in
        case SetTitle() | SetTags():
            return False
        case _:
            return True


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"
