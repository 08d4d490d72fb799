"""What can go wrong with sources: what it is, the message, how it is mended, and what arrives then.

A mistake leaves a table as it was. Once it is mended, the table has all that its source has, each once.
"""
