// A Tree of Python (src/acumen/trees/tree.py) and its columns as the kernels see them. Each keeps its arrays
// alive; make and destroy it while holding the GIL. Indices inside a Tree were checked when it was made.
#pragma once

#include <string>
#include <vector>

#include "bind/borrow.hpp"
#include "kernels/trees/types.hpp"
#include "kernels/trees/walk.hpp"

// The options of growing from the arguments of their names; factors and costs are set by the caller.
acumen::tree::Options tree_options_of(const nb::dict& given);

class BorrowedTests {
  public:
    explicit BorrowedTests(nb::handle tests)
        : input_(nb::cast<CodesIn>(tests.attr("input"), false)),
          cut_at_(nb::cast<CodesIn>(tests.attr("cut_at"), false)),
          cuts_(nb::cast<FloatsIn>(tests.attr("cuts"), false)),
          branch_at_(nb::cast<CodesIn>(tests.attr("branch_at"), false)),
          branch_(nb::cast<CodesIn>(tests.attr("branch"), false)) {
        const std::size_t n = input_.size();
        if (cut_at_.size() != n + 1 || branch_at_.size() != n + 1)
            throw nb::value_error("a tree's tests differ in length");
    }

    std::size_t size() const { return input_.size(); }
    acumen::TestArrays arrays() const {
        return {input_.data(), cut_at_.data(), cuts_.data(), branch_at_.data(), branch_.data()};
    }
    std::span<const std::int32_t> inputs() const { return span_of(input_); }

  private:
    CodesIn input_, cut_at_;
    FloatsIn cuts_;
    CodesIn branch_at_, branch_;
};

class BorrowedTree {
  public:
    explicit BorrowedTree(nb::handle tree)
        : tests_(tree.attr("tests")),
          surrogates_(tree.attr("surrogates")),
          first_(nb::cast<CodesIn>(tree.attr("first"), false)),
          branches_(nb::cast<CodesIn>(tree.attr("branches"), false)),
          otherwise_(nb::cast<CodesIn>(tree.attr("otherwise"), false)),
          surrogate_at_(nb::cast<CodesIn>(tree.attr("surrogate_at"), false)) {
        const std::size_t n = first_.size();
        if (!n || tests_.size() != n || branches_.size() != n || otherwise_.size() != n ||
            surrogate_at_.size() != n + 1)
            throw nb::value_error("a tree's arrays differ in length");
    }

    std::size_t nodes() const { return first_.size(); }
    acumen::TreeArrays arrays() const {
        return {nodes(),           tests_.arrays(),      first_.data(),       branches_.data(),
                otherwise_.data(), surrogate_at_.data(), surrogates_.arrays()};
    }
    // Whether each test looks at one of so many columns.
    bool fits(std::size_t columns) const {
        const auto inside = [&](std::span<const std::int32_t> inputs) {
            for (const std::int32_t j : inputs)
                if (j >= 0 && static_cast<std::size_t>(j) >= columns) return false;
            return true;
        };
        return inside(tests_.inputs()) && inside(surrogates_.inputs());
    }

  private:
    BorrowedTests tests_, surrogates_;
    CodesIn first_, branches_, otherwise_, surrogate_at_;
};

// A list of columns, each of float64 or int32.
class BorrowedInputs {
    template <typename T>
    using Line = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

  public:
    BorrowedInputs(nb::handle columns, std::size_t rows, const char* who) {
        for (nb::handle value : nb::cast<nb::sequence>(columns)) {
            acumen::InputColumn made;
            std::size_t length = 0;
            if (Line<double> numbers; nb::try_cast(value, numbers, false)) {
                made.numbers = {numbers.data(), numbers.stride(0)};
                length = numbers.shape(0);
                numbers_.push_back(std::move(numbers));
            } else {
                auto codes = nb::cast<Line<std::int32_t>>(value, false);
                made.codes = {codes.data(), codes.stride(0)};
                made.numeric = false;
                length = codes.shape(0);
                codes_.push_back(std::move(codes));
            }
            if (length != rows)
                throw nb::value_error((std::string(who) + ": columns and labels differ in length").c_str());
            columns_.push_back(made);
        }
    }

    std::span<const acumen::InputColumn> columns() const { return columns_; }

  private:
    std::vector<Line<double>> numbers_;
    std::vector<Line<std::int32_t>> codes_;
    std::vector<acumen::InputColumn> columns_;
};
