"""Every operation that changes the store, gathered from the file of its duty."""

from store.operations.cancelling import Cancelling
from store.operations.claiming import Claiming
from store.operations.firing import Firing
from store.operations.gates import Gates
from store.operations.leading import Leading
from store.operations.linking import Linking
from store.operations.ordering import Ordering
from store.operations.pruning import Pruning
from store.operations.recovery import Recovery
from store.operations.reporting import Reporting
from store.operations.reservations import Reservations
from store.operations.schedules import Schedules
from store.operations.submitting import Submitting
from store.operations.templates import Templates
from store.operations.watching import Watching
from store.views.setup import SetupViews


class Work(
    Recovery,
    Reporting,
    Claiming,
    Gates,
    Firing,
    Schedules,
    Templates,
    Linking,
    Cancelling,
    Ordering,
    Submitting,
    Reservations,
    Pruning,
    Leading,
    Watching,
    SetupViews,
):
    """A transaction that changes things."""
