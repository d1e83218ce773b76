#pragma once
// What a dense assignment problem is like: which swaps change nothing, and whether single precision is exact for it.

#include "mapping/search/qap.hpp"

namespace toroid::mapping {

/// The units in which a problem is searched, and whether all sums are then whole and below 2^24. In a symmetric problem
/// flows and distances count both ways, which makes them whole if the given ones were.
struct Scale {
  double flow = 1, distance = 1;
  bool single_precision = false;
};

Scale scale_of(const Qap& problem);

/// The class of each item: a swap of two items of one class changes no cost. Takes O(size^2) for each class.
core::IdVector<Rank, std::size_t> item_classes(const Qap& problem);

/// The class of each location: whatever is on two locations of one class, a swap of it changes no cost.
core::IdVector<Slot, std::size_t> location_classes(const Qap& problem);

}  // namespace toroid::mapping
