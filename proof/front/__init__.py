"""What a person meets: the commands, the reports, the files and texts that are checked."""
