"""Learning rates over the updates, as the schedulers of other frameworks give them."""
