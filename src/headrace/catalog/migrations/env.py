"""Run by Alembic with the connection that headrace.catalog.migrate hands over."""

from alembic import context

from headrace.catalog.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
