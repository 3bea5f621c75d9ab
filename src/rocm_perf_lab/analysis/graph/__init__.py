"""What had to wait for what: the graph of launches, copies and host calls.

It never says how long anything would take if it were different: that is path/."""
