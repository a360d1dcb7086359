"""Environments over the batch engine: thin faces that know no rules."""
