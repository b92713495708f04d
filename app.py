"""The app: reads settings, builds the services, mounts the four tabs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from functools import partial
from pathlib import Path

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # Gradio reads it when imported

import gradio as gr
from filelock import FileLock, Timeout
from starlette.middleware import Middleware

from annotation.ui import annotate_tab, script
from annotation.ui.desk import Desk
from annotation.ui.from_ask import take_over
from annotation.ui.routes import routes as annotate_routes
from eval.ui import evaluate_tab
from eval.ui import script as evaluate_script
from eval.ui.rater_page import RaterLink
from eval.ui.routes import routes as evaluate_routes
from eval.ui.studies import Studies
from grga import backup, samples
from grga.config import Config, load_config
from grga.errors import GrgaError
from grga.paths import assets
from grga.ui import api, ask_tab, guard, mcp, meetings_tab, model_settings, theme
from grga.ui.model_server import is_public
from grga.ui.routes import routes
from grga.ui.services import Services
from grga.ui.texts import catalogue, ui
from grga.ui.visitors import VisitorCookie


def build(services: Services, desk: Desk, studies: Studies) -> gr.Blocks:
    """Return the page with its four tabs; Annotate works with ``desk``, Evaluate with ``studies``."""
    page = gr.Blocks(title="GRGA", analytics_enabled=False, delete_cache=(3600, 24 * 3600))
    with page:
        theme.pane('<h1 class="g-logo">GRGA<i>.</i></h1>', elem_id="brand")
        with gr.Tabs(selected="ask", elem_classes="g-tabs") as tabs:
            with gr.Tab(ui("Meetings"), id="meetings"):
                meetings = meetings_tab.build(services, page)
            with gr.Tab(ui("Ask"), id="ask") as ask:
                model = gr.State(None)
                ask_tab.build(services, page, ask, tabs, meetings, model)
                with gr.Column(elem_classes="g-page"):
                    model_settings.build(services, model)
            with gr.Tab(ui("Annotate"), id="annotate") as annotate:
                annotate_tab.build(desk, page, annotate, model)
            with gr.Tab(ui("Evaluate"), id="evaluate") as evaluate:
                evaluate_tab.build(studies, page, evaluate)
        api.register(services)
    api.hide_others(page)
    return page


def settings(arguments: list[str] | None = None) -> tuple[Config, argparse.Namespace]:
    """Return the settings and the command line's own values."""
    parser = argparse.ArgumentParser(description="Ask long meetings questions and hear the evidence.")
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1; 0.0.0.0 on a Space)")
    parser.add_argument("--port", type=int, help="port (default: the first free one from 7860)")
    parser.add_argument("--home", type=Path, help="folder of meetings, jobs and history")
    parser.add_argument("--config", type=Path, help="TOML file with settings")
    parser.add_argument("--profile", help="models that go together: embedded or full (default embedded)")
    given = parser.parse_args(arguments)
    try:
        return load_config(given.config, overrides={"home": given.home, "profile": given.profile}), given
    except GrgaError as error:
        parser.error(str(error))


def main() -> None:
    """Start the job queue and serve until interrupted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # a host's way to stop: tidy up as for Ctrl+C
    config, given = settings()
    lock = FileLock(config.home / ".app.lock", timeout=0)
    try:
        services = Services.open(config, public=is_public(given.host))
        # A second app would take the first one's running job for one that a crash left behind.
        lock.acquire()
        copies = backup.starting(config.home, config.backup, print)
        samples.install(services.store)
        desk = Desk.open(services)
        studies = Studies.open(services)
    except GrgaError as error:
        sys.exit(f"grga: {error}")
    except Timeout:
        sys.exit(f"grga: an app is running on {config.home} already: open it, or choose another --home")
    services.send_to_annotate = partial(take_over, desk)
    page = build(services, desk, studies)
    page.queue(default_concurrency_limit=8)
    try:
        _, address, _ = page.launch(
            server_name=given.host,
            server_port=given.port,
            theme=theme.theme(),
            head=theme.HEAD,
            max_file_size=config.preprocess.max_megabytes * 1024**2,
            app_kwargs={
                "routes": [
                    *routes(services, [script(), evaluate_script()]),
                    *annotate_routes(desk),
                    *evaluate_routes(studies),
                ],
                "middleware": [Middleware(RaterLink), Middleware(VisitorCookie), Middleware(guard.Guard)],
            },
            i18n=catalogue(),
            favicon_path=assets() / "style" / "favicon.png",
            footer_links=[],
            run_history=False,
            ssr_mode=False,
            enable_monitoring=False,
            quiet=True,
            prevent_thread_lock=True,
            mcp_server=mcp.available(),
            auth=guard.pairs(config.ui.auth),
        )
    except OSError:  # the port is taken, or the host is not one of this machine's
        where = f"{given.host or '127.0.0.1'}, port {given.port or '7860 to 7959'}"
        sys.exit(f"grga: the app cannot listen on {where}: choose another --port or --host")
    mcp.answer_in_json(page)
    services.jobs.start()
    if copies is not None:
        copies.start()
    if not mcp.available():
        print("No MCP tools: the package mcp is not installed", flush=True)
    print(f"GRGA is ready at {address}", flush=True)
    try:
        page.block_thread()
    finally:
        desk.generating.close()
        services.jobs.close()
        if copies is not None:
            copies.close()


if __name__ == "__main__":
    main()
