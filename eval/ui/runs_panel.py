"""Runs of the measuring bench: choose two, read them item by item, hear the moments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from eval.comparing import FOLDER, Pair, RunLine, Side, compare, differing, list_runs
from eval.ui import runs_view as view
from grga.errors import EvaluationError, GrgaError
from grga.ui.render import notice
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import ACTIONS, pane

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
HEAR = """
let until = null;
const audio = document.createElement('audio');
audio.preload = 'none';
audio.id = 'run-audio';
document.body.append(audio);  // the element's content is replaced with every choice
audio.addEventListener('timeupdate', () => { if (until !== null && audio.currentTime >= until) audio.pause(); });
element.addEventListener('click', (event) => {
  const node = event.target.closest('[data-hear]');
  if (!node) return;
  document.getElementById('grga-audio')?.pause();  // two things never sound at once
  const again = until === Number(node.dataset.to) && !audio.paused && audio.dataset.of === node.dataset.hear;
  if (again) return audio.pause();
  if (audio.dataset.of !== node.dataset.hear) { audio.src = node.dataset.hear; audio.dataset.of = node.dataset.hear; }
  until = Number(node.dataset.to);
  audio.currentTime = Number(node.dataset.from);
  audio.play().catch(() => {});  // refused or superseded by the next click
});
"""


def build(services: Services, page: gr.Blocks, tab: gr.Tab) -> None:
    """Lay out the panel inside the current tab and wire it.

    Args:
        services: Those of the app; runs are looked for in ``HOME/runs``.
        page: Gives the load event.
        tab: The tab whose selection looks for runs again.
    """
    number = gr.State(0)
    with gr.Row(elem_classes="g-panel g-run-choice"):
        first = gr.Dropdown([], label=ui("First"), elem_id="run-first", scale=3, min_width=220)
        second = gr.Dropdown([], label=ui("Second"), elem_id="run-second", scale=3, min_width=220)
        only = gr.Checkbox(True, label=ui("Only differences"), elem_id="run-only", scale=1, min_width=150)
        # A visitor from elsewhere must not choose folders of this machine.
        folder = gr.Textbox(
            value="",
            label=ui("Another folder of runs"),
            elem_id="run-folder",
            visible=not services.public,
            scale=2,
            min_width=200,
        )
    summary = pane(elem_id="run-summary")
    listing = gr.HTML("", apply_default_css=False, js_on_load=ACTIONS + HEAR, elem_id="run-pairs")

    def lines(given: str | None) -> list[RunLine]:
        home = services.config.home / FOLDER
        found = list_runs(home)
        if given and given.strip() and not services.public:
            found += [line for line in list_runs(Path(given.strip()).expanduser()) if line not in found]
        return found

    def look(one: str | None, other: str | None, given: str | None) -> tuple[Any, Any, Any]:
        known = sides(lines(given))
        names = list(known)
        one = one if one in known else next(iter(names), None)
        other = other if other in known else next(iter(names[1:]), one)
        return gr.update(choices=names, value=one), gr.update(choices=names, value=other), 0

    def show(one: str | None, other: str | None, wanted: bool, given: str | None, at: int) -> tuple[str, str]:
        found = lines(given)
        known = sides(found)
        broken = view.problems_html(found)
        if not known:
            return broken + view.none_html(), ""
        try:
            chosen = _chosen(known, one), _chosen(known, other)
            pairs = compare(*chosen)
        except GrgaError as error:
            return broken + notice(str(error)), ""
        names = view.heads(*chosen)
        left: list[Pair] = differing(pairs) if wanted else pairs
        at = max(0, min(int(at), (len(left) - 1) // view.PAGE))
        return broken + view.summary_html(pairs, names), view.pairs_html(left, at, names, sounds)

    def sounds(meeting: str) -> bool:
        try:
            return services.store.folder(meeting).playback.is_file()
        except GrgaError:
            return False

    def turn(event: gr.EventData, at: int) -> Any:
        by = {"-1": -1, "1": 1}.get(str(event._data.get("by")))
        return max(0, at + by) if event._data.get("action") == "turn" and by else gr.skip()

    inputs, outputs = [first, second, only, folder, number], [summary, listing]
    for event in (page.load, tab.select, folder.submit):
        event(look, [first, second, folder], [first, second, number], **QUIET).then(
            show, inputs, outputs, **QUIET
        )
    for chooser in (first, second, only):
        chooser.input(lambda: 0, None, number, **QUIET).then(show, inputs, outputs, **QUIET)
    listing.click(turn, number, number, **QUIET).then(show, inputs, outputs, **QUIET)


def sides(lines: list[RunLine]) -> dict[str, Side]:
    """Return every system of every run by the name it is chosen by."""
    found: dict[str, Side] = {}
    for line in lines:
        for system in line.systems:
            name = view.side_name(line, system)
            found[name if name not in found else f"{name} ({line.folder})"] = Side(line, system)
    return found


def _chosen(known: dict[str, Side], name: str | None) -> Side:
    if name not in known:
        raise EvaluationError(t("this run is not there any more"), fix=t("choose another"))
    return known[name]
