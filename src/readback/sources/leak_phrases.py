"""Phrases that open a system message: what is looked for in user messages besides the system texts of a workspace."""

# The first three are those of the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT).
PHRASES = (
    "you are a research paper assistant",
    "you are a scientific research assistant",
    "you are an assistant",
    "you are a helpful assistant",
    "you are a helpful and harmless assistant",
    "you are a helpful, respectful and honest assistant",
    "you are an ai assistant",
    "you are a helpful ai assistant",
    "you are an ai language model",
    "you are a large language model",
    "you are an expert assistant",
    "tu es un assistant",
    "tu es un assistant utile",
    "tu es un assistant virtuel",
    "vous êtes un assistant",
    "vous êtes un assistant utile",
    "vous êtes un assistant virtuel",
)
# A phrase that names a role ("you are an assistant") may be followed by these; by another word it names another role
# ("you are an assistant manager").
ROLES = ("you are ", "you're ", "tu es ", "vous êtes ", "act as ")
GO_ON = (
    "who", "that", "which", "whose", "designed", "trained", "built", "created", "made", "developed", "specialised",
    "specialized", "helping", "answering", "tasked", "dedicated", "qui", "dont", "conçu", "conçue", "entraîné",
    "spécialisé", "spécialisée", "chargé", "chargée", "dédié",
)  # fmt: skip
