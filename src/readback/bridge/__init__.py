"""The bridge: an author's own adapter texts, read out of a program's source by running it, as files of a workspace."""
