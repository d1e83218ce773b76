#include "workloads/generators/npb/multipartition.hpp"

#include <cmath>

namespace toroid::workloads::npb {
namespace {

std::int32_t root(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::lround(std::sqrt(ranks)));
}

}  // namespace

Multipartition::Multipartition(const Request& request, const Amount& amount, std::int32_t points)
    : Benchmark(request, amount), side_(root(request.ranks)), points_(points) {}

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
  copy_faces(rank, script);
  script.compute(1 - 3 * (forward_part + backward_part));
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool forward : {true, false}) sweep(rank, axis, forward, script);
}

void Multipartition::finish(Rank rank, Script& script) const {
  script.collective(OpKind::allreduce, variables * word);
  copy_faces(rank, script);
  script.collective(OpKind::allreduce, variables * word);
  script.collective(OpKind::reduce, word);
  script.collective(OpKind::barrier);
}

}  // namespace toroid::workloads::npb
