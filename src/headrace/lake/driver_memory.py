"""How much memory the rows of a refresh may take in the driver.

Their number is limited elsewhere; how wide they are is known once they are read. What takes more is left to
Spark, which writes to disk what does not fit.
"""

from __future__ import annotations

SHARE = 32
"""One part of the heap, out of so many: for the rows of a change, for those found by key, and for those that
are collected; a refresh has a few of them."""
