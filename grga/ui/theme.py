"""Gradio's own controls in our colours; the tokens live in assets/style/tokens.css."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

HEAD = """
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="grga/style/tokens.css">
<link rel="stylesheet" href="grga/style/app.css">
<link rel="stylesheet" href="grga/style/library.css">
<link rel="stylesheet" href="grga/style/meeting.css">
<link rel="stylesheet" href="grga/style/ask.css">
<link rel="stylesheet" href="grga/style/annotate.css">
<link rel="stylesheet" href="grga/style/evaluate.css">
<link rel="stylesheet" href="grga/style/runs.css">
<script type="module" src="grga/timeline.js"></script>
"""

# gr.HTML: clicks on anything with data-action become an event that carries its data attributes;
# what cannot be undone asks first (data-confirm).
ACTIONS = """
element.addEventListener('click', (event) => {
  const node = event.target.closest('[data-action]');
  if (node && (!node.dataset.confirm || confirm(node.dataset.confirm))) trigger('click', { ...node.dataset });
});
"""


def pane(value: str | Callable[[], str] = "", **options: Any) -> gr.HTML:
    """Return a ``gr.HTML`` without Gradio's own styling of its content; clicks carry data attributes.

    A function as ``value`` is called for each visitor when the page loads, so that it speaks their language.
    """
    return gr.HTML(value, apply_default_css=False, js_on_load=ACTIONS, **options)


def theme() -> gr.themes.Base:
    """Return the theme. Each colour is a token, so light and dark come from one place."""
    colours = {
        "body_background_fill": "--g-bg",
        "body_text_color": "--g-ink",
        "body_text_color_subdued": "--g-soft",
        "background_fill_primary": "--g-panel",
        "background_fill_secondary": "--g-bg",
        "block_background_fill": "--g-panel",
        "block_border_color": "--g-line",
        "block_label_background_fill": "--g-panel",
        "block_label_text_color": "--g-soft",
        "block_title_text_color": "--g-soft",
        "block_info_text_color": "--g-soft",
        "border_color_primary": "--g-line",
        "border_color_accent": "--g-accent",
        "border_color_accent_subdued": "--g-line",
        "color_accent_soft": "--g-accent-soft",
        "panel_background_fill": "--g-panel",
        "panel_border_color": "--g-line",
        "input_background_fill": "--g-panel",
        "input_background_fill_focus": "--g-panel",
        "input_border_color": "--g-line",
        "input_border_color_focus": "--g-soft",
        "input_placeholder_color": "--g-soft",
        "button_primary_background_fill": "--g-accent",
        "button_primary_background_fill_hover": "--g-accent",
        "button_primary_border_color": "--g-accent",
        "button_primary_text_color": "--g-on-accent",
        "button_secondary_background_fill": "--g-panel",
        "button_secondary_background_fill_hover": "--g-hover",
        "button_secondary_border_color": "--g-line",
        "button_secondary_text_color": "--g-ink",
        "button_cancel_background_fill": "--g-bad-soft",
        "button_cancel_background_fill_hover": "--g-bad-soft",
        "button_cancel_border_color": "--g-bad-soft",
        "button_cancel_text_color": "--g-bad",
        "checkbox_label_background_fill": "--g-panel",
        "checkbox_label_background_fill_hover": "--g-hover",
        "checkbox_label_background_fill_selected": "--g-hover",
        "checkbox_label_border_color": "--g-line",
        "checkbox_label_text_color": "--g-soft",
        "checkbox_label_text_color_selected": "--g-ink",
        "checkbox_background_color": "--g-panel",
        "checkbox_background_color_selected": "--g-ink",
        "checkbox_border_color": "--g-line",
        "checkbox_border_color_selected": "--g-ink",
        "table_border_color": "--g-line",
        "link_text_color": "--g-accent",
        "error_background_fill": "--g-bad-soft",
        "error_border_color": "--g-bad-soft",
        "error_text_color": "--g-bad",
        "error_icon_color": "--g-bad",
    }
    tokens = {name: f"var({token})" for name, token in colours.items()}
    base = gr.themes.Base(
        font=["Inter", "system-ui", "Noto Sans CJK SC", "sans-serif"],
        font_mono=["ui-monospace", "Menlo", "Consolas", "monospace"],
        text_size="md",
        radius_size="lg",
    )
    return base.set(
        **tokens,
        **{f"{name}_dark": value for name, value in tokens.items()},
        loader_color="var(--g-accent)",
        slider_color="var(--g-accent)",
        color_accent="var(--g-accent)",
        block_shadow="none",
        block_radius="12px",
        block_border_width="1px",
        button_large_radius="8px",
        button_small_radius="8px",
        button_medium_radius="8px",
        input_radius="8px",
        input_border_width="1px",
        shadow_drop="none",
        shadow_drop_lg="none",
        block_label_border_width="0px",
        block_label_shadow="none",
        button_border_width="1px",
    )
