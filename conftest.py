"""What all test trees share: the seed, shares of suites, the order of files, times, and Java's options."""

import signal

pytest_plugins = [
    "tests.sampling",
    "tests.file_order",
    "tests.workers",
    "tests.java_options",
    "tests.suite_times",
]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A run in the background of a shell ignores Ctrl-C, and so would every process that a test interrupts."""
