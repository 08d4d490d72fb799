"""Certificates of servers for a test run."""

from __future__ import annotations

import subprocess
from pathlib import Path


def certificate(directory: Path, address: str) -> tuple[Path, Path]:
    """Signed by itself, and its key."""
    made, key = directory / f"{address}.pem", directory / f"{address}.key"
    asked = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=server")
    written = ("-keyout", str(key), "-out", str(made), "-addext", f"subjectAltName=IP:{address}")
    subprocess.run(["openssl", *asked, *written], check=True, capture_output=True)
    return made, key
