"""What an evaluation set is made of, and the recipe that follows from it."""

from curator.profile.profile_file import load_profile
from curator.profile.schema import Profile

__all__ = ["Profile", "load_profile"]
