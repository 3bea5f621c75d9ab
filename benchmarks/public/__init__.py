"""``rocm-perf optimize`` on programs of others, from a checkout that is not part of this one."""
