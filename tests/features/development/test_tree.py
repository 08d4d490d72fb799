"""Folders and files: paths, what is deleted with a folder, and what can be a name."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import DataError, NotFound, Refused
from headrace.features.development.model import File, FileKind, check_content, check_name
from headrace.features.development.tree import FileTree
from tests.catalog.samples import NOON


def file(id_: str, folder: str | None = None, kind: FileKind = FileKind.SQL, **more: Any) -> File:
    return File(id_, folder, f"name of {id_}", kind, "ann", NOON, "ann", NOON, **more)


def folder(id_: str, inside: str | None = None, **more: Any) -> File:
    return file(id_, inside, FileKind.FOLDER, **more)


TREE = FileTree(
    [
        folder("a"),
        folder("b", "a"),
        file("x", "b"),
        file("y"),
        folder("gone", "a", deleted_at=NOON),
        folder("inside", "gone"),
        file("z", "inside"),
    ]
)


def test_paths() -> None:
    assert [TREE.path_of(each) for each in TREE.present()] == [
        "name of a",
        "name of a/name of b",
        "name of a/name of b/name of x",
        "name of y",
    ]
    found = TREE.at("/NAME of a/name of b/name of X")
    assert found is not None
    assert found.id == "x"
    assert TREE.at("name of b") is None


def test_what_a_deleted_folder_contains_is_deleted() -> None:
    assert [each.id for each in TREE.deleted()] == ["gone"]
    for each in ("gone", "inside", "z", "nosuch"):
        with pytest.raises(NotFound):
            TREE.find(each)


def test_below() -> None:
    assert [each.id for each in TREE.below(TREE.find("a"))] == ["b", "x"]


@pytest.mark.parametrize("target", ["a", "b"])
def test_a_folder_is_not_moved_into_itself(target: str) -> None:
    with pytest.raises(Refused, match="cannot be moved into itself"):
        TREE.check_move(TREE.find("a"), target)


def test_moves() -> None:
    TREE.check_move(TREE.find("b"), None)
    TREE.check_move(TREE.find("y"), "b")
    with pytest.raises(DataError, match="is a file, not a folder"):
        TREE.check_move(TREE.find("b"), "y")
    with pytest.raises(NotFound):
        TREE.check_move(TREE.find("b"), "gone")


@pytest.mark.parametrize(
    "name", ["", " a", "a ", ".", "..", "a/b", "a\\b", "a:b", "a\nb", "x" * 201, "a\0", "a*", 'a"']
)
def test_what_cannot_be_a_name(name: str) -> None:
    with pytest.raises(DataError, match="cannot be the name"):
        check_name(name)


@pytest.mark.parametrize("name", ["Step01.Preparation", "1. Time Processing dy", "Übersicht", "a'b", "..a"])
def test_what_can_be_a_name(name: str) -> None:
    assert check_name(name) == name


def test_content_has_a_limit() -> None:
    assert check_content("x" * 1_000_000)
    with pytest.raises(DataError, match="at most 1,000,000 characters"):
        check_content("x" * 1_000_001)
