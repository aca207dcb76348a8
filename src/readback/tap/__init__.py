"""Stand between a program and its models: keep the exact bodies of its requests, and reply, or pass them on.

The program is started by us with the addresses of its models set to a server on this machine, which speaks the HTTP
forms of OpenAI, Ollama and Anthropic. Headers, and with them keys, are never stored.
"""
