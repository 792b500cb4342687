"""The tabs of a job's screen: one file each."""
