"""Ways to solve one machine: each takes a problem and settings, and hands back a Solution with its certificate."""
