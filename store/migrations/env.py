"""Alembic's entry point: runs on the connection and the transaction that `store.migrate` hands in."""

from alembic import context

from store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # One transaction, held by the caller: a crash leaves the old schema whole.
    transactional_ddl=False,
)
context.run_migrations()
