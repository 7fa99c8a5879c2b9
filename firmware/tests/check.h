// Checks of the unit tests: a failed one says where and what, and the program ends with 1.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace check {

template <class A, class B>
void equal(const A& found, const B& wanted, const char* what, const char* file, int line) {
    if (found == wanted) return;
    std::ostringstream text;
    text << file << ':' << line << ": " << what << " is " << found << ", not " << wanted;
    fprintf(stderr, "%s\n", text.str().c_str());
    std::exit(1);
}

inline void holds(bool good, const char* what, const char* file, int line) {
    if (good) return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    std::exit(1);
}

// A number for the report of the tests.
inline void report(const char* name, double value, double bar) {
    printf("%s: %.4f (bar %.4f)\n", name, value, bar);
}

// Random numbers that are the same everywhere.
class Random {
public:
    explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    int32_t between(int32_t low, int32_t high) {
        return low + static_cast<int32_t>(next() % static_cast<uint32_t>(high - low + 1));
    }

private:
    uint32_t state_;
};

}  // namespace check

#define EQUAL(found, wanted) check::equal((found), (wanted), #found, __FILE__, __LINE__)
#define HOLDS(condition) check::holds((condition), #condition, __FILE__, __LINE__)
