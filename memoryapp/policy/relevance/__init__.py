"""Relevance: what a scorer is, the reference scorer and the default one, and the terms a store keeps for it."""

from memoryapp.policy.relevance.blended import Blended, coefficients_of
from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.probe import Match, Probe, Wanted, match_terms, resolve, wanted
from memoryapp.policy.relevance.scorer import Document, Scorer
from memoryapp.policy.relevance.terms import (
    DocumentTerms,
    RequestTerms,
    analyse,
    analyse_request,
    name_index,
    term_index,
)
from memoryapp.policy.relevance.terms_overlap import TermsOverlap

__all__ = [
    "Blended",
    "Document",
    "DocumentTerms",
    "Lexical",
    "Match",
    "Probe",
    "RequestTerms",
    "Scorer",
    "TermsOverlap",
    "Wanted",
    "analyse",
    "analyse_request",
    "coefficients_of",
    "match_terms",
    "name_index",
    "resolve",
    "term_index",
    "wanted",
]
