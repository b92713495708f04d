"""The model's ears: what ``audio_segment`` cuts out of the recording, heard by a model that can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grga.agent.policies.llm.policy import tokens_of
from grga.agent.policies.llm.prompts import prompt
from grga.agent.tools.audio import Heard
from grga.llm.audio import Samples, hear
from grga.llm.material import block, plain

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

LONGEST_REPORT = 300
"""Tokens for what is heard."""


class Listener:
    """Sends a piece of recording with its measurements to the model and returns what it hears."""

    def __init__(self, client: ChatClient) -> None:
        self.client = client
        self.seconds = client.settings.audio_seconds

    def __call__(self, samples: Samples, question: str, facts: str) -> Heard:
        """Return what the model hears in mono 16 kHz ``samples``, or why it does not.

        Raises:
            ModelServerError: the server failed.
        """
        text, version = prompt("listen")
        user = f"{block('measurements', [plain(facts)])}\n\nListen for what helps with: {question}"
        heard, usage = hear(
            self.client, samples, system=text, user=user, version=version, max_tokens=LONGEST_REPORT
        )
        if heard is not None:
            return Heard(plain(heard), tokens=tokens_of(usage))
        if self.client.settings.audio == "off":
            return Heard(None, "listening is switched off")
        return Heard(None, f"{self.client.model} takes no audio")
