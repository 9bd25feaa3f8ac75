"""Whether memory ran out, and what to set then."""

from __future__ import annotations

from curator.recipe.quantize_settings import QuantizeSettings

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on the host or on a GPU."""
    current: BaseException | None = error
    while current is not None:
        words = str(current).lower()
        if isinstance(current, MemoryError) or any(sign in words for sign in _OUT_OF_MEMORY):
            return True
        current = current.__cause__
    return False


def out_of_memory_words(settings: QuantizeSettings) -> str:
    """What to change so that less memory is needed, most helpful first."""
    hints = []
    if settings.pipeline == "basic":
        hints.append("`pipeline: sequential` (one layer's statistics at a time)")
    if settings.batch_size > 1:
        hints.append(f"a `batch_size` below {settings.batch_size}")
    hints.append("a set with fewer tokens a sequence, then with fewer sequences")
    if settings.experts == "all":
        hints.append("`experts: refuse` or `report` (routed tokens only)")
    if "hessians" in settings.about.traits:
        hints.append("a method without Hessians (max, awq)")
    return "it needs less memory with " + "; ".join(hints)
