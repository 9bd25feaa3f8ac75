"""Cheap accept-or-refuse steps. A gate takes a text and gives ``None`` or a ``Drop`` with its reason."""
