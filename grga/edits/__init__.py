"""What people correct in a finished meeting: an append-only history that lies over what was recognised.

Edits are no input of any stage. ``edits.jsonl`` in the meeting's folder holds them, one JSON line each; a
recognition that is run again finds names, title and tags in place, and leaves corrections of lines that no
longer exist to the history.
"""

from grga.edits.apply import Known, applied, facts_added
from grga.edits.kinds import (
    Edit,
    EditRecord,
    EditText,
    Merge,
    Reassign,
    Rename,
    SetTags,
    SetTitle,
    cleaned,
)
from grga.edits.log import FILE, EditLog, Line, redoable
from grga.edits.overlay import Draft, Overlay

__all__ = [
    "FILE",
    "Draft",
    "Edit",
    "EditLog",
    "EditRecord",
    "EditText",
    "Known",
    "Line",
    "Merge",
    "Overlay",
    "Reassign",
    "Rename",
    "SetTags",
    "SetTitle",
    "applied",
    "cleaned",
    "facts_added",
    "redoable",
]
