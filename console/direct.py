"""A direct job: its reservation and itself in one transaction, so that no crash leaves one without the other."""

from dataclasses import replace
from datetime import timedelta

from core.jobs import Job, NewJob
from core.machine.procfs import this_process
from core.owners import NO_PROCESS
from core.reservations import DEFAULT_EXPIRY
from store.work import Work


def submit_direct(work: Work, new: NewJob, expiry: timedelta = DEFAULT_EXPIRY, *, stays: bool = True) -> Job:
    """Take the next free slot for a job, past the queue; refused as busy while someone else has it.

    A caller who stays and dies gives the slot back; one who goes on purpose keeps it until its time is over.
    """
    me = this_process(work.actor)
    reservation = work.reserve(str(me if stays else replace(me, pid=NO_PROCESS, started=0)), expiry)
    return work.job(work.submit(replace(new, reservation_id=reservation.reservation_id)).id)
