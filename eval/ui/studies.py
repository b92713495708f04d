"""What the Evaluate pages work with: the app's services and the desk of human studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eval.human.analysis import Analysis
from eval.human.desk import Desk
from eval.human.rating import RatingRoom
from eval.human.study import KnownItem, Study, StudyItem
from grga.db import open_database
from grga.errors import StoreError
from grga.ui.services import Services


@dataclass(frozen=True)
class Report:
    """What the scores of a study say, and the files that tell it, by name."""

    analysis: Analysis
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Studies:
    """Shared by all visitors, so it holds nothing of any one of them.

    Attributes:
        services: Those of the app.
        desk: Where studies are made and watched.
        room: Where raters come in.
        reports: Those computed so far, by study: they take seconds and do not change any more.
        links: Token of each rater's link by the rater's id, since one that is made anew reads otherwise.
    """

    services: Services
    desk: Desk
    room: RatingRoom = field(init=False)
    reports: dict[str, Report] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "room", RatingRoom(self.desk))

    @classmethod
    def open(cls, services: Services) -> Studies:
        """Open the studies of the app's home.

        Raises:
            StoreError: their database or journal cannot be used.
        """
        config = services.config
        url = config.database_url.get_secret_value() if config.database_url else None
        return cls(services, Desk.open(config.home, engine=open_database(config.home, url)))

    def link(self, rater: str) -> str:
        """Return the token of a rater's link, the same each time.

        Raises:
            StudyError: there is no such rater.
        """
        if rater not in self.links:
            self.links[rater] = self.desk.link(rater)
        return self.links[rater]

    def silent(self, study: Study) -> list[str]:
        """Return the keys of questions with cited moments that nobody can hear, because no recording is here.

        A criterion that must be listened to could never be rated for them.
        """
        known: dict[str, bool] = {}
        found = []
        items: list[StudyItem | KnownItem] = [*study.items, *study.training, *study.checks]
        for item in items:
            if item.meeting not in known:
                known[item.meeting] = self._sounds(item.meeting)
            answers = item.candidates if isinstance(item, StudyItem) else (item,)
            cites = any(one.clips for one in answers)
            if cites and not known[item.meeting]:
                found.append(item.key)
        return found

    def _sounds(self, meeting: str) -> bool:
        try:
            return bool(meeting) and self.services.store.folder(meeting).audio.is_file()
        except StoreError:
            return False
