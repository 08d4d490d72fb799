"""A real S3 endpoint for a test run, and buckets on it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import pytest
from moto.server import ThreadedMotoServer

_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


class S3:
    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.client = boto3.client("s3", endpoint_url=endpoint, region_name=_CREDENTIALS["AWS_REGION"])
        self._numbers = itertools.count(1)

    def new_bucket(self) -> str:
        name = f"bucket-{next(self._numbers)}"
        self.client.create_bucket(Bucket=name)
        return name

    def keys(self, bucket: str) -> list[str]:
        return [each["Key"] for each in self.client.list_objects_v2(Bucket=bucket).get("Contents", ())]

    def put(self, bucket: str, key: str, content: bytes) -> str:
        """Its location."""
        self.client.put_object(Bucket=bucket, Key=key, Body=content)
        return f"s3://{bucket}/{key}"


@contextmanager
def running_s3() -> Iterator[S3]:
    """The environment names it while inside, as it does for every program that uses S3."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        with pytest.MonkeyPatch.context() as patch:
            for key, value in (_CREDENTIALS | {"AWS_ENDPOINT_URL_S3": endpoint}).items():
                patch.setenv(key, value)
            yield S3(endpoint)
    finally:
        server.stop()
