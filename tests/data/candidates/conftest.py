"""The files here are what a check is run on, in processes of their own; one of them never ends when it is imported."""

collect_ignore_glob = ["*.py"]
