"""Finding the best of many configurations from few measurements. Spaces, the search, the journal
and what measures one configuration; never predicts from what was not measured."""
