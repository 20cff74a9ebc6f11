// What every kernel test is made of: claims, counted when they fail, and the exit code at the end.
#pragma once

#include <cstdio>

namespace claims {

inline int failures = 0;

inline void expect(bool holds, const char* claim) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", claim);
    ++failures;
}

inline int finish() { return failures != 0; }

}  // namespace claims

using claims::expect;

// A claim that is its own words.
#define CHECK_TEXT(number) #number
#define CHECK_LINE(number) CHECK_TEXT(number)
#define CHECK(claim) expect((claim), #claim " (line " CHECK_LINE(__LINE__) ")")
