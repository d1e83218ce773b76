#include "netsim/replay/beats.hpp"

namespace toroid::netsim {

using workloads::Rank;

/// The ranks whose iterations are few come first: these are the whole program's.
void Beats::find(const workloads::Trace& trace, RankStates& states) {
  constexpr std::int32_t few = 4;
  const auto wanted = std::min(few, trace.ranks());
  for (std::int32_t i = 0; i < wanted; ++i) {
    const Rank rank(static_cast<std::int32_t>(std::int64_t{i} * trace.ranks() / wanted));
    if (const auto rounds = trace.rounds(rank); rounds.count > 1 && rounds.length > 0)
      keepers_.push_back({rank, rounds});
  }
  std::ranges::stable_sort(keepers_, std::greater(), [](const TimeKeeper& one) { return one.rounds.count; });
  take(states);
}

void Beats::take(RankStates& states) {
  keeper_ = {};
  while (keeper_.rank == Rank::none() && !keepers_.empty()) {
    const auto candidate = keepers_.back();
    keepers_.pop_back();
    auto& state = states[candidate.rank];
    const auto& [first, length, count] = candidate.rounds;
    const auto iteration = state.next_operation <= first ? 0 : (state.next_operation - first - 1) / length + 1;
    if (state.at_end || iteration >= count) continue;
    keeper_ = candidate;
    keeper_.iteration = iteration;
    state.next_iteration = first + iteration * length;
  }
}

std::optional<Repeating::Beat> Beats::beat() const {
  if (keeper_.rank == Rank::none()) return std::nullopt;
  return Repeating::Beat{keeper_.rank, keeper_.iteration, keeper_.rounds.count - keeper_.iteration};
}

void Beats::begin_iteration(RankState& state) {
  TOROID_ASSERT_HEAVY(state.rank == keeper_.rank);
  ++keeper_.iteration;
  state.next_iteration += keeper_.rounds.length;
}

void Beats::pass_over(RankState& state, std::uint64_t operations) {
  TOROID_ASSERT_HEAVY(state.rank == keeper_.rank && operations % keeper_.rounds.length == 0);
  state.next_iteration += operations;
  keeper_.iteration += operations / keeper_.rounds.length;
}

std::size_t CollectiveCalls::number_of(const workloads::CollectiveAlgorithm& algorithm) {
  const auto number = static_cast<std::size_t>(&algorithm - workloads::collective_algorithms().data());
  TOROID_ASSERT_HEAVY(number < workloads::collective_algorithms().size());
  return number;
}

void CollectiveCalls::tell(ReplayReport& report) const {
  std::map<std::tuple<std::size_t, platforms::Coordinates, workloads::CollectiveTuning>, std::uint64_t> calls;
  for (const auto& [how, count] : calls_) {
    const auto& [algorithm, members, tuning] = how;
    platforms::Coordinates grid{};
    if (members != nullptr) std::ranges::copy(members->extents(), grid.begin());
    calls[{number_of(*algorithm), grid, tuning}] += count;
  }
  for (const auto& [how, count] : calls)
    report.collectives.push_back({std::get<0>(how), std::get<1>(how), std::get<2>(how), count});
}

Blocked& Exposure::of(const Message& message) {
  const auto comm = comm_of_context(message.envelope.context).index();
  if (comm >= blocked_.size()) blocked_.resize(comm + 1);
  return blocked_[comm];
}

void Exposure::tell(const workloads::Trace& trace, ReplayReport& report) const {
  std::map<std::pair<bool, std::string_view>, Blocked> by_purpose;  // those without a name are last
  for (const auto comm : core::ids<workloads::CommId>(blocked_.size())) {
    const auto& [transfer, wait] = blocked_[comm.index()];
    if (transfer + wait == 0) continue;
    const auto purpose = trace.purpose(comm);
    auto& all = by_purpose[{purpose.empty(), purpose}];
    all.transfer += transfer;
    all.wait += wait;
  }
  const bool any_named = !by_purpose.empty() && !by_purpose.begin()->first.first;
  for (const auto& [name, blocked] : by_purpose)
    if (any_named) report.exposed.emplace_back(name.second, blocked);
}

}  // namespace toroid::netsim
