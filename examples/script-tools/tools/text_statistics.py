"""Python: the signature says what the tool takes, the docstring what it is for."""

from collections import Counter
from statistics import mean
from typing import Literal, Optional


def run(
    text: str,
    order: Literal["frequency", "alphabet"] = "frequency",
    limit: int = 3,
    without: Optional[list[str]] = None,
) -> dict:
    """Counts the words of a text.

    Args:
        text: The text
        order: How the words are ordered
        limit: How many words are given at most
        without: Words that are not counted
    """
    words = [word.strip(".,;:!?").lower() for word in text.split()]
    counted = Counter(word for word in words if word not in (without or []))
    ordered = sorted(counted.items(), key=lambda item: item[0] if order == "alphabet" else (-item[1], item[0]))
    return {"words": dict(ordered[:limit]), "mean_length": round(mean(map(len, words)), 1) if words else 0}
