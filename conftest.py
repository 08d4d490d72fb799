"""What all test trees share: the run's seed, shares of suites, what each suite takes, Java's options."""

import os
import signal

pytest_plugins = ["tests.sampling", "tests.suite_times"]

os.environ.setdefault(
    "JDK_JAVA_OPTIONS",
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:NewRatio=1",
)
"""A JVM of the tests lives for minutes: careful compilation would take a third of its time and not pay.

The 48 MB that Java sets aside for quickly compiled code are full after two minutes of tests; from then on it
would throw away code that is still needed, and compile it again.
"""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A run in the background of a shell ignores Ctrl-C, and so would every process that a test interrupts."""
