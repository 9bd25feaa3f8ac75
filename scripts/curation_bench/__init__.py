"""Curation measured beside other tools: the same documents, the same work, the same machine."""
