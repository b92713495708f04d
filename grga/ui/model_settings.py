"""The visitor's own model: where it answers, whether it works, and from when on it is used.

The server's address and key live in this visit's session; nothing of them is logged or written to disk.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.errors import ConfigError, GrgaError, ModelServerError
from grga.llm.failures import KeyRefusedError, NoServerError, RefusedRequestError
from grga.llm.probe import Finding, probe
from grga.ui.model_server import LONGEST, ModelServer
from grga.ui.render import join, notice, seconds_text
from grga.ui.services import Services
from grga.ui.texts import t, ui
from grga.ui.theme import pane

log = logging.getLogger("grga.ui")

PRESETS = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "OpenAI": "https://api.openai.com/v1",
}
LISTED = 200


@dataclass(frozen=True)
class ModelSettings:
    """The panel, and ``state``: the :class:`ModelServer` to answer with, None for the host's own way."""

    panel: gr.Accordion
    state: gr.State


def build(services: Services, state: gr.State | None = None) -> ModelSettings:
    """Lay out the panel where it is called, and wire it; ``state`` is given if it stands elsewhere already."""
    state = state or gr.State(None)
    allowed = services.clients.allowed
    with gr.Accordion(ui("Model"), open=False, elem_id="model-settings") as panel:
        now = pane(lambda: _now(services, None), elem_id="model-now")
        pane(lambda: f'<p class="g-hint">{_about(allowed)}</p>')
        with gr.Column(visible=allowed):
            preset = gr.Radio(
                list(PRESETS.items()),
                label=ui("Start from"),
                elem_id="model-preset",
            )
            with gr.Row():
                address = gr.Textbox(
                    label=ui("Address"),
                    placeholder="http://127.0.0.1:8000/v1",
                    max_length=LONGEST,
                    lines=1,
                    scale=3,
                    min_width=220,
                    elem_id="model-address",
                )
                model = gr.Dropdown(
                    [],
                    label=ui("Model name"),
                    allow_custom_value=True,
                    scale=3,
                    min_width=180,
                    elem_id="model-name",
                )
                key = gr.Textbox(
                    label=ui("Key, if it needs one"),
                    type="password",
                    max_length=LONGEST,
                    lines=1,
                    scale=2,
                    min_width=160,
                    elem_id="model-key",
                    html_attributes=gr.InputHTMLAttributes(autocomplete="off"),
                )
            with gr.Row():
                test = gr.Button(ui("Test"), size="sm", scale=0, min_width=96, elem_id="model-test")
                use = gr.Button(
                    ui("Use it"), size="sm", variant="primary", scale=0, min_width=96, elem_id="model-use"
                )
                leave = gr.Button(ui("Do without"), size="sm", scale=0, min_width=96, elem_id="model-leave")
            said = pane(elem_id="model-said")

    # --- what happens ----------------------------------------------------------------------------

    def names(address: str, key: str) -> Any:
        """List the models as soon as there is an address; the test says what is wrong with it."""
        try:
            return gr.update(choices=services.client(_server(address, "", key)).offered()[:LISTED])
        except GrgaError:
            return gr.update(choices=[])

    def test_it(address: str, model: str | None, key: str) -> Iterator[tuple[str, Any]]:
        server = _server(address, model, key)
        for lines, offered in try_out(services, server):
            if not offered:
                yield lines, gr.skip()
            elif len(offered) == 1 and not server.model:
                yield lines, gr.update(choices=list(offered), value=offered[0])
            else:
                yield lines, gr.update(choices=list(offered[:LISTED]))

    def use_it(address: str, model: str | None, key: str) -> tuple[Any, str, str]:
        server = _server(address, model, key)
        try:
            # Whoever names no model means the only one there is.
            server = ModelServer(server.base_url, services.client(server).model, server.api_key)
        except (ConfigError, ModelServerError) as error:
            return gr.skip(), gr.skip(), _problem(error, server)
        return server, _now(services, server), ""

    def leave_it() -> tuple[None, str, str]:
        return None, _now(services, None), ""

    # --- wiring ----------------------------------------------------------------------------------

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    given = [address, model, key]
    preset.input(lambda chosen: chosen, preset, address, **quiet).then(names, [address, key], model, **quiet)
    address.blur(names, [address, key], model, **quiet)
    test.click(test_it, given, [said, model], **quiet)
    use.click(use_it, given, [state, now, said], **quiet)
    leave.click(leave_it, None, [state, now, said], **quiet)
    return ModelSettings(panel, state)


