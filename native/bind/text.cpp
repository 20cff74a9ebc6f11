#include "bind/arrays.hpp"

void bind_text(nb::module_& m) { (void)m; }
