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

/// Finds placements that are shifted or mirrored images of each other. Along a mesh whose links are all alike, shifted
/// or mirrored routes are routes, too, with the same links in common. On a torus they need not be, since the way half
/// round it depends on where it begins. So places are not moved along such dimensions, nor on machines with failed,
/// twisted or exceptional links.
class Symmetry {
 public:
  /// The machine must outlive it. If `at_all` is false, no placement counts as the image of another.
  Symmetry(const platforms::Machine& machine, bool at_all);

  /// A program on a machine: a text that tells it from others, and its nodes by rank.
  struct Placed {
    std::string what;
    std::span<const platforms::NodeId> nodes;
  };
  /// A key that is the same for all placements that are images of each other.
  struct Form {
    std::string key;
    std::vector<std::size_t> order;  ///< numbers of the programs, in the order that the key has them in
  };
  Form form(std::span<const Placed> programs) const;

 private:
  Form image(std::span<const Placed> programs, std::size_t mirrored) const;

  const platforms::Machine& machine_;
  std::vector<std::size_t> movable_;  ///< dimensions along which places can be moved
};

}  // namespace toroid::cosim
