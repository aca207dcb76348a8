"""readback.yml: its schema, how it is read into a workspace, and how a workspace is written down as one."""

NAME = "readback.yml"
