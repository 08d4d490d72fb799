"""The socket of a server."""

from __future__ import annotations

import socket

from headrace.server.serve import listen_at


def test_small_answers_do_not_wait_for_acknowledgements() -> None:
    with listen_at("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
