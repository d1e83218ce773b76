#pragma once
// A study that takes a moment, for tests of what studies tell and of how they go on.

#include <string>

namespace toroid::test {

inline const std::string small_study =
    "compare mesh:4x4 torus:4x4 --trace cg:class=S,ranks=16,iterations=1 stencil:grid=4x4 --map consecutive random "
    "--repeat 3";

}  // namespace toroid::test
