"""The picture of how cost grows: two small charts as SVG, drawn here because two dozen lines need no library."""

import re
from collections.abc import Sequence

from tests.bench.measure import Line, Result

WIDE, HIGH, EDGE = 420, 240, 46
COLOURS = ("#5aa9e6", "#7fc96b", "#f7768e", "#e0af68", "#bb9af7")


def picture(growth: Sequence[Result], slots: Sequence[Result]) -> str:
    """Cost by the size of the store, and throughput by slots."""
    by_size = _series(growth, r"(?P<name>.*), (?P<at>[\d,]+) jobs")
    by_slots = _series(slots, r"(?P<name>.*), (?P<at>[\d,]+) slots")
    left = _chart("cost against 1,000 jobs", by_size, 1_000, 0)
    right = _chart("throughput against 1 slot", by_slots, 1, WIDE + EDGE)
    size = f'width="{2 * WIDE + 3 * EDGE}" height="{HIGH + 3 * EDGE}"'
    style = "text { font: 12px sans-serif; fill: #c0caf5 }"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>'
        f'<rect width="100%" height="100%" fill="#14181f"/>{left}{right}</svg>\n'
    )


def _series(results: Sequence[Result], pattern: str) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for result in results:
        match = re.fullmatch(pattern, result.what)
        if isinstance(result, Line) and match is not None:
            at = int(match["at"].replace(",", ""))
            found.setdefault(match["name"], []).append((at, result.found.median))
    return found


def _chart(title: str, series: dict[str, list[tuple[int, float]]], first: int, shift: int) -> str:
    """Each step to the right is one more size; each line starts at 1 with the smallest."""
    sizes = sorted({first, *(at for points in series.values() for at, _ in points)})
    top = max(2.0, *(value for points in series.values() for _, value in points))

    def place(at: int, value: float) -> tuple[float, float]:
        return shift + EDGE + sizes.index(at) * WIDE / max(1, len(sizes) - 1), EDGE + HIGH * (1 - value / top)

    parts = [f'<text x="{shift + EDGE}" y="20">{title}</text>']
    for value in (0.0, 1.0, top):
        _, y = place(first, value)
        parts.append(f'<line x1="{shift + EDGE}" x2="{shift + EDGE + WIDE}" y1="{y}" y2="{y}" stroke="#3b4252"/>')
        parts.append(f'<text x="{shift + 4}" y="{y + 4}">{value:.1f}×</text>')
    for size in sizes:
        x, _ = place(size, 0)
        parts.append(f'<text x="{x}" y="{EDGE + HIGH + 18}" text-anchor="middle">{size:,}</text>')
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in [(first, 1.0), *points]))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        across, down = shift + EDGE + number % 3 * 150, EDGE + HIGH + 40 + number // 3 * 18
        parts.append(f'<text x="{across}" y="{down}" style="fill:{colour}">{name}</text>')
    return "".join(parts)
