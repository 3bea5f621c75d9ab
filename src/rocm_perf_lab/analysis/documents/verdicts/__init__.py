"""Reads out of a profile what verdicts rest on, and writes verdicts into documents.

It decides nothing.
"""
