"""AMD's rocpd databases: reading all versions of their schema, and writing one."""
