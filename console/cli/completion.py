"""`completion`: the script that teaches a shell to complete jobdeck's words."""

import click
from click.shell_completion import get_completion_class

from console.cli.group import COMPLETE, jobdeck
from console.cli.options import verb
from console.cli.output import line
from core.refusals import BadInput


@verb(
    "completion",
    'eval "$(jobdeck completion bash)"',
    'eval "$(jobdeck completion zsh)"',
    "jobdeck completion fish > ~/.config/fish/completions/jobdeck.fish",
)
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    found = get_completion_class(shell)
    if found is None:
        raise BadInput(f"there is no completion for {shell}")
    script = found(jobdeck, {}, "jobdeck", COMPLETE)
    # Its own method would start a bash to ask for its version, which the reader of this script has already.
    line(script.source_template % script.source_vars())
