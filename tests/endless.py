"""A statement that no test waits for; it leaves a core to others, and stops as soon as it is cancelled.

Spark looks whether a task is to end once in a thousand rows of a range; of two large ranges, each of these
rows goes through all of the other range first, and a cancelled task holds its core for a minute more.
"""

_ONE_TASK = "range(0, 1000000000000, 1, 1)"
ENDLESS = f"SELECT count(*) AS n FROM {_ONE_TASK} a CROSS JOIN range(1000) b WHERE a.id * b.id % 7 = 3"
