"""Statements that reach outside the lake: code, files and settings of the machine that runs them.

The text is judged by its tokens alone, wherever in a statement they stand: below EXPLAIN, in subqueries,
blocks, views, definitions and tasks. What only running it would tell is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from headrace.errors import Refused, SqlSyntaxError
from headrace.features.connections.grammar import CreateConnection
from headrace.features.pipes.grammar_copy import CopyInto
from headrace.features.pipes.grammar_pipes import CreatePipe, ExplainCreatePipe
from headrace.features.pipes.model import Copy, FileSource, KafkaSource
from headrace.features.tasks.grammar import CreateTask
from headrace.features.volumes.grammar import CreateVolume
from headrace.model.quoting import quote_identifier
from headrace.model.task import TaskKind
from headrace.sql.parsed import ParsedStatement
from headrace.sql.sandbox.sandbox_context import Grounds, SandboxContext, closing_parentheses, context_of
from headrace.sql.sandbox.sandbox_paths import is_reader, names_file
from headrace.sql.sandbox.sandbox_settings import may_set, may_set_for_cluster, names_place, properties
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.lexer import Kind, Token, Tokens, tokenize, words_of
from headrace.sql.tokens.positions import Span, place_of
from headrace.sql.tokens.split import split
from headrace.sql.tokens.targets import after_explain, after_parentheses, literal_value, read_target

OUTSIDE_HINT = "allow_outside = true in lake.toml permits it, on a lake whose users are all trusted"
_RESOURCES = frozenset({"archive", "archives", "file", "files", "jar", "jars"})
_CALLING = frozenset({"java_method", "reflect", "try_reflect", "from_protobuf", "to_protobuf"})
_MARKERS = ("?", ":")
_OF_HIVE = frozenset({("STORED", "AS"), ("STORED", "BY"), ("ROW", "FORMAT")})
_SHARED = frozenset({"spark_catalog", "global_temp"})
_LONGEST_NAME = 64
"""Tokens of a name, or of IDENTIFIER() with a literal."""
_LONGEST_CALL = 500
"""Tokens of CALL with its arguments that are looked at."""
_VIEW_WITHIN = 6
"""CREATE OR REPLACE GLOBAL TEMPORARY VIEW."""
PROCEDURES = frozenset(
    {
        *("ancestors_of", "cherrypick_snapshot", "compute_partition_stats", "compute_table_stats"),
        *("create_changelog_view", "expire_snapshots", "fast_forward", "publish_changes"),
        *("remove_orphan_files", "rewrite_data_files", "rewrite_manifests"),
        *("rewrite_position_delete_files", "rollback_to_snapshot", "rollback_to_timestamp"),
        "set_current_snapshot",
    }
)
"""Those that take no path."""
_ORPHAN_PLACES = frozenset({"location", "file_list_view"})
_ORPHAN_ARGUMENTS = 2
"""The third one of remove_orphan_files is a path."""

_RELATION_FOLLOWS = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "DESC", "DESCRIBE", "USING"})

Found = tuple[str, Span]


def refuse_outside(statement: ParsedStatement, grounds: Grounds) -> None:
    """What only a trusted user may run."""
    found = next(_reaching(statement, grounds), None)
    if found is not None:
        what, span = found
        place = place_of(statement.text, span)
        raise Refused(f"{what} reaches outside the lake", hint=OUTSIDE_HINT, place=place)


def _reaching(statement: ParsedStatement, grounds: Grounds) -> Iterator[Found]:
    tokens = _named_plainly(after_explain(statement.tokens))
    if words_of(tokens[:1]) == ["COPY"] or words_of(tokens[:2]) == ["CREATE", "PIPE"]:
        yield from _copy(statement, grounds)
        return
    if words_of(tokens[:2]) == ["CREATE", "CONNECTION"]:
        yield from _connection(statement, grounds)
        return
    if "VOLUME" in words_of(tokens[1:3]) and isinstance(statement.node, CreateVolume):
        yield from _volume(statement.node, grounds)
        return
    task = statement.node if "TASK" in words_of(tokens[1:4]) else None
    if isinstance(task, CreateTask):
        yield from _task(task, grounds)
        return
    yield from _variable(statement.text)
    yield from _first_words(tokens)
    context = context_of(tokens, grounds)
    for index in range(len(tokens)):
        for rule in RULES:
            yield from rule(tokens, index, context)
    yield from _properties(tokens, grounds)


def _named_plainly(tokens: Tokens) -> Tokens:
    """``IDENTIFIER('a.b')`` as the name it is."""
    plain: list[Token] = []
    closing = closing_parentheses(tokens)
    index = 0
    while index < len(tokens):
        is_clause = tokens[index].upper == "IDENTIFIER" and words_of(tokens[index + 1 : index + 2]) == ["("]
        end = closing[index + 1] if is_clause else 0
        literal = literal_value(_strings_at(tokens, index + 2)) if end else None
        parts = dotted_parts(literal) if literal is not None else None
        if parts is not None and index + 2 + len(_strings_at(tokens, index + 2)) == end - 1:
            span = tokens[index].span.to(tokens[end - 1].span)
            for number, part in enumerate(parts):
                plain += [Token(Kind.SYMBOL, ".", span)] * (number > 0)
                plain.append(Token(Kind.QUOTED, quote_identifier(part), span))
            index = end
        else:
            plain.append(tokens[index])
            index += 1
    return tuple(plain)


def _task(task: CreateTask, grounds: Grounds) -> Iterator[Found]:
    """Its own variables are Headrace's: each run is judged again with their values."""
    if task.body.kind is TaskKind.PYTHON:
        yield "a task in Python", task.body.span
        return
    for inner in split(task.body.text.replace("${", "{")):
        yield from ((what, task.body.span) for what, _ in _reaching(ParsedStatement.of(inner), grounds))


