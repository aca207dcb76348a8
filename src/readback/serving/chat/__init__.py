"""Render chat templates as transformers and vLLM do, and read the files that hold them."""
