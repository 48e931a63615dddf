"""The steps from the pixels of a crop to the numbers of an example.

The order, in which any step may be absent: call *transform*, reorder the channels, subtract the mean, multiply by
*scale*, divide by *std*, reorder the axes.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Tuple

import numpy as np

from queuecompat.loader.calls import takes_rng

__all__ = ["PLAIN", "PixelFormat"]

Size = Tuple[int, int]


@dataclasses.dataclass(frozen=True)
class PixelFormat:
    """The format of an example. ``ImageListLoader`` explains the arguments; *std* has one number for each channel."""

    transform: Optional[Callable[..., Any]] = None
    scale: float = 1.0
    std: Optional[Tuple[float, ...]] = None
    dtype: str = "float32"
    layout: str = "HWC"

    @property
    def is_plain(self) -> bool:
        """Whether a crop needs no other step than to subtract a mean."""
        return self == PLAIN

    @property
    def takes_rng(self) -> bool:
        return takes_rng(self.transform) is not None

    def shape(self, crop: Size) -> Tuple[int, ...]:
        return (3, *crop) if self.layout == "CHW" else (*crop, 3)

    def as_rows(self, out: np.ndarray) -> np.ndarray:
        """Returns a view of *out* with shape ``[height, width, 3]``."""
        return out.transpose(1, 2, 0) if self.layout == "CHW" else out

    def write(
        self,
        crop: np.ndarray,
        *,
        mean: Optional[np.ndarray],
        blue_first: bool,
        rng: Optional[np.random.Generator],
        out: np.ndarray,
    ) -> None:
        """Writes an example into *out*, made of *crop*, uint8 ``[height, width, 3]``, red first.

        Raises:
          ValueError: *transform* did not return an array of the same shape and dtype.
        """
        crop = self._transformed(crop, rng)
        if blue_first:
            crop = crop[:, :, ::-1]
        target = self.as_rows(out)
        if mean is None:
            np.copyto(target, crop)
        else:
            np.subtract(crop, mean, out=target)
        if self.std is not None:
            target *= np.asarray(self.scale / np.asarray(self.std, np.float64), np.float32)
        elif self.scale != 1:
            target *= np.float32(self.scale)

    def _transformed(self, crop: np.ndarray, rng: Optional[np.random.Generator]) -> np.ndarray:
        if self.transform is None:
            return crop
        how = takes_rng(self.transform)
        if how is None:
            changed = self.transform(crop)
        else:
            changed = self.transform(crop, rng=rng) if how == "by name" else self.transform(crop, rng)
        if not isinstance(changed, np.ndarray) or changed.shape != crop.shape or changed.dtype != np.uint8:
            kind = type(changed).__name__
            given = f"{changed.dtype}{list(changed.shape)}" if isinstance(changed, np.ndarray) else f"a {kind}"
            raise ValueError(f"transform returned {given}, not uint8{list(crop.shape)} as it got")
        return changed


PLAIN = PixelFormat()
