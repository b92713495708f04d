"""A rater's personal link: signed, so that nobody can make one; expiring, and void once revoked."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from grga.errors import StudyError
from grga.manifest import saving_to

DAY = 24 * 3600
ASK = "ask whoever sent it for a new one"


class Links:
    """Makes and reads links with the secret of one home.

    Args:
        secret: Whoever knows it can make links.
    """

    def __init__(self, secret: str) -> None:
        self._serializer = URLSafeTimedSerializer(secret, salt="human-evaluation")

    def token(self, rater: str) -> str:
        """Return the text that stands for ``rater`` in a link. It holds the rater's id and the time."""
        return self._serializer.dumps(rater)

    def rater(self, token: str, days: int) -> str:
        """Return whose link it is.

        Args:
            token: From a link, as somebody sent it.
            days: How long a link works.

        Raises:
            StudyError: it was not made here, was changed, or is too old.
        """
        try:
            rater = self._serializer.loads(token, max_age=days * DAY)
        except SignatureExpired:
            raise StudyError("this link has expired", fix=ASK) from None
        except BadSignature:
            raise StudyError("this link is not valid", fix=ASK) from None
        if not isinstance(rater, str):
            raise StudyError("this link is not valid", fix=ASK)
        return rater


def home_secret(home: Path) -> str:
    """Return the secret of ``home``, made at first use; only its owner may read the file.

    Raises:
        StoreError: the folder cannot be written.
    """
    file = home / "secret.key"
    with saving_to(home):
        home.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return file.read_text("ascii").strip()
        with os.fdopen(handle, "w") as out:
            out.write(secrets.token_urlsafe(32))
    return file.read_text("ascii").strip()
