"""Text to vector: what an embedder is, the built-in one, and one for any service that speaks OpenAI's language."""

from memoryapp.embedding.embedder import Embedder, Unavailable, Vector
from memoryapp.embedding.mini_lm import MiniLM
from memoryapp.embedding.remote import Remote

__all__ = ["Embedder", "MiniLM", "Remote", "Unavailable", "Vector"]
