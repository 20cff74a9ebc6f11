// The one extension; each kernel header has a binding file of its own, listed here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_intern(nb::module_& m);
void bind_text(nb::module_& m);

NB_MODULE(_native, m) {
    m.doc() = "acumen's C++ kernels.";
    bind_intern(m);
    bind_text(m);
}
