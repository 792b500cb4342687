"""The schema's history, one Alembic revision per version."""
