#include "workloads/generators/npb/multipartition.hpp"
#include "core/quantities.hpp"

#include <cmath>

namespace toroid::workloads::npb {
namespace {

std::int32_t root(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::lround(std::sqrt(ranks)));
}

}  // namespace

MultipartitionCosts::MultipartitionCosts(const std::string& setup_unless_given, const std::string& rhs_unless_given,
                                         const std::string& eliminate_unless_given,
                                         const std::string& substitute_unless_given,
                                         const std::string& piece_unless_given)
    : setup("setup", "initial values and the exact solution: for each point of a rank", core::flops(),
            setup_unless_given),
      rhs("rhs", "the right hand side: for each point of a rank's cells and their borders", core::flops(),
          rhs_unless_given),
      eliminate("eliminate", "a sweep forward: for each point of a rank", core::flops(), eliminate_unless_given),
      substitute("substitute", "a sweep backward: for each point of a rank", core::flops(), substitute_unless_given),
      piece("piece", "what going through a cell takes besides", core::flops(), piece_unless_given) {}

Multipartition::Multipartition(const Request& request, const MultipartitionCosts& costs, std::int32_t iterations,
                               std::int32_t points)
    : Benchmark(request, iterations),
      side_(root(request.ranks)),
      points_(points),
      setup_(request.costs[costs.setup]),
      rhs_(request.costs[costs.rhs]),
      eliminate_(request.costs[costs.eliminate]),
      substitute_(request.costs[costs.substitute]),
      piece_(request.costs[costs.piece]) {}

bool Multipartition::fits(std::int32_t ranks, std::int32_t points) {
  constexpr std::int32_t least = 3;
  return root(ranks) * root(ranks) == ranks && points / root(ranks) >= least;
}

Cell Multipartition::cell(Rank rank, std::size_t axis, std::int32_t stage) const {
  const auto x = rank.value() % side_, y = rank.value() / side_;  // of the cell with z = 0
  const auto z = axis == 0 ? (stage - x + side_) % side_ : axis == 1 ? (y - stage + side_) % side_ : stage;
  Cell cell{{(x + z) % side_, (y - z + side_) % side_, z}, {}};
  for (std::size_t a = 0; a < 3; ++a) cell.points[a] = points_ / side_ + (cell.at[a] < points_ % side_ ? 1 : 0);
  return cell;
}

double Multipartition::points_of(Rank rank, std::int32_t border) const {
  double sum = 0;
  for (std::int32_t stage = 0; stage < side_; ++stage) {
    double points = 1;
    for (const auto along : cell(rank, 2, stage).points) points *= along + 2 * border;
    sum += points;
  }
  return sum;
}

double Multipartition::setup(Rank rank) const {
  return setup_ * points_of(rank, 0);
}

void Multipartition::right_hand_side(Rank rank, Script& script) const {
  copy_faces(rank, script);
  script.compute(rhs_ * points_of(rank, 1) + piece_ * side_);
}

CommRank Multipartition::neighbour(Rank rank, std::size_t axis, std::int32_t step) const {
  const std::int32_t dx = axis == 0 ? step : axis == 1 ? 0 : -step, dy = axis == 0 ? 0 : step;
  const auto x = rank.value() % side_, y = rank.value() / side_;
  return (x + dx + side_) % side_ + side_ * ((y + dy + side_) % side_);
}

std::uint64_t Multipartition::face_bytes(Rank rank, std::size_t axis, bool high) const {
  constexpr std::uint64_t layers = 2;
  std::uint64_t sum = 0;
  for (std::int32_t stage = 0; stage < side_; ++stage) {
    if (stage == (high ? side_ - 1 : 0)) continue;  // at the boundary
    const auto points = cell(rank, axis, stage).points;
    sum += static_cast<std::uint64_t>(points[(axis + 1) % 3] * points[(axis + 2) % 3]);
  }
  return sum * layers * variables * word;
}

void Multipartition::copy_faces(Rank rank, Script& script) const {
  if (side_ == 1) return;
  RequestHandle request = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    script.irecv(successor(rank, axis), low_side[axis], face_bytes(rank, axis, true), request++);
    script.irecv(predecessor(rank, axis), high_side[axis], face_bytes(rank, axis, false), request++);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    script.isend(successor(rank, axis), high_side[axis], face_bytes(rank, axis, true), request++);
    script.isend(predecessor(rank, axis), low_side[axis], face_bytes(rank, axis, false), request++);
  }
  script.waitall(request);
}

void Multipartition::iterate(Rank rank, std::int32_t, Script& script) const {
  right_hand_side(rank, script);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool forward : {true, false}) sweep(rank, axis, forward, script);
}

void Multipartition::finish(Rank rank, Script& script) const {
  script.collective(OpKind::allreduce, variables * word);
  right_hand_side(rank, script);
  script.collective(OpKind::allreduce, variables * word);
  script.collective(OpKind::reduce, word);
  script.collective(OpKind::barrier);
}

}  // namespace toroid::workloads::npb
