"""The state diagrams and tables of this package's README, made from the transition tables."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from core.executions import EXEC_EDGES, ExecEdge
from core.transitions import EDGES, Edge

README = Path(__file__).with_name("README.md")

_OUTSIDE = "[*]"
"""How mermaid writes where a diagram begins and ends."""


def job_diagram() -> str:
    """A job's states as a mermaid diagram."""
    return _diagram(EDGES)


def execution_diagram() -> str:
    """An execution's states as a mermaid diagram."""
    return _diagram(EXEC_EDGES)


def job_table() -> str:
    """A job's steps as a markdown table."""
    rows = (
        (_name(edge), edge.target, edge.verb, ", ".join(sorted(who.value for who in edge.by)), edge.words)
        for edge in EDGES
    )
    return _table(("from", "to", "verb", "who", "words"), rows)


def execution_table() -> str:
    """An execution's steps as a markdown table."""
    rows = ((_name(edge), edge.target, edge.verb, edge.words) for edge in EXEC_EDGES)
    return _table(("from", "to", "verb", "words"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "job states": job_diagram,
    "job steps": job_table,
    "execution states": execution_diagram,
    "execution steps": execution_table,
}


def rewritten(text: str) -> str:
    """A page with every marked block made anew; the marks must all be there, once each."""
    for name, make in BLOCKS.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        around = re.split(f"{re.escape(begin)}\n.*?{re.escape(end)}", text, flags=re.DOTALL)
        if len(around) != 2:
            raise ValueError(f'the page has {len(around) - 1} blocks marked "{name}"; it needs one')
        text = f"{begin}\n{make()}\n{end}".join(around)
    return text


def _diagram(edges: Iterable[Edge | ExecEdge]) -> str:
    edges = tuple(edges)
    sources = {edge.source for edge in edges}
    steps = [f"    {edge.source or _OUTSIDE} --> {edge.target} : {edge.verb}" for edge in edges]
    ends = dict.fromkeys(edge.target for edge in edges if edge.target not in sources)
    return "\n".join(["```mermaid", "stateDiagram-v2", *steps, *(f"    {end} --> {_OUTSIDE}" for end in ends), "```"])


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _name(edge: Edge | ExecEdge) -> str:
    return edge.source or "–"


def main() -> None:
    """Bring the README up to date."""
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
