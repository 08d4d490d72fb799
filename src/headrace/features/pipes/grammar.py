"""COPY INTO, and the statements about pipes."""

from __future__ import annotations

from headrace.features.pipes import grammar_pipes as pipes
from headrace.features.pipes.grammar_copy import COPY_FORM, read_copy_into
from headrace.sql.parsing.rules import Rule

RULES = (
    Rule("COPY INTO", COPY_FORM, read_copy_into),
    Rule("CREATE PIPE", pipes.CREATE_PIPE_FORM, pipes.read_create),
    Rule("EXPLAIN CREATE PIPE", pipes.CREATE_PIPE_FORM, pipes.read_explain),
    Rule("ALTER PIPE", pipes.ALTER_PIPE_FORM, pipes.read_alter),
    Rule("DROP PIPE", pipes.DROP_PIPE_FORM, pipes.read_drop),
    Rule("DESC PIPE", pipes.DESCRIBE_PIPE_FORM, pipes.read_describe),
    Rule("DESCRIBE PIPE", pipes.DESCRIBE_PIPE_FORM, pipes.read_describe),
    Rule("SHOW PIPES", pipes.SHOW_PIPES_FORM, pipes.read_show),
    Rule("EXECUTE PIPE", pipes.EXECUTE_PIPE_FORM, pipes.read_execute),
)
