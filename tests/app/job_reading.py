"""Looking at a job's screen."""

from console.app.screens.job import JobScreen
from tests.app.conftest import Console


async def opened(at: Console, job: int, tab: str = "facts") -> JobScreen:
    """The job's screen, once the job has been read."""
    at.app.open_job(job, tab)
    await at.until(lambda: isinstance(at.screen, JobScreen) and at.screen.sight is not None, "the job is open")
    assert isinstance(at.screen, JobScreen)
    await at.pilot.pause()
    return at.screen


async def shows(at: Console, *words: str) -> None:
    """Wait until all of this is on the terminal, be it folded there or not."""
    for one in words:
        await at.until(lambda one=one: one in at.text or one in " ".join(at.text.split()), f"it shows {one}")  # type: ignore[misc]


async def on(at: Console, tab: str) -> None:
    """Wait until that tab is open and has the focus."""

    def holds() -> bool:
        screen = at.screen
        return isinstance(screen, JobScreen) and screen.tab == tab and screen.tabs[tab].has_focus_within

    await at.until(holds, f"{tab} is open")
