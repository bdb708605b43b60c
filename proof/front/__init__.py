"""What a person meets: the commands, the reports, the files and texts that are checked."""

HOLDS, COUNTEREXAMPLE, COULD_NOT_RUN = 0, 1, 2  # exit codes
