#include "workloads/iterations.hpp"

#include "core/period.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

/// The iterations of one rank by itself.
struct Loop : RankLoop {
  std::uint64_t count = 0;
};

/// The loop that the trace knows of, its operations counted anew without computations.
Loop without_computations(const Trace& trace, Rank rank, const Rounds& rounds) {
  const auto stream = trace.open(rank);
  Operation op;
  const auto count = [&](std::uint64_t operations) {
    std::uint64_t others = 0;
    for (; operations > 0 && stream->next(op); --operations) others += op.kind != OpKind::compute ? 1 : 0;
    return others;
  };
  Loop loop;
  loop.first = count(rounds.first);
  loop.length = count(rounds.length);
  loop.count = loop.length > 0 ? rounds.count : 0;
  return loop;
}

Loop found_in(const Trace& trace, Rank rank) {
  constexpr std::size_t most = std::size_t{1} << 24U;
  std::vector<std::uint64_t> structures;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);) {
    if (op.kind != OpKind::compute) structures.push_back(structure_of(op));
    if (structures.size() > most) return {};
  }
  const auto [first, end, period] = core::repetition_in(structures);
  if (period == 0) return {};
  return {{first, period}, (end - first) / period};
}

bool has_strands(const Trace& trace, Rank rank) {
  Operation op;
  const auto stream = trace.open(rank);
  return stream->next(op) && is_strand(op);
}

/// How many rounds of the rank there are in an iteration, if its number of rounds tells: one more or less may look like
/// a part of an iteration at the beginning or the end.
std::optional<std::uint64_t> rounds_in_iteration(std::uint64_t rounds, std::uint64_t iterations) {
  TOROID_ASSERT(iterations >= 2 && rounds >= iterations);
  const auto times = (rounds + iterations / 2) / iterations;
  const auto expected = times * iterations, off = rounds > expected ? rounds - expected : expected - rounds;
  return off <= times ? std::optional(times) : std::nullopt;
}

CommonIterations none(std::string why) {
  return {.why_none = std::move(why)};
}

class TraceWithoutComputations final : public ForwardedTrace {
 public:
  explicit TraceWithoutComputations(const CompactTrace& recorded) : ForwardedTrace(recorded), recorded_(recorded) {}

  std::unique_ptr<OperationStream> open(Rank rank) const override { return recorded_.open_without_computations(rank); }
  Rounds rounds(Rank rank) const override { return recorded_.rounds_without_computations(rank); }
  std::uint64_t operation_count() const override { return 0; }  // unknown

  std::string locate(Rank rank, std::uint64_t index) const override {
    std::uint64_t item = 0;
    for (ProgramCode::Reader reader(recorded_.code(rank)); !reader.at_end(); ++item, reader.pass())
      if (!reader.at_computation() && index-- == 0) break;
    return recorded_.locate(rank, item);
  }

 private:
  const CompactTrace& recorded_;
};

}  // namespace

CommonIterations common_iterations(const Trace& trace) {
  core::IdVector<Rank, Loop> loops;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    if (has_strands(trace, rank)) return none(fmt::format("the program of rank {} is a graph", rank));
    const auto rounds = trace.rounds(rank);
    const auto loop = rounds.count >= 2 ? without_computations(trace, rank, rounds) : found_in(trace, rank);
    if (loop.count < 2) return none(fmt::format("rank {} has no iterations", rank));
    least = std::min(least, loop.count);
    loops.add(loop);
  }
  if (trace.ranks() == 0) return none("there are no ranks");
  CommonIterations common{.count = least};
  for (const Rank rank : loops.ids()) {
    const auto& loop = loops[rank];
    const auto rounds = rounds_in_iteration(loop.count, least);
    if (!rounds)
      return none(fmt::format("rank {} goes round {} times, and another rank {} times", rank, loop.count, least));
    common.ranks.add(RankLoop{loop.first, *rounds * loop.length});
    common.count = std::min(common.count, loop.count / *rounds);
  }
  TOROID_ASSERT(common.ranks.size() == loops.size());
  return common;
}

std::uint64_t structure_of(const Operation& op) {
  std::uint64_t hash = static_cast<std::uint64_t>(op.kind);
  const auto take = [&](auto... numbers) { ((hash = core::mix(hash, static_cast<std::uint64_t>(numbers))), ...); };
  const auto take_all = [&](const auto& list) {
    take(list.size());
    for (const auto number : list) take(number);
  };
  take(op.mode, op.comm.value(), op.to, op.from, op.root, op.tag, op.request, op.bytes);
  take_all(op.requests);
  take_all(op.after);
  take_all(op.after_begin);
  take_all(op.send_counts);
  take_all(op.recv_counts);
  return hash;
}

std::unique_ptr<const Trace> without_computations(const Trace& trace) {
  const auto* recorded = dynamic_cast<const CompactTrace*>(&trace);
  if (recorded == nullptr || recorded->has_strands()) return nullptr;
  return std::make_unique<const TraceWithoutComputations>(*recorded);
}

}  // namespace toroid::workloads
