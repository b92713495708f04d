"""Durable background jobs: rows in the database, one worker thread, visitors in turn.

A job lives as long as its row. The thread takes the next queued row, runs the work function and
writes down what it reports; page reloads and second windows read the same rows. After a crash the
row still says "running", so the next start queues it again and the work goes on from what it saved.
"""

from grga.jobs.files import safe_name
from grga.jobs.queue import STOPPING, JobQueue, Known, Report, Work
from grga.jobs.table import Job, JobNote, JobState, Outcome

__all__ = [
    "STOPPING",
    "Job",
    "JobNote",
    "JobQueue",
    "JobState",
    "Known",
    "Outcome",
    "Report",
    "Work",
    "safe_name",
]
