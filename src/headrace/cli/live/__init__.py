"""``headrace demo --live``: a lake that is served, and orders that arrive every second."""