def _connection(statement: ParsedStatement, grounds: Grounds) -> Iterator[Found]:
    """Who creates a connection chooses the server that is read; all other statements name the connection."""
    node = statement.node
    if isinstance(node, CreateConnection):
        port = node.port or node.type.default_port
        address = f"{node.host}:{port}" if node.url is None else node.url
        if address not in grounds.databases:
            yield f"CREATE CONNECTION to {address}", node.name.span


def _volume(volume: CreateVolume, grounds: Grounds) -> Iterator[Found]:
    """What is read from it is checked again, as others may have created it."""
    if not grounds.holds_file(volume.location.text):
        yield f"CREATE VOLUME at '{volume.location.text}'", volume.location.span


def _copy(statement: ParsedStatement, grounds: Grounds) -> Iterator[Found]:
    """The files that it reads; its query is judged like any other."""
    match statement.node:
        case CopyInto(copy) | CreatePipe(copy=copy) | ExplainCreatePipe(CreatePipe(copy=copy)):
            yield from _copied(copy, grounds)
        case _:
            yield "COPY", statement.tokens[0].span


def _copied(copy: Copy, grounds: Grounds) -> Iterator[Found]:
    source = copy.source
    if isinstance(source, FileSource) and not grounds.holds_file(source.path.text):
        yield f"COPY INTO FROM '{source.path.text}'", source.span
    if isinstance(source, KafkaSource) and not grounds.holds_brokers(source.servers):
        yield f"read_kafka('{source.servers}')", source.span
    if copy.query is not None:
        query = ParsedStatement(copy.query.reading("source").text)
        yield from ((what, source.span) for what, _ in _reaching(query, grounds))


