// Growing one rule by FOIL's gain, test by test (Cohen 1995; Quinlan 1990).
#pragma once

#include <memory>

#include "kernels/common/parallel.hpp"
#include "kernels/rules/rows.hpp"

namespace acumen::rules {

struct GrowOptions {
    bool smoothed = true;            // whether one is added to the counts of the gain
    bool sets = false;               // whether several levels may be named at once
    double min_covered = 2;          // the least weight of rows that a rule gets right
    std::size_t most = 0;            // of tests; 0: any number
    std::vector<std::int32_t> must;  // attributes that every rule tests
    std::size_t threads = 1;
    std::vector<double> worth;  // what the gain of each column's tests is multiplied by; empty: all by one
};

class Grower {
  public:
    Grower(const Coded& rows, const GrowOptions& options);
    ~Grower();

    // Which class rules are to be grown for; remembers which rows are of it.
    void aim(std::int32_t label);

    // Adds tests to a rule, `some` being the rows that pass those it has. False if it cannot be made to test
    // all it must.
    bool grow(Rule& rule, RowList some) const;

    // How many rules were looked at, all in all.
    std::size_t tried() const;

  private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace acumen::rules
