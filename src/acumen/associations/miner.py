"""What miners have of scikit-learn's face without being estimators: parameters that are declared once."""

from __future__ import annotations

from typing import Any, Self

from acumen.errors import ParameterError, did_you_mean
from acumen.models.parameters import check_parameters, specs_of


class Miner:
    """Parameters in `__init__` only, stored as given and checked when it is fitted."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn asks for them."""
        return {spec.name: getattr(self, spec.name) for spec in specs_of(type(self))}

    def set_params(self, **given: Any) -> Self:
        """Change some parameters."""
        known = [spec.name for spec in specs_of(type(self))]
        for name, value in given.items():
            if name not in known:
                raise ParameterError(
                    f"{self._name}: there is no parameter {name!r}.{did_you_mean(name, known)}"
                )
            setattr(self, name, value)
        return self

    def check_parameters(self) -> None:
        """Raise ParameterError unless every parameter is what its declaration asks for."""
        check_parameters(self._name, type(self), self.get_params())

    @property
    def _name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        defaults = {spec.name: spec.default for spec in specs_of(type(self))}
        given = {k: v for k, v in self.get_params().items() if v is not defaults[k] and v != defaults[k]}
        return f"{self._name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"
