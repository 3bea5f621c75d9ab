"""The process between us and a candidate, a room of its own because it is started for every run of
one: it needs the standard library only, and of that nothing that is slow to import, such as
dataclasses.
"""
