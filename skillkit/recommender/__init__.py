"""The recommender: answers in, an optimizer configuration with code and reasons out."""