def _read_kafka(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """In a SELECT; the servers must be a literal."""
    if words_of(tokens[index : index + 2]) != ["READ_KAFKA", "("]:
        return
    named = words_of(tokens[index + 2 : index + 4]) == ["BOOTSTRAP_SERVERS", "=>"]
    servers = literal_value(_strings_at(tokens, index + (4 if named else 2)))
    if servers is None or not context.grounds.holds_brokers(servers):
        yield f"read_kafka({servers or ''!r})", tokens[index].span


def _variable(text: str) -> Iterator[Found]:
    """Spark would put the value of a setting or of an environment variable there before it reads the text."""
    if (start := text.find("${")) >= 0:
        yield "${...}, a variable of Spark,", Span(start, start + 2)


def _first_words(tokens: Tokens) -> Iterator[Found]:
    words = words_of(tokens[:2])
    if words[:1] == ["SET"]:
        yield from _setting(tokens)


def _setting(tokens: Tokens) -> Iterator[Found]:
    following = words_of(tokens[1:3])
    if not following or following == ["-", "V"]:
        yield "SET without a name, which lists all settings,", tokens[0].span
        return
    if following[0] in ("VAR", "VARIABLE", "CATALOG", "ROLE") or following == ["TIME", "ZONE"]:
        return
    end = next((at for at, token in enumerate(tokens) if token.upper in ("=", "==")), len(tokens))
    key = "".join(token.value for token in tokens[1:end])
    if key and not key.startswith("(") and not may_set(key):
        yield f"the setting {key}", tokens[1].span.to(tokens[end - 1].span)


def _resource(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    is_start = index == 0 or context.is_block
    if is_start and tokens[index].upper in ("ADD", "LIST") and index + 1 < len(tokens):
        following = tokens[index + 1]
        if following.is_name and following.value.lower() in _RESOURCES:
            yield f"{tokens[index].upper} {following.value.upper()}", tokens[index].span.to(following.span)


def _hint(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """To Spark a hint is made of tokens, to us it is one: its end must be the same for both."""
    token = tokens[index]
    if token.kind is not Kind.HINT:
        return
    inside = token.text[3:-2]
    try:
        tokenize(inside)
    except SqlSyntaxError:
        yield "a hint with an open quote", token.span
        return
    if "--" in inside or "/*" in inside:
        yield "a hint with a comment", token.span


def _load(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    words = words_of(tokens[index : index + 4])
    if words[:3] == ["LOAD", "DATA", "INPATH"] or words == ["LOAD", "DATA", "LOCAL", "INPATH"]:
        yield "LOAD DATA", tokens[index].span.to(tokens[index + 1].span)


def _call_of_code(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    token = tokens[index]
    if not token.is_name or words_of(tokens[index + 1 : index + 2]) != ["("]:
        return
    if token.value.lower() in _CALLING and not _is_new_name(tokens, index):
        yield f"{token.value.lower()}()", token.span
    if token.upper == "IDENTIFIER":
        end = context.closing[index + 1]
        if context.grounds.directories or words_of(tokens[end : end + 1]) in (["("], ["."]):
            yield "IDENTIFIER() with an argument that is not a literal", token.span


def _is_new_name(tokens: Tokens, index: int) -> bool:
    """Of a table with a list of columns behind it."""
    before = words_of(tokens[max(0, index - 2) : index])
    return before[-1:] in (["INTO"], ["TABLE"], ["VIEW"]) or before == ["NOT", "EXISTS"]


def _program(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """``TRANSFORM (a) USING 'program'``, and MAP and REDUCE, which are other words for it."""
    script = context.script if context.script_at < index else None
    if script is not None and tokens[index].upper == "USING" and _is_text(tokens, index + 1):
        yield f"{script.upper} ... USING", script.span


def _function(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """A SQL function has its parameters in parentheses; one from a class has none."""
    if tokens[index].upper != "FUNCTION":
        return
    if words_of(tokens[index - 1 : index]) not in (["CREATE"], ["REPLACE"], ["TEMPORARY"], ["TEMP"]):
        return
    name = index + (4 if words_of(tokens[index + 1 : index + 4]) == ["IF", "NOT", "EXISTS"] else 1)
    _, _, rest = read_target(tokens[name : name + _LONGEST_NAME], tokens[index].span)
    if words_of(rest[:1]) != ["("]:
        yield "a function from a class", tokens[index].span


def _jar(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    if words_of(tokens[index : index + 1]) == ["USING"] and index + 2 < len(tokens):
        resource = tokens[index + 1]
        if resource.is_name and resource.value.lower() in _RESOURCES and _is_text(tokens, index + 2):
            yield f"USING {resource.value.upper()}", tokens[index].span.to(resource.span)


def _directory(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    words = words_of(tokens[index : index + 3])
    if words[:1] != ["OVERWRITE"] or "DIRECTORY" not in words[1:]:
        return
    at = index + words.index("DIRECTORY")
    if _is_text(tokens, at + 1) or words_of(tokens[at + 1 : at + 2]) == ["USING"]:
        yield "INSERT OVERWRITE DIRECTORY", tokens[index].span.to(tokens[at].span)


def _location(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    if tokens[index].upper != "LOCATION" or not context.makes(index):
        return
    following = tokens[index + 1 : index + 2]
    literal = literal_value(_strings_at(tokens, index + 1))
    given = words_of(following) and words_of(following)[0] in _MARKERS and not context.in_query[index]
    if given or (literal is not None and not context.grounds.holds_table(literal)):
        yield "LOCATION", tokens[index].span


def _file(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """``parquet.`/path```, with the format under any of its names."""
    is_start = index == 0 or tokens[index - 1].upper != "."
    if not (is_start and tokens[index].is_name and words_of(tokens[index + 1 : index + 2]) == ["."]):
        return
    name, span, _ = read_target(tokens[index : index + _LONGEST_NAME], tokens[index].span)
    if name is None or len(name) != 2:
        return
    before = words_of(tokens[max(0, index - 1) : index])
    is_relation = bool(_RELATION_FOLLOWS & set(before))
    is_path = names_file(name) and (is_relation or is_reader(name[0]))
    could_be = bool(context.grounds.directories) and is_reader(name[0]) and (is_relation or before == [","])
    if (is_path or could_be) and not context.grounds.holds_file(name[1]):
        yield f"{name[0]}.`path`", span


def _foreign_format(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    if tokens[index].upper != "USING" or not context.makes(index) or context.in_query[index]:
        return
    name, span, _ = read_target(tokens[index + 1 : index + 1 + _LONGEST_NAME], tokens[index].span)
    is_view = "VIEW" in words_of(tokens[context.made_at : context.made_at + _VIEW_WITHIN])
    if name is not None and (is_view or [part.lower() for part in name] != ["iceberg"]):
        yield f"USING {'.'.join(name)}", span


def _hive(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    words = tuple(words_of(tokens[index : index + 2]))
    if words in _OF_HIVE and context.makes(index) and not context.in_query[index]:
        yield " ".join(words), tokens[index].span.to(tokens[index + 1].span)


def _shared_catalog(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    """Spark's own catalog, and the views of all sessions, are no part of the lake."""
    token, before = tokens[index], words_of(tokens[max(0, index - 1) : index])
    if token.is_name and token.value.lower() in _SHARED and before != ["."]:
        follows = words_of(tokens[index + 1 : index + 2])
        if follows == ["."] or (not follows and before in (["USE"], ["CATALOG"])):
            yield token.value.lower(), token.span
    if words_of(tokens[index : index + 3]) in (["GLOBAL", "TEMPORARY", "VIEW"], ["GLOBAL", "TEMP", "VIEW"]):
        yield "a global temporary view", token.span


def _procedure(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    if tokens[index].upper != "CALL" or words_of(tokens[max(0, index - 1) : index]) == ["."]:
        return
    name, span, rest = read_target(tokens[index + 1 : index + _LONGEST_CALL], tokens[index].span)
    if words_of(rest[:1]) != ["("]:
        return
    if name is None or name[-1].lower() not in PROCEDURES:
        yield f"CALL {'.'.join(name) if name else 'with a name that is not a literal'}", span
    elif name[-1].lower() == "remove_orphan_files" and _names_orphans(rest):
        yield "CALL remove_orphan_files with a path", span


def _names_orphans(rest: Tokens) -> bool:
    inside = rest[1 : after_parentheses(rest, 0) - 1]
    named = {token.value.lower() for token, following in pairwise(inside) if following.upper in ("=>", ":=")}
    return bool(named & _ORPHAN_PLACES) or (not named and words_of(inside).count(",") >= _ORPHAN_ARGUMENTS)


def _immediate(tokens: Tokens, index: int, context: SandboxContext) -> Iterator[Found]:
    if words_of(tokens[index : index + 2]) != ["EXECUTE", "IMMEDIATE"]:
        return
    strings = _strings_at(tokens, index + 2)
    follows = words_of(tokens[index + 2 + len(strings) : index + 3 + len(strings)])
    literal = literal_value(strings) if follows in ([], ["INTO"], ["USING"], [";"]) else None
    span = (strings or tokens[index : index + 2])[0].span.to((strings or tokens[index : index + 2])[-1].span)
    if literal is None:
        yield "EXECUTE IMMEDIATE with a text that is not a literal", span
    else:
        executed = ParsedStatement(literal)
        yield from ((what, span) for what, _ in _reaching(executed, context.grounds))


def _properties(tokens: Tokens, grounds: Grounds) -> Iterator[Found]:
    of_cluster = "VCLUSTER" in words_of(tokens[1:4])
    for key, written, value in properties(tokens):
        span = written[0].span.to(written[-1].span)
        literal = literal_value(value)
        if key is None:
            yield "a property whose name is not a literal", span
        elif of_cluster:
            if not may_set_for_cluster(key):
                yield f"the setting {key}", span
        elif names_place(key) and (literal is None or not grounds.holds_table(literal)):
            yield f"the property {key}", span


def _is_text(tokens: Tokens, index: int) -> bool:
    """Whether a string stands there, or a parameter for one."""
    following = tokens[index : index + 1]
    return bool(following) and (following[0].kind is Kind.STRING or following[0].upper in _MARKERS)


def _strings_at(tokens: Tokens, index: int) -> Tokens:
    """String literals in a row, which Spark joins."""
    end = index
    while end < len(tokens) and tokens[end].kind is Kind.STRING:
        end += 1
    return tokens[index:end]


Rule = Callable[[Tokens, int, SandboxContext], Iterator[Found]]
RULES: tuple[Rule, ...] = (
    _hint,
    _resource,
    _load,
    _call_of_code,
    _program,
    _function,
    _jar,
    _directory,
    _location,
    _file,
    _foreign_format,
    _hive,
    _shared_catalog,
    _procedure,
    _immediate,
    _read_kafka,
)
"""Each looks at one place of a statement."""
