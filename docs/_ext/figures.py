"""One look for the pictures of all examples, and for what they warn of."""

from __future__ import annotations

import warnings
from typing import Any

# Okabe and Ito's colours, as in the figures of studies: people with any colour vision tell them apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def reset(gallery_conf: dict[str, Any], name: str) -> None:
    """Forget what the example before has set."""
    import matplotlib as mpl

    # The line of the page is not interesting, and the folder it was built in is nobody's business.
    warnings.formatwarning = lambda message, category, *_: f"{category.__name__}: {message}\n"  # type: ignore[assignment]
    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(
        {
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "legend.frameon": False,
            "axes.prop_cycle": mpl.cycler(color=COLORS),
        }
    )
