// A packed forest of Python (src/acumen/ensembles/packed_forest.py), and columns of codes, as the kernels see
// them.
#pragma once

#include "bind/borrow.hpp"
#include "kernels/forests/walk.hpp"

using NodesIn = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WordsIn = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using StartsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagsIn = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeRowsIn = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Indices inside a packed forest were checked when it was made; lengths are looked at here.
class BorrowedForest {
  public:
    explicit BorrowedForest(nb::handle forest)
        : node_(nb::cast<NodesIn>(forest.attr("node"), false)),
          value_(nb::cast<MatrixIn>(forest.attr("value"), false)),
          sets_(nb::cast<WordsIn>(forest.attr("sets"), false)),
          start_(nb::cast<StartsIn>(forest.attr("start"), false)),
          set_start_(nb::cast<StartsIn>(forest.attr("set_start"), false)),
          nominal_(nb::cast<FlagsIn>(forest.attr("nominal"), false)) {
        const bool agree = node_.shape(1) == 2 && value_.shape(0) == node_.shape(0) && start_.size() >= 1 &&
                           set_start_.size() == start_.size() &&
                           start_.data()[start_.size() - 1] == static_cast<std::int64_t>(node_.shape(0)) &&
                           set_start_.data()[start_.size() - 1] == static_cast<std::int64_t>(sets_.size());
        if (!agree) throw nb::value_error("a packed forest's arrays differ in length");
    }

    std::size_t width() const { return std::max<std::size_t>(nominal_.size(), 1); }
    std::size_t outputs() const { return value_.shape(1); }
    acumen::forest::Trees trees() const {
        return {{reinterpret_cast<const acumen::forest::Node*>(node_.data()), node_.shape(0)},
                span_of(value_),
                span_of(sets_),
                span_of(start_),
                span_of(set_start_),
                span_of(nominal_),
                outputs()};
    }
    acumen::forest::CodeRows rows(const CodeRowsIn& codes) const {
        if (codes.shape(1) != width())
            throw nb::value_error("a packed forest asks for other columns of codes");
        return {codes.data(), codes.shape(0), codes.shape(1)};
    }

  private:
    NodesIn node_;
    MatrixIn value_;
    WordsIn sets_;
    StartsIn start_, set_start_;
    FlagsIn nominal_;
};

// The training columns: a list of contiguous arrays of uint8 or uint16, with what is known of each.
class BorrowedCodes {
    using Narrow = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Wide = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  public:
    BorrowedCodes(nb::handle codes, const CodesIn& slots, const FlagsIn& nominal, nb::handle low,
                  nb::handle high, std::size_t rows) {
        const auto lines = nb::cast<nb::sequence>(codes);
        const auto lows = nb::cast<nb::sequence>(low), highs = nb::cast<nb::sequence>(high);
        const std::size_t n = nb::len(lines);
        if (slots.size() != n || nominal.size() != n || nb::len(lows) != n || nb::len(highs) != n ||
            n > 65535)
            throw nb::value_error("columns of codes and what is known of them differ in number");
        for (std::size_t j = 0; j < n; ++j) {
            acumen::forest::Column made;
            made.slots = static_cast<std::uint32_t>(std::max(slots.data()[j], 0));
            made.nominal = nominal.data()[j] != 0;
            const nb::object line = lines[j];
            std::size_t length = 0;
            std::uint32_t most = 0;
            if (Narrow narrow; nb::try_cast(line, narrow, false)) {
                made.narrow = narrow.data();
                length = narrow.size();
                for (std::size_t i = 0; i < length; ++i)
                    if (made.narrow[i] != 255) most = std::max<std::uint32_t>(most, made.narrow[i] + 1u);
                narrow_.push_back(std::move(narrow));
                if (made.slots > 255) throw nb::value_error("a column of bytes has at most 255 slots");
            } else {
                auto wide = nb::cast<Wide>(line, false);
                made.wide = wide.data();
                length = wide.size();
                for (std::size_t i = 0; i < length; ++i)
                    if (made.wide[i] != 65535) most = std::max<std::uint32_t>(most, made.wide[i] + 1u);
                wide_.push_back(std::move(wide));
                if (made.slots > 65534) throw nb::value_error("a column of codes has at most 65534 slots");
            }
            auto first = nb::cast<FloatsIn>(nb::object(lows[j]), false);
            auto last = nb::cast<FloatsIn>(nb::object(highs[j]), false);
            if (length != rows || most > made.slots || first.size() != last.size() ||
                (first.size() && first.size() != made.slots))
                throw nb::value_error("a column of codes does not fit its rows or its slots");
            made.low = span_of(first);
            made.high = span_of(last);
            values_.push_back(std::move(first));
            values_.push_back(std::move(last));
            columns_.push_back(made);
        }
    }

    std::span<const acumen::forest::Column> columns() const { return columns_; }

  private:
    std::vector<Narrow> narrow_;
    std::vector<Wide> wide_;
    std::vector<FloatsIn> values_;
    std::vector<acumen::forest::Column> columns_;
};
