// What every binding needs: the array types that may cross, and views of them for the kernels.
// dtype, rank and order are part of the type; with `.noconvert()` a wrong array is refused, never copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

using CodesIn = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FloatsIn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using StridedFloatsIn = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using MatrixIn = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatsOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T, typename... Extra>
std::span<T> span_of(const nb::ndarray<T, Extra...>& array) {
    return {array.data(), array.size()};
}

// Hands a vector's memory to numpy without copying it.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

// The same as a matrix of so many columns.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T>&& values, std::size_t columns) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    const std::size_t rows = columns ? owned->size() / columns : 0;
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

// A ValueError with this sentence, unless the condition holds.
inline void require(bool condition, const char* sentence) {
    if (!condition) throw nb::value_error(sentence);
}
