"""What every metadata database must do for development files."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.catalog.store import MetadataStore
from headrace.errors import AlreadyExists, NotFound, Refused, VersionConflict
from headrace.features.development.model import (
    Chart,
    ChartKind,
    Draft,
    File,
    FileKind,
    FileSettings,
    FileVersion,
)
from headrace.model.task import TaskAlert

from .conformance import one_store
from .samples import COUNTS, MOMENTS, NOON, TEXTS, maybe, tuples

LATER = NOON + timedelta(days=1)
CHARTS = st.builds(Chart, st.sampled_from(ChartKind), maybe(TEXTS), tuples(TEXTS), maybe(TEXTS))
SETTINGS = st.builds(
    FileSettings,
    workspace=TEXTS,
    schema=TEXTS,
    cluster=TEXTS,
    task=maybe(TEXTS),
    interval_seconds=maybe(COUNTS),
    start_at=maybe(MOMENTS),
    time_zone=maybe(TEXTS),
    after=tuples(TEXTS),
    parameters=st.dictionaries(TEXTS, TEXTS, max_size=4),
    retries=COUNTS,
    backoff_seconds=COUNTS,
    timeout_seconds=maybe(COUNTS),
    alerts=st.sampled_from([(), (TaskAlert.FAILURE,), tuple(TaskAlert)]),
    comment=maybe(TEXTS),
    chart=maybe(CHARTS),
) | st.builds(FileSettings, cron=TEXTS)


def file(id_: str, folder: str | None = None, **more: Any) -> File:
    fields = {"kind": FileKind.SQL, "version": 1, "creator": "ann", "modified_by": "ann"}
    moments = {"created_at": NOON, "modified_at": NOON}
    return File(**{"id": id_, "folder_id": folder, "name": f"name of {id_}", **moments, **fields, **more})


def folder(id_: str, inside: str | None = None) -> File:
    return file(id_, inside, kind=FileKind.FOLDER, version=0)


def version(file_id: str, number: int = 1, content: str = "select 1", **more: Any) -> FileVersion:
    fields = {"settings": FileSettings(), "author": "ann", "created_at": NOON}
    return FileVersion(**{"file_id": file_id, "number": number, "content": content, **fields, **more})


def create(store: MetadataStore, *files: File) -> None:
    for each in files:
        store.files.create(each, None if each.is_folder else version(each.id))


class FileContract:
    @one_store
    @given(content=TEXTS, settings=SETTINGS, moment=MOMENTS)
    def test_a_file_comes_back_as_it_went_in(
        self, store: MetadataStore, content: str, settings: FileSettings, moment: Any
    ) -> None:
        id_ = str(uuid.uuid4())
        made = file(id_, created_at=moment, modified_at=moment)
        first = version(id_, content=content, settings=settings, created_at=moment)
        store.files.create(made, first)
        assert store.files.tree().find(id_) == made
        assert store.files.versions(id_) == [first]
        draft = Draft(id_, "bob", 1, content, settings, moment)
        store.files.put_draft(draft)
        assert store.files.drafts(id_) == [draft]

    def test_names_are_unique_in_a_folder_in_any_case(self, store: MetadataStore) -> None:
        create(store, folder("f"), file("a", name="Report"))
        create(store, file("b", "f", name="REPORT"))
        with pytest.raises(AlreadyExists, match=r"^report already exists in this folder"):
            create(store, file("c", name="report"))
        with pytest.raises(AlreadyExists):
            store.files.move("b", None, "report", "ann", LATER)
        assert store.files.tree().find("b").folder_id == "f"
        assert store.files.versions("c") == []

    def test_save_adds_a_version(self, store: MetadataStore) -> None:
        create(store, file("a"))
        second = version("a", 2, "select 2", author="bob", created_at=LATER)
        saved = store.files.save(second)
        assert saved == file("a", version=2, modified_by="bob", modified_at=LATER)
        assert store.files.versions("a") == [second, version("a")]
        assert store.files.version("a", 1) == version("a")
        with pytest.raises(NotFound, match="no version 3"):
            store.files.version("a", 3)

    def test_the_second_of_two_editors_is_refused_and_nothing_is_lost(self, store: MetadataStore) -> None:
        create(store, file("a"))
        store.files.put_draft(Draft("a", "bob", 1, "bob's", FileSettings(), NOON))
        store.files.save(version("a", 2, "ann's", author="ann"))
        with pytest.raises(VersionConflict, match="ann has saved version 2 of name of a"):
            store.files.save(version("a", 2, "bob's", author="bob"))
        assert [each.content for each in store.files.versions("a")] == ["ann's", "select 1"]
        assert [each.content for each in store.files.drafts("a")] == ["bob's"]

    def test_of_many_that_save_at_once_one_succeeds(self, store: MetadataStore) -> None:
        create(store, file("a"))

        def save(number: int) -> bool:
            try:
                store.files.save(version("a", 2, str(number)))
            except VersionConflict:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            assert sum(pool.map(save, range(12))) == 1
        assert store.files.tree().find("a").version == 2

    def test_saving_deletes_the_draft_of_the_author(self, store: MetadataStore) -> None:
        create(store, file("a"))
        for user in ("ann", "bob"):
            store.files.put_draft(Draft("a", user, 1, "draft", FileSettings(), NOON))
        store.files.put_draft(Draft("a", "ann", 1, "another", FileSettings(), LATER))
        assert [(each.user, each.content) for each in store.files.drafts("a")] == [
            ("ann", "another"),
            ("bob", "draft"),
        ]
        store.files.save(version("a", 2))
        assert [each.user for each in store.files.drafts("a")] == ["bob"]
        store.files.discard_draft("a", "bob")
        assert store.files.drafts("a") == []

    def test_move(self, store: MetadataStore) -> None:
        create(store, folder("f"), folder("g", "f"), file("a"))
        moved = store.files.move("a", "g", "other", "bob", LATER)
        assert store.files.tree().path_of(moved) == "name of f/name of g/other"
        assert (moved.modified_by, moved.modified_at, moved.version) == ("bob", LATER, 1)
        with pytest.raises(Refused):
            store.files.move("f", "g", "f", "ann", LATER)

    def test_folders_that_are_moved_into_each_other_at_once(self, store: MetadataStore) -> None:
        create(store, folder("f"), folder("g"))

        def move(pair: tuple[str, str]) -> bool:
            try:
                store.files.move(*pair, pair[0], "ann", LATER)
            except Refused:
                return False
            return True

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(move, [("f", "g"), ("g", "f")])) == [False, True]
        assert len(store.files.tree().present()) == 2

    def test_a_deleted_folder_is_restored_with_what_it_contains(self, store: MetadataStore) -> None:
        create(store, folder("f"), file("a", "f"))
        store.files.delete("f", "bob", LATER)
        assert store.files.tree().present() == []
        create(store, folder("f2", None))
        assert [each.id for each in store.files.tree().deleted()] == ["f"]
        store.files.restore("f", "ann", LATER)
        assert {each.id for each in store.files.tree().present()} == {"f", "a", "f2"}
        with pytest.raises(NotFound):
            store.files.restore("f", "ann", LATER)

    def test_the_name_of_a_deleted_file_is_free(self, store: MetadataStore) -> None:
        create(store, file("a", name="x"))
        store.files.delete("a", "ann", LATER)
        create(store, file("b", name="x"))
        with pytest.raises(AlreadyExists, match="x already exists"):
            store.files.restore("a", "ann", LATER)
        store.files.move("b", None, "y", "ann", LATER)
        store.files.restore("a", "ann", LATER)
        assert [each.name for each in store.files.tree().present()] == ["x", "y"]

    def test_nothing_is_restored_into_a_deleted_folder(self, store: MetadataStore) -> None:
        create(store, folder("f"), file("a", "f"))
        store.files.delete("a", "ann", NOON)
        store.files.delete("f", "ann", LATER)
        with pytest.raises(NotFound):
            store.files.restore("a", "ann", LATER)
        store.files.restore("f", "ann", LATER)
        store.files.restore("a", "ann", LATER)
        assert len(store.files.tree().present()) == 2

    def test_a_deployment_is_noted(self, store: MetadataStore) -> None:
        create(store, file("a"))
        assert store.files.note_deployment("a", "nightly", 1) == replace(
            file("a"), task="nightly", deployed_version=1
        )

    def test_nothing_is_created_in_what_is_no_folder(self, store: MetadataStore) -> None:
        create(store, file("a"))
        with pytest.raises(NotFound):
            create(store, file("b", "nosuch"))
        assert len(store.files.tree().present()) == 1
