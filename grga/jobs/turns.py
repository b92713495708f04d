"""Who is next: visitors take turns, each one's own jobs go in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from grga.jobs.table import Job

NEVER = datetime.min.replace(tzinfo=UTC)


def in_turn(waiting: Sequence[Job], served: Mapping[str, datetime | None]) -> list[Job]:
    """Return waiting jobs in the order in which they will run.

    The visitor whose last job began longest ago is next, one who never had any first of all; so a
    hundred files of one visitor do not keep another one waiting for more than one file.

    Args:
        waiting: Queued jobs in any order.
        served: By visitor, when the last of their jobs began.
    """
    own: dict[str, list[Job]] = {}
    for job in sorted(waiting, key=lambda job: (job.place, job.id or 0)):
        own.setdefault(job.visitor, []).append(job)
    last = {visitor: served.get(visitor) or NEVER for visitor in own}
    now = max([*last.values(), *(job.created for job in waiting)], default=NEVER)
    turns: list[Job] = []
    while own:
        visitor = min(own, key=lambda one: (last[one], own[one][0].place, own[one][0].id or 0))
        turns.append(own[visitor].pop(0))
        last[visitor] = now + timedelta(seconds=len(turns))
        if not own[visitor]:
            del own[visitor]
    return turns
