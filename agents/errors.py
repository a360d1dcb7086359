"""What can be wrong with a user's files, in one line each."""


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message names the file and what is wrong with it."""


class RunError(ValueError):
    """A run folder does not fit what was asked of it; the message names the folder."""
