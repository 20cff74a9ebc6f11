// Kernel functions and the rows they are between, as Python hands them over.
#pragma once

#include <string>

#include "bind/borrow.hpp"
#include "kernels/svm/kernel_sums.hpp"

template <typename T>
using Square = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline acumen::KernelFunction function_of(const std::string& name, double gamma, double offset,
                                          unsigned degree) {
    using enum acumen::KernelKind;
    if (name == "linear") return {linear, gamma, offset, degree};
    if (name == "polynomial") return {polynomial, gamma, offset, degree};
    if (name == "rbf") return {rbf, gamma, offset, degree};
    if (name == "sigmoid") return {sigmoid, gamma, offset, degree};
    throw nb::value_error("there is no such kernel");
}

template <typename T>
acumen::KernelRows<T> rows_of(const Square<const T>& values, const Line<T>& squares) {
    if (squares.size() != values.shape(0)) throw nb::value_error("one squared norm is needed for each row");
    return {values.shape(0), values.shape(1), values.data(), squares.data()};
}
