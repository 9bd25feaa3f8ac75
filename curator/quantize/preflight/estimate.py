"""An estimate of the memory that a run takes, from the layout of the model and the lengths of the set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.quantize.preflight.disk import checkpoint_bytes
from curator.quantize.preflight.skeleton import Linear, Skeleton
from curator.recipe.quantize_settings import Format, QuantizeSettings

# Python, torch, transformers and llm-compressor, imported.
_LIBRARIES = 550 << 20
_BF16, _FLOAT = 2, 4
# Bytes a weight while it is packed, measured; and the most that transformers writes into one file.
_PACKING, _SHARD = 40, 50 * 10**9


@dataclass(frozen=True, slots=True)
class Parts:
    """Bytes by what they hold.

    On a GPU are the embedding, the head, the layer that is worked on, one batch, and the Hessians; the rest stays
    in main memory.

    Attributes:
        libraries: the process itself.
        weights: the model's. They are mapped from the files: the kernel can drop those that have been replaced.
        rewritten: weights that a method makes anew.
        rows: what is kept of every row between two layers.
        forward: one batch in one layer.
        statistics: Hessians, and what GPTQ or AWQ works in.
        written: the packed tensors of the checkpoint, and one file's bytes of them again.
        packing: the largest weight in the wider types that it is packed in.
        layer: the weights of the largest layer.
        tables: embedding and head, also where they are one tensor: on a GPU each has a copy.
        logits: of one batch.
        whole: the whole model lies on the GPU, and the logits of a batch are kept: ModelOpt.
    """

    libraries: int
    weights: int
    rewritten: int
    rows: int
    forward: int
    statistics: int
    written: int
    packing: int
    layer: int
    tables: int
    logits: int
    whole: bool

    def total(self) -> int:
        """What main memory must hold without a GPU."""
        return self.libraries + max(self.weights + self._run(), max(self.weights, self.written) + self.packing)

    def host(self) -> int:
        """What main memory must hold when a GPU does the work."""
        return self.libraries + max(self.weights + self.rows, max(self.weights, self.written) + self.packing)

    def gpu(self) -> int:
        """What the GPU holds then."""
        if self.whole:
            return self.weights + self.logits + 2 * self.packing
        return self.tables + self.layer + self.forward + self.statistics

    def peak(self) -> int:
        """The resident memory that is seen where nothing has to be dropped."""
        return self.libraries + self.weights + max(self.rewritten + self._run(), self.written + self.packing)

    def _run(self) -> int:
        return self.rows + self.forward + self.statistics

    def words(self) -> str:
        """The parts that matter, largest first."""
        named = {
            "weights": self.weights,
            "the method's work": self.statistics,
            "one batch in one layer": self.forward,
            "rows between layers": self.rows,
            "saving": self.packing + max(self.written - self.weights, 0),
        }
        largest = sorted(named.items(), key=lambda part: -part[1])
        return ", ".join(f"{name} {value / 1e9:.1f} GB" for name, value in largest if value >= 0.05 * self.total())


def estimate(
    layout: Skeleton, formats: Mapping[Linear, Format], settings: QuantizeSettings, lengths: Sequence[int]
) -> Parts:
    """What a run of llm-compressor on a CPU takes, weights in main memory.

    Args:
        layout: the model.
        formats: of each linear layer.
        settings: how it is quantised.
        lengths: tokens of each row; empty for a method without data.
    """
    sequential = settings.pipeline != "basic"
    batch = min(settings.batch_size, len(lengths)) or 1
    longest, tokens = max(lengths, default=0), sum(lengths)
    # llm-compressor asks for eager attention, which writes out scores and masks.
    kept = _BF16 * (2 * tokens * (layout.hidden + layout.head_size) + sum(length * length for length in lengths))
    blocks = _by_block(formats, _weights)
    packed = checkpoint_bytes(layout, formats)
    linears, largest = sum(blocks.values()), max(map(_weights, layout.linears), default=0)
    widest = max((linear.outputs for linear in layout.linears), default=0)
    inside = longest * (3 * widest + 6 * layout.hidden) * _BF16
    statistics = _statistics(formats, sequential) if "hessians" in settings.about.traits else 0
    if "search" in settings.about.traits:
        # Inputs and outputs of a layer's parts for all rows, and the largest weight rounded by each scale tried.
        kept += _BF16 * tokens * (widest + 5 * layout.hidden)
        statistics = max(statistics, 2 * _PACKING * largest)
    # Scores in BF16, and in float32 before and after their softmax.
    scores = layout.heads * longest * longest * (_BF16 + 2 * _FLOAT)
    return Parts(
        libraries=_LIBRARIES,
        weights=_BF16 * layout.parameters,
        rewritten=_BF16 * linears if settings.about.data == "weights" else 0,
        rows=kept if sequential else 0,
        forward=batch * max(inside, scores + longest * layout.hidden * 4 * _BF16),
        statistics=statistics,
        written=packed + min(packed, _SHARD),
        packing=_PACKING * largest,
        layer=_BF16 * max(blocks.values(), default=0),
        tables=2 * _BF16 * layout.vocabulary * layout.hidden,
        logits=_BF16 * batch * longest * layout.vocabulary,
        whole=settings.about.library == "modelopt",
    )


def _statistics(formats: Mapping[Linear, Format], sequential: bool) -> int:
    """Hessians of the layers that are rounded together, and what the rounding of one layer works in."""
    rounded = [linear for linear, name in formats.items() if name != "bf16"]
    work = 0
    for linear in rounded:
        square, weight = linear.inputs * linear.inputs, linear.inputs * linear.outputs
        work = max(work, _FLOAT * max(square + 3 * weight, 3 * square + 2 * weight))
    blocks = _by_block(rounded, lambda linear: _FLOAT * linear.inputs * linear.inputs).values()
    return work + (max(blocks, default=0) if sequential else sum(blocks))


def _weights(linear: Linear) -> int:
    return linear.inputs * linear.outputs


def _by_block(linears: Iterable[Linear], size: Callable[[Linear], int]) -> dict[str, int]:
    """Sums over the layers of each decoder layer, all experts together."""
    sums: dict[str, int] = {}
    for linear in linears:
        sums[linear.block] = sums.get(linear.block, 0) + size(linear) * linear.copies
    return sums
