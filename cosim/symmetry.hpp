#pragma once
// What goes on among some nodes of a mesh goes on alike among others that lie in the same way, further along or
// mirrored. So what was simulated once is known wherever it happens again.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::cosim {

/// Routes along a mesh whose links are all alike stay routes when they are shifted or mirrored, with the same links in
/// common. On a torus they need not, since the way over half of it depends on where it begins: such dimensions, and all
/// of a machine with failed, twisted or particular links, stay as they are.
class Symmetry {
 public:
  /// The machine must outlive it. If not `at_all`, nothing looks like anything else.
  Symmetry(const platforms::Machine& machine, bool at_all);

  /// A program, whatever tells it from others, and its nodes by rank.
  struct Placed {
    std::string what;
    std::span<const platforms::NodeId> nodes;
  };
  /// Programs on a machine, alike for all that are images of each other.
  struct Form {
    std::string key;
    std::vector<std::size_t> order;  ///< of the programs in it, by their numbers
  };
  Form form(std::span<const Placed> programs) const;

 private:
  Form image(std::span<const Placed> programs, std::size_t mirrored) const;

  const platforms::Machine& machine_;
  std::vector<std::size_t> movable_;  ///< dimensions
};

}  // namespace toroid::cosim
