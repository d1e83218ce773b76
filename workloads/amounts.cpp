#include "workloads/amounts.hpp"

#include "core/units.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

void add(RankComputation& sum, const Operation& op) {
  sum.amount += op.computed();
  sum.touched += op.touched();
  if (is_collective(op.kind)) sum.in_sums += op.amount;
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
    for (const auto member :
         {&RankComputation::amount, &RankComputation::in_sums, &RankComputation::slept_s, &RankComputation::touched})
      sum.*member += static_cast<double>(times) * (sum.*member - before.*member);
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

double about_length(const Trace& trace) {
  if (const auto known = trace.operation_count(); known > 0) return static_cast<double>(known);
  const auto* generated = dynamic_cast<const GeneratedTrace*>(&trace);
  if (generated == nullptr || trace.ranks() == 0) return 0;
  // A rank in the middle has the usual number of neighbours.
  const Rank rank(trace.ranks() / 2);
  const auto iterations = generated->iteration_steps();
  const auto loop = generated->loop();
  const auto steps = iterations.end > 0 ? iterations.end : loop.end;
  constexpr std::uint64_t a_few = 16, enough_operations = 1U << 16U;
  std::vector<Operation> operations;
  std::uint64_t step = 0, count = 0;
  const auto end = steps == 0
                       ? enough_operations
                       : std::min(steps, iterations.end > 0 ? iterations.first + a_few : loop.first + loop.period);
  for (; step < end && count < enough_operations; ++step, count += operations.size()) {
    operations.clear();
    if (!generated->step(rank, step, operations)) break;
  }
  const double per_step = static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(1, step));
  return per_step * static_cast<double>(std::max(step, steps)) * trace.ranks();
}

std::vector<core::AnyParameter> computation_keys(const core::Entry<MakeTrace>& generator) {
  std::vector<core::AnyParameter> keys;
  for (const auto& parameter : generator.parameters)
    if (parameter.values == core::flops().values) keys.push_back(parameter);
  return keys;
}

std::uint64_t handed_in(const CollectiveCall& call) {
  const auto sum = [](std::span<const std::uint64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const auto of_all = call.bytes * static_cast<std::uint64_t>(call.size);
  switch (call.kind) {
    case OpKind::bcast:
      return call.me == call.root ? call.bytes : 0;
    case OpKind::scatter:
      return call.me == call.root ? of_all : 0;
    case OpKind::scatterv:
      return call.me == call.root ? sum(call.send_counts) : 0;
    case OpKind::alltoall:
      return of_all;
    case OpKind::alltoallv:
      return sum(call.send_counts);
    case OpKind::reduce_scatter:
      return call.recv_counts.empty() ? of_all : sum(call.recv_counts);
    default:
      return call.bytes;
  }
}

std::array<std::uint64_t, op_kind_count> collective_bytes(const Trace& trace) {
  std::array<std::uint64_t, op_kind_count> bytes{};
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    const auto stream = trace.open(rank);
    for (Operation op; stream->next(op);) {
      if (!is_collective(op.kind)) continue;
      const auto& members = trace.communicator(op.comm);
      const auto me = members.rank_of(rank);
      if (me < 0) core::fail_input("rank {} is no member of the communicator of its {}", rank, to_string(op.kind));
      if (!core::add_to(bytes[static_cast<std::size_t>(op.kind)], handed_in(collective_call(op, me, members.size()))))
        core::fail_input("what ranks hand in to {} adds up to 2^64 bytes or more", to_string(op.kind));
    }
  }
  return bytes;
}

}  // namespace toroid::workloads
