"""Minimise smooth functions step by step, with a record of each step.

    gradient_descent      along the gradient, by a fixed rate or one that is searched
    stochastic_descent    along the gradient of a few rows at a time
    newton                along the Newton direction, damped
    lbfgs, lbfgs_l1       along a direction from the last gradients; with an l1 penalty
    proximal_gradient     gradient steps with an l1 penalty, accelerated
    proximal_newton       Newton steps with an l1 penalty, each by coordinate descent

A function to be minimised takes an array and returns its value and its gradient (Newton's: also its matrix of
second derivatives). Every method returns a `Descent` with the point reached, whether and why it stopped there,
and a `Trace` of the loss at each step that draws itself.
"""

from acumen.optimise.descent import gradient_descent, stochastic_descent
from acumen.optimise.lbfgs import lbfgs, lbfgs_l1
from acumen.optimise.newton import newton
from acumen.optimise.proximal import proximal_gradient, proximal_newton
from acumen.optimise.trace import Descent, Trace

__all__ = [
    "Descent",
    "Trace",
    "gradient_descent",
    "lbfgs",
    "lbfgs_l1",
    "newton",
    "proximal_gradient",
    "proximal_newton",
    "stochastic_descent",
]
