"""Rules about which lane touches which address: side by side, wider, in other banks, once from LDS.
They never change what is computed from the values, or in what order."""
