"""Results as streams of Arrow record batches: stored where they are computed, read in parts.

Nothing here knows Spark, a process or a protocol of clients. ``spool`` stores the rows of one statement,
``spools`` those of a process, and ``source`` is all that an adapter for clients needs to read them.
"""
