"""What a captured dispatch is passed: numbers, pointers, and the buffers that these lead to. It
never decides what is tried."""
