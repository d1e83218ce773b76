#include "workloads/computation.hpp"

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {
namespace {

void add(RankComputation& sum, const Operation& op) {
  sum.amount += op.computed();
  if (op.kind == OpKind::sleep) sum.slept_s += op.amount;
}

/// What a rank of a trace in memory computes: summing up takes less time than a look for what repeats.
RankComputation computation_of(const CompactTrace& trace, Rank rank) {
  RankComputation sum;
  for (ProgramCode::Reader reader(trace.code(rank)); !reader.at_end();)
    if (reader.at_computation())
      sum.amount += reader.amount();
    else
      add(sum, trace.operation(rank, reader.number()));
  return sum;
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
  const auto* in_memory = dynamic_cast<const CompactTrace*>(&trace);
  for (const Rank rank : core::ids<Rank>(trace.ranks()))
    all.add(in_memory != nullptr ? computation_of(*in_memory, rank) : computation_of(trace, rank));
  return all;
}

}  // namespace toroid::workloads
