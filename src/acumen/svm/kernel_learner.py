"""What the faces of all machines share: what their kernel may be given, and their weights where it is linear."""

from __future__ import annotations

from typing import Any

from acumen import messages
from acumen.base.learner import Learner
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.data.schema import Schema
from acumen.svm.kernel_rows import is_linear, is_precomputed
from acumen.svm.reading.text import original_units
from acumen.svm.solvers.certificate import Certificate
from acumen.svm.solvers.decomposition import MEMORY
from acumen.types import Array, Floats


class KernelLearner(Learner):
    """Mixed into a learner whose model has a `view` and an `expansion` over a kernel."""

    kernel: Any
    bias: Any
    model_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: C is relative to a sum of losses."""
        return True

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: kernels depend on the number of columns."""
        return not is_linear(self.kernel) or self.bias == "folded"

    @property
    def folds_by_content(self) -> bool:
        """Whether rows are assigned to folds by content: probabilities are fitted to scores of held-out folds."""
        return getattr(self, "probability", None) is not None

    def objection(self, schema: Schema) -> str | None:
        if is_precomputed(self.kernel):
            if len(schema.numeric) != len(schema):
                return "a precomputed kernel consists of numbers; this table has other attributes."
        elif schema.text and not is_linear(self.kernel):
            how = messages.setting("kernel", "linear")
            return f"words are for a linear kernel, others see no more in them: use {how} for text."
        return None

    @property
    def keeps_sparse(self) -> bool:  # type: ignore[override]  # it depends on the kernel
        """Whether sparse rows stay sparse, as with a linear kernel."""
        return is_linear(self.kernel)

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Approximate bytes of a fit: the encoded rows, and the stored part of the kernel matrix."""
        width = Widths.of(schema).coded
        if is_linear(self.kernel):
            return dense_bytes(rows, width, 2.8)
        return dense_bytes(rows, width, 2.8) + min(int(4.2 * rows * rows), MEMORY)

    @property
    def interpretable(self) -> bool:
        """Whether a person can read the model: the weights of a linear kernel can be read."""
        return is_linear(self.kernel)

    @property
    def certificate_(self) -> Certificate:
        """`primal`, `dual`, `gap` and `kkt` of the solution, also stored in a model file."""
        certificate: Certificate = getattr(self, "_certificate", None) or self.model_.certificate
        return certificate

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The columns of `coef_`: attributes, and categories of nominal ones."""
        view = self.model_.view
        if view is None:
            raise AttributeError("a precomputed kernel has no columns")
        names: tuple[str, ...] = view.names
        return names

    @property
    def support_vectors_(self) -> Array:
        """The support vectors, in scaled units; none for a linear kernel, which needs only weights."""
        support: Array = self.model_.expansion.support
        return support

    def _linear(self) -> tuple[Floats, Floats]:
        """Weights and intercepts in the attributes' own units."""
        model = self.model_
        if not model.is_linear or model.view is None:
            raise AttributeError("weights are for kernel='linear': this machine's are sums of kernels")
        return original_units(model.view, model.expansion.coefficients, model.expansion.intercept)

    def _intercepts(self) -> Floats:
        """The biases; with a linear kernel in the attributes' own units."""
        model = self.model_
        linear = model.is_linear and model.view is not None
        intercepts: Floats = self._linear()[1] if linear else model.expansion.intercept
        return intercepts
