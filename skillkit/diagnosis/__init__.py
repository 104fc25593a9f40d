"""What the log of a training run shows, and what it does not."""
