// The options of growing, as Python hands them over.
#pragma once

#include "bind/borrow.hpp"
#include "kernels/tree_types.hpp"

// From the arguments of their names; factors and costs are set by the caller.
acumen::tree::Options tree_options_of(const nb::dict& given);
