from typing import Any


def calibrated(learner: Any) -> Any:
    return learner
