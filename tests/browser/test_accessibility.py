"""axe-core finds nothing serious in any tab, light and dark."""

from __future__ import annotations

from typing import Any

import pytest

GRAVE = ("serious", "critical")
TABS = ("Meetings", "Ask", "Annotate", "Evaluate")

pytestmark = pytest.mark.slow


def expect(thing: Any) -> Any:
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def findings(page: Any) -> list[str]:
    """Return what axe-core calls serious or critical: rule, why, and where."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", TABS)
def test_a_tab_has_no_serious_finding(visit: Any, tab: str, scheme: str) -> None:
    page = visit(color_scheme=scheme, viewport={"width": 1440, "height": 1000})
    expect(page.locator("grga-timeline").first).to_be_visible()
    page.get_by_role("tab", name=tab, exact=True).click()
    expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_answer_with_all_its_parts_has_no_serious_finding(visit: Any, scheme: str) -> None:
    page = visit(color_scheme=scheme, viewport={"width": 1440, "height": 1000})
    page.locator("#examples .g-chip").nth(1).click()
    expect(page.locator("#answer .g-acts")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Bad answer").click()
    expect(page.locator("#feedback form")).to_be_visible()
    page.locator("#limits > button").click()
    page.locator("#history summary").first.click()
    page.locator("#answer button.g-pill").first.focus()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert findings(page) == []


def test_a_comparison_has_no_serious_finding(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 900})
    page.locator("#examples .g-chip").first.click()
    expect(page.locator("#answer .g-acts")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Compare").first.click()
    page.locator("#compare").click()
    expect(page.locator(".g-compare .g-badge")).to_have_count(2, timeout=60_000)
    assert findings(page) == []
