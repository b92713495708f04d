"""Runs in the Evaluate tab: two systems item by item, only differences, moments that play."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from eval.items import EvalItem, Span
from eval.runs import Cited, Manifest, Run, RunRecord
from grga.store import Store

pytestmark = pytest.mark.slow


def answered(key: str, meeting: str, system: str, start: float) -> RunRecord:
    return RunRecord(
        item=EvalItem(
            key=key,
            corpus="samples",
            meeting=meeting,
            question=f"Question {key}?",
            reference="So it was.",
            gold=(Span(start=10, end=14),),
        ),
        system=system,
        sentences=((f"{system} says so.", (1,)),),
        cited=(Cited(utterance=1, speaker="Grace", start=start, end=start + 2, text="so"),),
        found=True,
    )


def test_two_systems_are_compared_and_moments_are_heard(
    app: Any, visit: Callable[..., Any], picture: Callable[[Any, str], None]
) -> None:
    from playwright.sync_api import expect

    meeting = next(line.id for line in Store(app.home).meetings() if "antern" in line.title)
    run = Run(app.home / "runs" / "samples")
    run.write_manifest(
        Manifest(
            corpus="samples",
            path="p",
            systems=("grga", "text_rag"),
            meetings={"m": meeting},
            items=2,
            seed=0,
            limit=None,
            settings={},
            code={},
            began=datetime(2026, 1, 1, tzinfo=UTC),
        )
    )
    run.append(
        answered(key, meeting, system, start)
        for key, system, start in (
            ("differs", "grga", 11.0),
            ("differs", "text_rag", 60.0),
            ("agrees", "grga", 11.0),
            ("agrees", "text_rag", 11.0),
        )
    )

    page = visit()
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_role("tab", name="Runs").click()
    pairs = page.locator("#run-pairs .g-pair")
    expect(pairs).to_have_count(1)
    expect(pairs.first).to_contain_text("Question differs?")
    expect(page.locator("#run-summary")).to_contain_text("GRGA is nearer")
    expect(pairs.first.locator("section").first).to_contain_text("nearer")

    pairs.first.locator("section").nth(1).get_by_role("button", name="Play 1:00").click()
    page.wait_for_function("(a => !a.paused && a.currentTime >= 60)(document.getElementById('run-audio'))")
    page.wait_for_function("(a => a.paused && a.currentTime >= 62)(document.getElementById('run-audio'))")

    page.locator("#run-only input").uncheck()
    expect(pairs).to_have_count(2)
    picture(page, "runs")
