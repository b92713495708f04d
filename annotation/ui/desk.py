"""What the Annotate pages work with: the app's services, the annotation workspace, and generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from annotation import queries
from annotation.batches import batches
from annotation.generation.checks import check
from annotation.report import Report, report
from annotation.schema import Generator, QAItem, Status
from annotation.ui.generating import Generating
from annotation.workspace import Workspace
from grga.errors import StoreError
from grga.store import MeetingSummary
from grga.ui.services import MeetingPage, Services

STALE_SECONDS = 60.0
"""A report looks at everything there is; it is not made anew for every question that is shown."""


@dataclass(frozen=True)
class Desk:
    """Shared by all visitors, so it holds nothing of any one of them."""

    services: Services
    workspace: Workspace
    generating: Generating = field(init=False)
    _report: list[tuple[float, Report]] = field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "generating", Generating(self.services, self.workspace))

    @classmethod
    def open(cls, services: Services) -> Desk:
        """Open the annotation work of the app's home.

        Raises:
            StoreError: its database or journal cannot be used.
        """
        return cls(services, Workspace.open(services.config.home, store=services.store))

    def meetings(self) -> list[MeetingSummary]:
        """Return the meetings that questions can be made about, newest first."""
        return self.services.meetings()

    def titles(self) -> dict[str, str]:
        """Return the title of every meeting that is here, by id."""
        return {meeting.id: meeting.title for meeting in self.meetings()}

    def batches(self) -> dict[str, str]:
        """Return the meeting of every batch that has items or is being made, by name, newest first."""
        return {one.name: one.meeting for one in batches(self.workspace)}

    def acceptance(self, made: Generator) -> float | None:
        """Return the share of a generator's ended items that was accepted, at most a minute old; None without any."""
        now = monotonic()
        if not self._report or now - self._report[0][0] > STALE_SECONDS:
            self._report[:] = [(now, report(self.workspace))]
        group = self._report[0][1].made_by(made.name, made.prompt)
        return None if group is None else group.acceptance

    def page(self, meeting: str) -> MeetingPage | None:
        """Return a meeting for display; None when it is not here, so that its items can only be read."""
        try:
            return self.services.page(meeting)
        except StoreError:
            return None

    def checks(self, key: str) -> list[Mapping[str, object]]:
        """Return what the automatic checks say of an item, run now if they have not run; none without its meeting.

        Raises:
            AnnotationError: there is no such item.
        """
        with self.workspace.reading() as session:
            known, item = queries.checks(session, key), queries.item(session, key)
        if known is not None:
            return list(known)
        if item.status is Status.FAILED or self.page(item.meeting) is None:
            return []
        return self.run_checks(item)

    def run_checks(self, item: QAItem) -> list[Mapping[str, object]]:
        """Run the checks of one item against its meeting and the meeting's other items, and keep them."""
        meeting = self.services.load(item.meeting)
        with self.workspace.reading() as session:
            others = [
                one
                for one in queries.items(session, meetings=[item.meeting])
                if one.key != item.key and one.status not in (Status.FAILED, Status.REJECTED)
            ]
        found: list[Mapping[str, object]] = [
            {"name": one.name, "passed": one.passed, "reason": one.reason}
            for one in check(item, meeting, others)
        ]
        with self.workspace.writing() as session:
            queries.write_checks(session, item.key, found)
        return found
