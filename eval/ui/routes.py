"""All addresses of Evaluate: those of raters, open to whoever has a link, and those of whoever runs studies."""

from __future__ import annotations

from starlette.routing import BaseRoute

from eval.ui import rater_page, rater_routes, study_routes
from eval.ui.studies import Studies


def routes(studies: Studies) -> list[BaseRoute]:
    """Return all routes of Evaluate."""
    return [
        *rater_page.routes(),
        *rater_routes.routes(studies.room, studies.services.store),
        *study_routes.routes(studies),
    ]
