"""Installations: which versions of libraries another project's files ask for."""
