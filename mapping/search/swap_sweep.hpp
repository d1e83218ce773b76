#pragma once
// The inner loops of tabu search: the gains of all swaps brought up to date and the best of them found, in one pass
// over contiguous rows. Items and locations are plain indices here.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace toroid::mapping {

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

}  // namespace toroid::mapping
