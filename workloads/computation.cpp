#include "workloads/computation.hpp"

namespace toroid::workloads {
namespace {

void add(RankComputation& sum, const Operation& op) {
  if (op.kind == OpKind::compute || op.kind == OpKind::compute_after) sum.amount += op.amount;
  if (op.kind == OpKind::sleep) sum.slept_s += op.amount;
}

RankComputation computation_of(const Trace& trace, Rank rank) {
  RankComputation sum;
  const auto stream = trace.open(rank);
  const auto rounds = trace.rounds(rank);
  Operation op;
  std::uint64_t count = 0;
  const auto take = [&](std::uint64_t operations) {
    for (; operations > 0 && stream->next(op); --operations, ++count) add(sum, op);
  };
  if (rounds.count >= 2) {
    take(rounds.first + rounds.length);  // the first round may have come another way to where it begins
    const auto before = sum;
    const auto mark = stream->mark();
    const auto since = count;
    take(rounds.length);
    const auto times = count > since ? stream->repeats(mark, true) : 0;
    sum.amount += static_cast<double>(times) * (sum.amount - before.amount);
    sum.slept_s += static_cast<double>(times) * (sum.slept_s - before.slept_s);
    if (times > 0) stream->skip(mark, times);
  }
  while (stream->next(op)) add(sum, op);
  return sum;
}

}  // namespace

core::IdVector<Rank, RankComputation> computation_by_rank(const Trace& trace) {
  core::IdVector<Rank, RankComputation> all;
  all.reserve(static_cast<std::size_t>(trace.ranks()));
  for (const Rank rank : core::ids<Rank>(trace.ranks())) all.add(computation_of(trace, rank));
  return all;
}

}  // namespace toroid::workloads