def try_out(services: Services, server: ModelServer) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is known of ``server`` so far, as lines for people, and the models that it offers."""
    yield notice(t("Trying…"), "plain"), ()
    lines: list[str] = []
    try:
        for finding in probe(services.client(server)):
            lines.append(_line(finding, server))
            yield join(lines), finding.models
    except GrgaError as error:
        yield join([*lines, notice(str(error))]), ()
    except Exception:  # a bug of ours must not show a traceback; the log has it
        log.exception("the model server could not be tried")
        said = t("Something went wrong; the server's log has the details.")
        yield join([*lines, notice(said)]), ()


def _server(address: str, model: str | None, key: str) -> ModelServer:
    return ModelServer(address.strip().rstrip("/"), (model or "").strip(), key.strip())


def _about(allowed: bool) -> str:
    if not allowed:
        return t("The host of this page takes no model servers from visitors.")
    return t(
        "Any server that speaks the OpenAI protocol. This machine calls it, not your browser. The key is kept "
        "for this visit only and never written down."
    )


def _now(services: Services, server: ModelServer | None) -> str:
    """Say what answers at present."""
    if server:
        said = t("Answers come from {model} at {address} until you leave this page.", **_names(server))
        return notice(said, "ok")
    agent, llm = services.config.agent, services.config.llm
    if agent.policy == "llm":
        return notice(t("The host's model answers: {model}.", model=llm.model or llm.base_url), "plain")
    return notice(t("Fixed rules answer, without a model."), "plain")


def _names(server: ModelServer) -> dict[str, str]:
    return {"model": server.model, "address": server.base_url}


def _line(finding: Finding, server: ModelServer) -> str:
    """Return one calm line about a finding, with what to do where something fails."""
    if finding.about == "models":
        return _models_line(finding, server)
    if finding.about == "reply":
        if finding.error:
            return _problem(finding.error, server)
        return notice(t("It replies: {time} to the first word.", time=seconds_text(finding.seconds)), "ok")
    if finding.about == "schema":
        if not finding.ok:
            return notice(t("It gives no usable typed reply: choose a larger model."), "warn")
        if finding.way == "json_schema":
            return notice(t("The server holds replies to their form (json_schema)."), "ok")
        return notice(
            t("The form of replies is asked for in words, because the server has no json_schema."), "ok"
        )
    if finding.ok:
        return notice(t("It hears: pieces of the recording are sent to it."), "ok")
    return notice(t("It does not hear: it gets measurements of the voices instead of sound."), "plain")


def _models_line(finding: Finding, server: ModelServer) -> str:
    if isinstance(finding.error, RefusedRequestError):
        if finding.ok:
            return notice(t("The server lists no models; the name is tried as it stands."), "plain")
        return notice(t("The server lists no models: type the name of one."), "warn")
    if finding.error:
        return _problem(finding.error, server)
    number, shown = len(finding.models), ", ".join(finding.models[:8])
    if finding.ok:
        return notice(t("The server answers and offers {shown}.", shown=shown), "ok")
    if not number:
        return notice(t("The server answers but offers no model: load one there first."), "warn")
    if server.model:
        said = t("The server does not list {model}; it offers {shown}.", model=server.model, shown=shown)
        return notice(said, "warn")
    return notice(t("The server offers several models ({shown}): choose one above.", shown=shown), "warn")


def _problem(error: GrgaError, server: ModelServer) -> str:
    if isinstance(error, NoServerError):
        said = t(
            "Nothing answers at {address}: check the address, and that the server runs.", **_names(server)
        )
    elif isinstance(error, KeyRefusedError):
        said = t("The server refuses the key: paste the right one, or none if it needs none.")
    elif isinstance(error, RefusedRequestError) and error.status == 404:
        said = t("The server does not know the model {model}: choose one that it offers.", **_names(server))
    else:
        said = str(error)
    return notice(said)
