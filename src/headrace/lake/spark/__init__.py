"""The JVM and its sessions: started, sandboxed, measured, cancelled; its errors and rows."""
