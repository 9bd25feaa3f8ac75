"""Real runs killed with SIGKILL at random points and started again: each must end as one that never was killed."""
