"""What the engine needs of its machine: processes, a lock, a socket, clocks, and a loop that waits on them."""
