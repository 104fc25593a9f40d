"""Measurements, never run by the test command."""
