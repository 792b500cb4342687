"""Everything that can be read, gathered from the file of its subject."""

from store.views.chains import ChainViews
from store.views.counting import MOST_COUNTED
from store.views.flow import FlowViews
from store.views.history import HistoryViews
from store.views.listing import ListViews
from store.views.measures import MeasureViews
from store.views.outbox import OutboxViews
from store.views.passing import Passing, PassingViews
from store.views.planned import PlannedViews
from store.views.pruning import PrunableViews
from store.views.queue import QueueViews
from store.views.setup import SetupViews
from store.views.usual import UsualViews
from store.views.values import (
    Chain,
    FinishedKey,
    Link,
    Listener,
    NextEvent,
    OutboxCounts,
    Paused,
    QueueKey,
    QueueRow,
    RecoveryReport,
    RunningJob,
    WholeJob,
    Window,
)
from store.views.whole import WholeViews

__all__ = [
    "MOST_COUNTED",
    "Chain",
    "FinishedKey",
    "Link",
    "Listener",
    "NextEvent",
    "OutboxCounts",
    "Passing",
    "Paused",
    "QueueKey",
    "QueueRow",
    "RecoveryReport",
    "RunningJob",
    "Views",
    "WholeJob",
    "Window",
]


class Views(
    QueueViews,
    PassingViews,
    ListViews,
    WholeViews,
    ChainViews,
    HistoryViews,
    PlannedViews,
    FlowViews,
    UsualViews,
    OutboxViews,
    PrunableViews,
    SetupViews,
    MeasureViews,
):
    """A transaction that reads."""
