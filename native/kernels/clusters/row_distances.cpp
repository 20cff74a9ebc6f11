#include "kernels/clusters/row_distances.hpp"

#include "kernels/common/clones.hpp"

namespace acumen {

namespace {

constexpr double NOWHERE = std::numeric_limits<double>::infinity();

ACUMEN_CLONES void square_roots(double unit, double* keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = unit * __builtin_sqrt(keys[i]);
}

ACUMEN_CLONES void products(double unit, double* keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = unit * keys[i];
}

ACUMEN_CLONES void put_in_reach(double far, double* keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = keys[i] == NOWHERE ? far : keys[i];
}

}  // namespace

void keys_to_distances(const NearForm& form, double far, double* keys, std::size_t count) {
    switch (form.root) {
        case NearRoot::square_root:
            square_roots(form.unit, keys, count);
            break;
        case NearRoot::itself:
            products(form.unit, keys, count);
            break;
        default:
            for (std::size_t i = 0; i < count; ++i) keys[i] = form.distance(keys[i]);
    }
    put_in_reach(far, keys, count);
}

RowDistances::RowDistances(const NearIndex& index, const double* extra, double far)
    : form_(index.form()),
      rows_(index.rows()),
      extra_(extra),
      far_(far),
      plain_(near_plain(index.form(), index.rows())) {
    ask();
}

RowDistances::RowDistances(const RowDistances& whole, std::span<const std::uint32_t> some)
    : copy_(std::make_unique<Copy>()),
      form_(whole.form_),
      rows_(copy_->rows),
      extra_(nullptr),
      far_(whole.far_) {
    const NearRows& from = whole.rows_;
    NearRows& rows = copy_->rows;
    rows.n = some.size(), rows.d = from.d, rows.q = from.q;
    copy_->values.reserve(rows.n * rows.d);
    copy_->codes.reserve(rows.n * rows.q);
    for (std::size_t i = 0; i < rows.n; ++i) {
        rows.order.push_back(static_cast<std::uint32_t>(i));
        const double* values = from.values + some[i] * rows.d;
        copy_->values.insert(copy_->values.end(), values, values + rows.d);
        if (rows.q) {
            const std::int32_t* codes = from.codes + some[i] * rows.q;
            copy_->codes.insert(copy_->codes.end(), codes, codes + rows.q);
        }
        if (whole.extra_)
            for (const std::uint32_t other : some)
                copy_->extra.push_back(whole.extra_[some[i] * from.n + other]);
    }
    rows.values = copy_->values.data();
    rows.codes = copy_->codes.data();
    rows.lay(form_);
    if (whole.extra_) extra_ = copy_->extra.data();
    plain_ = near_plain(form_, rows);
    ask();
}

void RowDistances::ask() {
    asking_.resize(rows_.n * rows_.q);
    for (std::size_t i = 0; i < asking_.size(); ++i) {
        const auto missing = static_cast<std::int32_t>(form_.levels[i % rows_.q]);
        asking_[i] = rows_.codes[i] == missing ? -1 : rows_.codes[i];
    }
}

NearQuery RowDistances::query(std::size_t row) const {
    return {rows_.values + row * rows_.d, rows_.q ? asking_.data() + row * rows_.q : nullptr, nullptr,
            extra_ ? extra_ + row * rows_.n : nullptr};
}

void RowDistances::from(std::size_t row, double* out, std::size_t first) const {
    alignas(64) double keys[NEAR_LANES];
    const NearQuery asked = query(row);
    for (std::size_t tile = first / NEAR_LANES; tile < rows_.n_tiles(); ++tile) {
        if (plain_)
            near_squares(form_, rows_, asked.values, tile, -1.0, keys);
        else
            near_keys(form_, rows_, asked, tile, keys);
        const std::size_t start = std::max(first, tile * NEAR_LANES);
        const std::size_t last = std::min(rows_.n, (tile + 1) * NEAR_LANES);
        std::copy(keys + (start - tile * NEAR_LANES), keys + (last - tile * NEAR_LANES), out + start);
    }
    if (first < rows_.n) keys_to_distances(form_, far_, out + first, rows_.n - first);
    if (row >= first) out[row] = 0;
}

double RowDistances::between(std::size_t a, std::size_t b) const {
    if (a == b) return 0;
    double key = plain_ ? near_square(form_, rows_, rows_.values + a * rows_.d, b)
                        : near_key(form_, rows_, query(a), b);
    keys_to_distances(form_, far_, &key, 1);
    return key;
}

}  // namespace acumen
