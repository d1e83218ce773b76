#include "workloads/generators/generators.hpp"

namespace toroid::workloads {

const core::Registry<MakeTrace>& generators() {
  static const core::Registry<MakeTrace> registry("generator",
                                                  {{"stencil",
                                                    "halo exchange on an n-D grid of ranks",
                                                    make_stencil,
                                                    {{"grid", "extents of the grid of ranks (4x4x4)"},
                                                     {"steps", "time steps (10)"},
                                                     {"bytes", "bytes to each neighbour (8KiB)"},
                                                     {"flops", "computation per rank and step (1Mf)"},
                                                     {"periodic", "yes or no (no)"}}},
                                                   {"cg",
                                                    "conjugate gradient on a square grid of ranks",
                                                    make_cg,
                                                    {{"ranks", "a power of four (64)"},
                                                     {"steps", "iterations (25)"},
                                                     {"bytes", "bytes of a vector segment (14000)"},
                                                     {"flops", "computation per rank and iteration (100kf)"}}}});
  return registry;
}

}  // namespace toroid::workloads
