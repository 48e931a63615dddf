"""What programs from before TF 1.0 see, worked out in NumPy: TF 1.15.5 cannot run them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

__all__ = ["SUMMARIES"]


def _pre_one() -> Dict[str, Any]:
    """programs/pre_one.py: 4 passes over 20 rows, in batches of 6 that straddle them; the last 2 rows are dropped."""
    pictures = (np.arange(180) * 7 % 13).reshape(20, 3, 3)
    first, second = pictures[:, 0, 0] / 12, pictures[:, 1, 1] / 12
    features = np.stack([first, second, np.maximum(first, second) - 0.5], axis=1)
    targets = first - 2 * second
    weights: np.ndarray = np.zeros(3)
    losses: List[float] = []
    sums: List[int] = []
    rows = np.tile(np.arange(20), 4)
    for step in range(len(rows) // 6):
        batch = rows[step * 6 : step * 6 + 6]
        errors = features[batch] @ weights - targets[batch]
        losses.append(float(np.mean(errors**2)))
        sums.append(int(pictures[batch].sum()))
        weights = weights - 0.5 * 2 * features[batch].T @ errors / 6
    return {
        "event_files": 1,
        "losses": losses,
        "picture_sums": sums,
        "shapes": [[6, 3], [6, 3, 3], [6]],
        "tags": ["loss", "pictures/image/0", "pictures/image/1"],
        "weights": weights.tolist(),
    }


SUMMARIES: Dict[str, Callable[[], Dict[str, Any]]] = {"pre_one": _pre_one}
