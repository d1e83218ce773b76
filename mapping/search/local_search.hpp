#pragma once
// Local search over mappings.

#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// Swaps ranks while that lowers the cost, until no swap of two ranks and no move into an empty slot does: 2-exchange,
/// each rank in turn takes its best partner. Only ranks whose swaps may have changed are looked at again. `slot_of` is
/// a permutation of the slots (see Assignment). Ties go to the lower rank.
void descend(const QuadraticCost& cost, Assignment& slot_of);

}  // namespace toroid::mapping
