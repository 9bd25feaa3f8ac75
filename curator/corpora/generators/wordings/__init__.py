"""How the generators put their questions: by language, and by side of the held-out split."""
