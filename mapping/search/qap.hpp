#pragma once
// The quadratic assignment problem with dense matrices, for searches that keep a table of all swaps.

#include <cstddef>
#include <span>
#include <vector>

#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// cost(p) = sum over items i, j of flow(i, j) * distance(p_i, p_j) + sum over i of linear(i, p_i), p a permutation of
/// the locations. Items are ranks, locations are slots; there are as many of one as of the other.
///
/// The matrices are kept in a normal form that has the same costs: diagonals are moved into the linear part, and where
/// one matrix is symmetric the other is made so.
class Qap {
 public:
  using Matrix = std::vector<double>;  ///< size() rows of size() numbers

  /// `linear` may be empty: nothing. Throws InputError unless the matrices are square, of that size and finite.
  Qap(std::size_t size, Matrix flow, Matrix distance, Matrix linear = {});
  explicit Qap(const QuadraticCost& cost);

  std::size_t size() const { return size_; }
  std::span<const double> flow(std::size_t item) const { return row(flow_, item); }
  std::span<const double> distance(std::size_t location) const { return row(distance_, location); }
  /// The linear costs of an item on each location; empty if no item has any.
  std::span<const double> linear(std::size_t item) const {
    return linear_.empty() ? std::span<const double>{} : row(linear_, item);
  }
  /// Whether both matrices are symmetric.
  bool symmetric() const { return symmetric_; }

  double cost(const Assignment& assignment) const;

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

}  // namespace toroid::mapping
