"""Source: reference code read as syntax, and cut into slices that run alone."""
