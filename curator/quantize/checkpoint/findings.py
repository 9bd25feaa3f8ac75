"""What checks find: faults, by the name of the tensor or layer, and what is doubtful though not wrong."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """Collected by the checks.

    Attributes:
        faults: one line each; a checkpoint with any would serve garbage, or not load.
        doubts: for each kind of doubt the layers that it is about.
    """

    faults: list[str] = field(default_factory=list)
    doubts: dict[str, list[str]] = field(default_factory=dict)

    def fault(self, line: str) -> None:
        """Add a fault."""
        self.faults.append(line)

    def doubt(self, what: str, layer: str = "") -> None:
        """Add a doubt about a layer, or about the whole."""
        layers = self.doubts.setdefault(what, [])
        if layer:
            layers.append(layer)

    def warnings(self) -> list[str]:
        """The doubts, one line a kind: what, how many layers, and the first."""
        lines = []
        for what, layers in self.doubts.items():
            more = f" and {len(layers) - 1} more" if len(layers) > 1 else ""
            lines.append(f"{layers[0]}{more}: {what}" if layers else what)
        return lines
