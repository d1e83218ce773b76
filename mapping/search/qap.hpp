#pragma once
// The quadratic assignment problem with dense matrices, for searches that keep a table of all swaps.

#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// cost(p) = sum over items i, j of flow(i, j) * distance(p_i, p_j) + sum over i of linear(i, p_i), p a permutation of
/// the locations. Items are ranks, locations are slots; there are as many of one as of the other.
///
/// The matrices are kept in a normal form that has the same costs: diagonals are moved into the linear part, and where
/// one matrix is symmetric the other is made so.
class Qap {
 public:
  using Matrix = std::vector<double>;  ///< `size` rows of `size` numbers

  /// An empty `linear` stands for zeros. Throws InputError unless the matrices are square, of that size and finite.
  Qap(std::size_t size, Matrix flow, Matrix distance, Matrix linear = {});
  explicit Qap(const QuadraticCost& cost);

  std::size_t size() const { return size_; }
  core::IdRange<Rank> items() const { return core::ids<Rank>(size_); }
  core::IdRange<Slot> locations() const { return core::ids<Slot>(size_); }
  std::span<const double> flow(Rank item) const { return row(flow_, item.index()); }
  std::span<const double> distance(Slot location) const { return row(distance_, location.index()); }
  /// The linear costs of an item on each location; empty if no item has any.
  std::span<const double> linear(Rank item) const {
    return linear_.empty() ? std::span<const double>{} : row(linear_, item.index());
  }
  /// Whether both matrices are symmetric.
  bool symmetric() const { return symmetric_; }

  double cost(const Assignment& assignment) const;

  // What greedy_start needs, as QuadraticCost has it.

  std::size_t rank_count() const { return size_; }
  std::size_t slot_count() const { return size_; }
  /// What an item alone would cost on each location, while those of the others that have a location stay there.
  void on_each_slot(const Assignment& assignment, Rank item, core::IdVector<Slot, double>& costs) const;
  /// Calls visit(other item, flow there and back) for each with a flow.
  template <class Visit>
  void for_each_partner(Rank item, Visit&& visit) const {
    for (const Rank other : items()) {
      const double to = flow(item)[other.index()], from = flow(other)[item.index()];
      if (to != 0 || from != 0) visit(other, to + from);
    }
  }

 private:
  std::span<const double> row(const Matrix& matrix, std::size_t index) const {
    return {matrix.data() + index * size_, size_};
  }
  void move_diagonals();
  void symmetrize();

  std::size_t size_;
  Matrix flow_, distance_, linear_;
  bool symmetric_ = false;
};

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
