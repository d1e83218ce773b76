#pragma once
// What a dense assignment problem is like: which swaps change nothing, and whether single precision is exact for it.

#include "mapping/search/qap.hpp"

namespace toroid::mapping {

/// In which units a problem is searched, and whether all sums are then whole and below 2^24. In a symmetric problem
/// flows and distances count both ways, which makes them whole if the given ones were.
struct Scale {
  double flow = 1, distance = 1;
  bool single_precision = false;
};

Scale scale_of(const Qap& problem);

/// Items of one class, by number: swapping two of them changes no cost. In O(size^2) for each class.
core::IdVector<Rank, std::size_t> item_classes(const Qap& problem);

/// The same of locations: whatever is on two of them, swapping it changes no cost.
core::IdVector<Slot, std::size_t> location_classes(const Qap& problem);

}  // namespace toroid::mapping
