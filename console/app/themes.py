"""The colours: dark and light, one for eyes that don't tell red from green, one without any colour."""

from textual.theme import Theme

_STATUS_DARK = {
    "status-queued": "#8fb8de",
    "status-running": "#5aa9e6",
    "status-waiting": "#d29bfd",
    "status-retrying": "#f2c14e",
    "status-succeeded": "#7bc86c",
    "status-failed": "#f2777a",
    "muted": "#8792a2",
}

DARK = Theme(
    name="deck-dark",
    primary="#5aa9e6",
    secondary="#8fb8de",
    accent="#f2c14e",
    warning="#f2c14e",
    error="#f2777a",
    success="#7bc86c",
    foreground="#d8dee9",
    background="#14181f",
    surface="#1a2029",
    panel="#222a35",
    dark=True,
    variables={
        **_STATUS_DARK,
        "block-cursor-background": "#2f4a66",
        "block-cursor-foreground": "#ffffff",
        "border": "#5aa9e6",
        "border-blurred": "#3a4454",
    },
)
LIGHT = Theme(
    name="deck-light",
    primary="#1f6fb2",
    secondary="#4a6a8a",
    accent="#a35c00",
    warning="#a35c00",
    error="#b3261e",
    success="#2e7d32",
    foreground="#1c2530",
    background="#fafbfc",
    surface="#f0f3f6",
    panel="#e4e9ee",
    dark=False,
    variables={
        "status-queued": "#3a6186",
        "status-running": "#1f6fb2",
        "status-waiting": "#7b2fb5",
        "status-retrying": "#8a5300",
        "status-succeeded": "#2e7d32",
        "status-failed": "#b3261e",
        "muted": "#5f6b78",
        "block-cursor-background": "#bcd8f0",
        "block-cursor-foreground": "#0d1620",
        "border": "#1f6fb2",
        "border-blurred": "#b8c2cc",
    },
)
# The colours of Okabe and Ito, which differ in lightness as well as in hue.
COLOUR_BLIND = Theme(
    name="deck-colour-blind",
    primary="#56b4e9",
    secondary="#56b4e9",
    accent="#f0e442",
    warning="#e69f00",
    error="#d55e00",
    success="#009e73",
    foreground="#e8e8e8",
    background="#101010",
    surface="#181818",
    panel="#222222",
    dark=True,
    variables={
        "status-queued": "#bbbbbb",
        "status-running": "#56b4e9",
        "status-waiting": "#f0e442",
        "status-retrying": "#e69f00",
        "status-succeeded": "#009e73",
        "status-failed": "#d55e00",
        "muted": "#9a9a9a",
        "block-cursor-background": "#0072b2",
        "block-cursor-foreground": "#ffffff",
        "border": "#56b4e9",
        "border-blurred": "#444444",
    },
)
MONOCHROME = Theme(
    name="deck-monochrome",
    primary="#ffffff",
    secondary="#cccccc",
    accent="#ffffff",
    warning="#ffffff",
    error="#ffffff",
    success="#ffffff",
    foreground="#dddddd",
    background="#000000",
    surface="#101010",
    panel="#1c1c1c",
    dark=True,
    variables={
        **dict.fromkeys(_STATUS_DARK, "#dddddd"),
        "muted": "#999999",
        "block-cursor-background": "#dddddd",
        "block-cursor-foreground": "#000000",
        "border": "#ffffff",
        "border-blurred": "#666666",
    },
)

THEMES = (DARK, LIGHT, COLOUR_BLIND, MONOCHROME)
NAMES = {theme.name.removeprefix("deck-"): theme.name for theme in THEMES}
"""What they are called in the config and in commands."""
