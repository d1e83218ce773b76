#pragma once
// What tests leave to the builds without sanitizers, under which all takes five to ten times as long.

#include "tests/support/support.hpp"

namespace toroid::test {

/// Of random cases, or of a size that is large for the sake of it, a tenth with sanitizers, and all without.
template <class Number>
constexpr Number tenth_if_sanitized(Number all) {
  return is_sanitized ? all / 10 : all;
}

}  // namespace toroid::test
