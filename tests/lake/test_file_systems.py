"""Files by their locations, on this machine and on a real S3 endpoint, without a JVM."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.s3 import S3, running_s3

from headrace.commands.databases import check_warehouse
from headrace.errors import LakeError
from headrace.lake import file_systems
from headrace.lake.file_systems import NotReadHere, exists, is_local, local_path, probe_writing, read_bytes
from headrace.lake.table.metadata_files import MetadataFiles, missing_files
from headrace.model.names import TableName

KEY = "headrace.refresh-id"


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    with running_s3() as s3:
        yield s3


@pytest.fixture
def bucket(s3: S3) -> str:
    return s3.new_bucket()


@pytest.fixture(params=["path", "file:", "file://", "s3://", "s3a://"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One that exists, as Iceberg may write it down."""
    if request.param.startswith("s3"):
        bucket = request.getfixturevalue("bucket")
        return f"{request.param}{bucket}/lake"
    return str(tmp_path) if request.param == "path" else f"{request.param}{tmp_path}"


def put(directory: str, name: str, content: bytes, s3: S3) -> str:
    local = local_path(directory)
    if local is not None:
        (local / name).write_bytes(content)
    else:
        s3.put(directory.split("/")[2], f"lake/{name}", content)
    return f"{directory}/{name}"


def metadata(snapshots: int = 2) -> dict[str, Any]:
    return {
        "table-uuid": "u",
        "current-schema-id": 0,
        "current-snapshot-id": snapshots,
        "properties": {"owner": "ann"},
        "schemas": [{"schema-id": 0, "fields": [{"id": 1, "name": "a"}]}],
        "snapshots": [
            {
                "snapshot-id": number,
                "schema-id": 0,
                "sequence-number": number,
                "timestamp-ms": number * 1000,
                "summary": {
                    "operation": "append",
                    "total-records": str(number * 10),
                    "total-files-size": str(number * 100),
                    "added-files-size": "100",
                    KEY: str(number),
                },
            }
            for number in range(1, snapshots + 1)
        ],
        "snapshot-log": [
            {"snapshot-id": number, "timestamp-ms": number * 1000} for number in range(1, snapshots + 1)
        ],
    }


class TestEveryFileSystem:
    def test_heads_sizes_and_versions_of_a_table(self, directory: str, s3: S3) -> None:
        content = json.dumps(metadata()).encode()
        plain = put(directory, "00002.metadata.json", content, s3)
        packed = put(directory, "00003.gz.metadata.json", gzip.compress(content), s3)
        files = MetadataFiles()
        for location in (plain, packed):
            head = files.head(location, KEY)
            assert head is not None
            assert (head.version.uuid, head.version.snapshot_id) == ("u", 2)
            assert (head.rows, head.bytes, head.bytes_with_old_versions) == (20, 200, 200)
            assert head.bookkeeping[KEY] == "2"
            history = files.history(location, KEY)
            assert history is not None
            assert [commit.snapshot_id for commit in history.commits] == [1, 2]

    def test_a_file_that_is_not_there(self, directory: str, s3: S3) -> None:
        there, gone = put(directory, "a.json", b"{}", s3), f"{directory}/gone.json"
        assert exists(there)
        assert not exists(gone)
        with pytest.raises(FileNotFoundError):
            read_bytes(gone)
        names = {TableName("lake", "public", "t"): there, TableName("lake", "public", "u"): gone}
        assert missing_files(names) == ["lake.public.u"]
        assert MetadataFiles().head(gone, KEY) is None
        assert read_bytes(there) == b"{}"

    def test_damaged_metadata(self, directory: str, s3: S3) -> None:
        for content in (b"", b"{", b"{}", b"[]"):
            assert MetadataFiles().head(put(directory, "a.json", content, s3), KEY) is None

    def test_writing(self, directory: str, s3: S3) -> None:
        put(directory, "a.json", b"{}", s3)
        probe_writing(directory)
        check_warehouse(directory)
        assert exists(f"{directory}/a.json")


def test_what_is_known_is_not_read_again(s3: S3, bucket: str) -> None:
    location = s3.put(bucket, "lake/a.json", json.dumps(metadata()).encode())
    files = MetadataFiles()
    head = files.head(location, KEY)
    s3.client.delete_object(Bucket=bucket, Key="lake/a.json")
    assert files.head(location, KEY) is head


def test_the_probe_leaves_no_object(s3: S3, bucket: str) -> None:
    check_warehouse(f"s3://{bucket}/lake")
    assert [key for key in s3.keys(bucket) if not key.endswith("/")] == []


def test_a_bucket_that_there_is_not(s3: S3) -> None:
    with pytest.raises(LakeError) as caught:
        check_warehouse("s3://nobodys/lake")
    assert caught.value.message == (
        "the warehouse s3://nobodys/lake cannot be written to: The specified bucket does not exist"
    )
    assert "create the bucket" in (caught.value.hint or "")


def test_a_server_that_does_not_answer_is_left_alone(monkeypatch: pytest.MonkeyPatch, s3: S3) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    with pytest.raises(NotReadHere):
        read_bytes("s3://bucket/a.json")
    connected: list[object] = []
    monkeypatch.setattr(file_systems, "_connect", connected.append)
    with pytest.raises(NotReadHere, match="bucket bucket could not be reached"):
        exists("s3://bucket/b.json")
    assert connected == []
    assert missing_files({TableName("lake", "public", "t"): "s3://bucket/a.json"}) == []
    assert MetadataFiles().head("s3://bucket/a.json", KEY) is None


@pytest.mark.parametrize("location", ["hdfs://host/a.json", "gs://bucket/a.json", "relative/a.json"])
def test_what_only_spark_reads(location: str) -> None:
    assert not is_local(location)
    with pytest.raises(NotReadHere, match="only Spark reads"):
        read_bytes(location)
    assert MetadataFiles().head(location, KEY) is None
