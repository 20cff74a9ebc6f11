"""Kernel functions between rows, for the parameter `kernel` of KernelFisher, Perceptron and SVM.

Linear, Polynomial, RBF, Sigmoid      the kernels one can name
Function, Precomputed                 the user's own, as a function or as a matrix
k1 + k2, k1 * k2, 3 * k1              are kernels too
k.is_psd(X)                           whether the rows' kernel matrix is positive semidefinite
"""

from __future__ import annotations

from acumen.geometry.kernel import Definiteness, Kernel, Multiple, Product, Sum
from acumen.geometry.kernel_state import from_state, resolve
from acumen.geometry.kernels import RBF, Function, Linear, Polynomial, Precomputed, Sigmoid

__all__ = [
    "RBF",
    "Definiteness",
    "Function",
    "Kernel",
    "Linear",
    "Multiple",
    "Polynomial",
    "Precomputed",
    "Product",
    "Sigmoid",
    "Sum",
    "from_state",
    "resolve",
]
