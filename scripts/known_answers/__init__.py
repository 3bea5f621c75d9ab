"""What the tests know of recordings from real GPUs, drawn into small files of our own writing.

Each module takes the folder of recordings and returns the files of one recording: their names,
which are the names of what they stand for, and their text. Nothing is copied: names of machines,
users and paths never come along, and of a recording without a licence only its figures do.
"""
