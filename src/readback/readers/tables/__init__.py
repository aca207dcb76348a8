"""What all tables have: names of columns, cells that hold JSON, and which of several tables is read."""
