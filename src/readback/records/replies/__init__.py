"""What models answered to a record: in answer files, in batches and in logs of other tools."""
