#pragma once
// Local search over mappings.

#include <cstddef>
#include <cstdint>

#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

enum class Reach : std::uint8_t {
  any,  ///< until no swap of two ranks and no move into an empty slot lowers the cost
  near  ///< until none does that brings a rank near to one of those that it exchanges with: far quicker for many ranks
};

/// Any swap up to 1,024 slots, near ones with more: the one takes time with the square of their number.
inline Reach usual_reach(std::size_t slots) {
  return slots <= 1024 ? Reach::any : Reach::near;
}

/// Swaps ranks while that lowers the cost, 2-exchange: each rank in turn takes its best partner. Only ranks whose swaps
/// may have changed are looked at again. `slot_of` is a permutation of the slots (see Assignment). Ties go to the lower
/// rank.
void descend(const QuadraticCost& cost, Assignment& slot_of, Reach reach = Reach::any);

}  // namespace toroid::mapping
