"""The rules: states, order, retries, gates and time. Knows no database and no screen."""
