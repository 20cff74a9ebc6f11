"""One function a worked example: it takes what the page's code made, and gives every number the page shows.

A function `W000_05(seen)` belongs to `docs/examples/W000-05.toml`. It may give a `picture`, a figure of
acumen.render; a
page without one has its numbers drawn as bars.
"""
