#pragma once
// Searches on a dense quadratic assignment problem: robust tabu search (Taillard 1991), and a memetic search made of
// many.

#include <array>
#include <cstddef>
#include <limits>

#include "core/interrupt.hpp"
#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

// The inner loops of tabu search: the gains of all swaps brought up to date and the best of them found, in one pass
// over contiguous rows. Items and locations are plain indices here.

/// How many numbers are worked on at once.
template <class Value>
struct Lanes {
  static constexpr std::size_t bytes = 64;
  static constexpr std::size_t count = bytes / sizeof(Value);
  using Vector [[gnu::vector_size(64), gnu::may_alias]] = Value;
};

/// A matrix whose rows begin on whole lanes. With one row it is a vector.
template <class Value>
class Table {
 public:
  Table(std::size_t rows, std::size_t columns, Value value = 0)
      : stride_((columns + lanes - 1) / lanes), blocks_(rows * stride_) {
    fill(value);
  }

  void fill(Value value) {
    for (auto& block : blocks_) block.fill(value);
  }
  Value* row(std::size_t r) { return blocks_.data()[r * stride_].data(); }
  const Value* row(std::size_t r) const { return blocks_.data()[r * stride_].data(); }

 private:
  static constexpr std::size_t lanes = Lanes<Value>::count;
  struct alignas(Lanes<Value>::bytes) Block : std::array<Value, lanes> {};
  std::size_t stride_;
  std::vector<Block> blocks_;
};

template <class Value>
constexpr Value infinity = std::numeric_limits<Value>::infinity();

/// A swap of two items, the greater first, and by how much it changes the cost.
template <class Value>
struct Swap {
  Value gain = infinity<Value>;
  std::size_t a = 0, b = 0;
};

/// How the table of gains changes when two items swap, and which swap is the best then.
///
/// gain(u, v) += (flow(u) - flow(v)) * (distance(v) - distance(u)) for all v < u: `flow` of an item is the difference
/// of its flows to the two that swapped, `distance` that of its distances to them. `back_...` are the same the other
/// way round, absent where the problem is symmetric.
template <class Value>
struct Sweep {
  std::size_t items, columns;  ///< swaps (u, v) with v < u < items and v < columns
  Table<Value>& gain;
  const Table<Value>& forbidden_until;
  const Table<Value>&flow, &distance, &back_flow, &back_distance;
  Value now, aspired;  ///< a swap is allowed if it is not forbidden `now`, or if its gain is below `aspired`
};

Swap<float> sweep_symmetric(const Sweep<float>& sweep);
Swap<double> sweep_symmetric(const Sweep<double>& sweep);
Swap<float> sweep_general(const Sweep<float>& sweep);
Swap<double> sweep_general(const Sweep<double>& sweep);

/// table(row, column) += factors(row) * others(column)
void add_outer_product(Table<float>& table, std::size_t rows, std::size_t columns, const Table<float>& factors,
                       const Table<float>& others);
void add_outer_product(Table<double>& table, std::size_t rows, std::size_t columns, const Table<double>& factors,
                       const Table<double>& others);

// The quadratic assignment problem with dense matrices, for searches that keep a table of all swaps.

/// cost(p) = sum over items i, j of flow(i, j) * distance(p_i, p_j) + sum over i of linear(i, p_i), p a permutation of
/// the locations. Items are ranks, locations are slots; there are as many of one as of the other.
///
/// The matrices are kept in a normal form that has the same costs: diagonals are moved into the linear part, and where
/// one matrix is symmetric the other is made so.
class Qap {
 public:
  using Matrix = std::vector<double>;  ///< `size` rows of `size` numbers

  /// Throws InputError unless the matrices are square, of that size and finite.
  Qap(std::size_t size, Matrix flow, Matrix distance);
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

/// When a search ends: after so many iterations, or earlier if the user interrupts it or `stop` says so, which is asked
/// now and then with the lowest cost so far. What a mapper returns must not depend on a clock: `stop` is for
/// benchmarks.
struct SearchBudget {
  std::int64_t iterations;
  std::function<bool(double)> stop = {};

  bool ends(double least) const { return iterations <= 0 || core::is_interrupted() || (stop && stop(least)); }
};

/// Each iteration makes the best swap of two items that is not forbidden, better or not. An item may not go back to a
/// location that it left a short, random time ago, unless that makes the best assignment so far. Of equally good swaps
/// it makes the one of the lowest items.
///
/// The gains of all swaps are kept in a table. After a swap, that of any other two items changes by a product
/// (Taillard's update in O(1)); those of the two items themselves follow from a second table, the cost of each item on
/// each location. So an iteration is O(size^2), in passes over contiguous rows. Memory: 4 tables of size^2 numbers.
class TabuSearch {
 public:
  virtual ~TabuSearch() = default;

  /// Searches from `assignment` on, spends iterations of the budget, and leaves the best assignment found there.
  /// Returns its cost. Where no swap changes the cost at all, it ends the budget. Depends on the assignment and the
  /// random stream alone, not on searches before.
  virtual double run(Assignment& assignment, std::int64_t iterations, SearchBudget& budget, core::Random& random) = 0;
};

/// Makes a search on `problem`, which must outlive it. The search works in single precision if that is exact for the
/// numbers of the problem, as it is for small whole ones, else in double precision.
std::unique_ptr<TabuSearch> make_tabu_search(const Qap& problem);

/// Returns the best assignment that is found within the budget. The search begins with `start`, too, if it is not
/// empty.
///
/// Memetic search (after Benlic, Hao 2015): 15 assignments, half of them greedy, half random, each improved by a short
/// tabu search; then again and again a child of two of them, improved in the same way, takes the place of the worst if
/// it is better and new. When nothing better was found for long, all begins anew with searches twice as long; the best
/// of all counts.
Assignment memetic_search(const Qap& problem, SearchBudget& budget, core::Random& random, Assignment start = {});

}  // namespace toroid::mapping
