#include "core/random.hpp"
#include "core/units.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

/// The receivers of a rank's messages: always the same rank, or one drawn by lot for each message.
enum class Receivers { permutation, random_permutation, any, hot_spot };

struct Pattern {
  Receivers receivers;
  CommRank (*to)(Rank rank, const RankGrid& grid) = nullptr;  ///< the receiver in a permutation
  bool of_bits = false;                                       ///< only for powers of two
};

/// Each coordinate is changed by a function of itself and of the extent of its axis.
template <class Change>
CommRank with_each_coordinate(Rank rank, const RankGrid& grid, Change change) {
  CommRank to = 0;
  for (std::size_t axis = grid.axes(); axis-- > 0;)
    to = to * grid.extent(axis) + change(grid.coordinate(rank, axis), grid.extent(axis));
  return to;
}

CommRank neighbour(Rank rank, const RankGrid& grid) {
  return with_each_coordinate(rank, grid, [](std::int32_t at, std::int32_t extent) { return (at + 1) % extent; });
}

/// Almost half way around each axis.
CommRank tornado(Rank rank, const RankGrid& grid) {
  return with_each_coordinate(
      rank, grid, [](std::int32_t at, std::int32_t extent) { return (at + (extent + 1) / 2 - 1) % extent; });
}

/// The coordinates in reverse, on the grid with its axes in reverse.
CommRank transpose(Rank rank, const RankGrid& grid) {
  CommRank to = 0;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) to = to * grid.extent(axis) + grid.coordinate(rank, axis);
  return to;
}

CommRank complement(Rank rank, const RankGrid& grid) {
  return grid.size() - 1 - rank.value();
}

CommRank reverse(Rank rank, const RankGrid& grid) {
  const int bits = std::countr_zero(static_cast<std::uint32_t>(grid.size()));
  CommRank to = 0;
  for (int bit = 0; bit < bits; ++bit) to = 2 * to + (rank.value() >> bit & 1);
  return to;
}

/// The bits rotated to the left by one.
CommRank shuffle(Rank rank, const RankGrid& grid) {
  return (2 * rank.value()) % grid.size() + 2 * rank.value() / grid.size();
}

const core::Parameter<Pattern> pattern{"pattern", "where messages go",
                                       core::one_of<Pattern>({{"uniform", {Receivers::any}},
                                                              {"hot-spot", {Receivers::hot_spot}},
                                                              {"random", {Receivers::random_permutation}},
                                                              {"neighbour", {Receivers::permutation, neighbour}},
                                                              {"tornado", {Receivers::permutation, tornado}},
                                                              {"transpose", {Receivers::permutation, transpose}},
                                                              {"bit-complement", {Receivers::permutation, complement}},
                                                              {"bit-reverse", {Receivers::permutation, reverse, true}},
                                                              {"shuffle", {Receivers::permutation, shuffle, true}}}),
                                       "uniform"};
const core::Parameter<std::vector<std::int32_t>> grid{"grid", "the grid of ranks", core::extents(8, 1 << 20U), "8x8"};
const core::Parameter<std::uint64_t> messages{"messages", "messages of a rank",
                                              core::whole(std::uint64_t{0}, std::uint64_t{1} << 20U), "100"};
const core::Parameter<std::uint64_t> bytes{"bytes", "bytes of a message", core::whole_bytes(), "4KiB"};
const core::OptionalParameter<double> rate{
    "rate",
    "bytes per second that a rank injects, at random times; they pass only with --compute trace",
    {"a bandwidth such as 100MBps",
     [](std::string_view text, const core::Place& place) -> std::optional<double> {
       const auto value = core::parse_bandwidth(text, place.text());
       return value > 0 ? std::optional(value) : std::nullopt;
     }},
    "the next message when the last has been received"};
const core::Parameter<double> hot{"hot", "part of the messages of hot-spot that go to rank 0", core::real(0, 1), "0.1"};
const core::Parameter<std::uint64_t> seed{
    "seed", "of the lots", core::whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()), "1"};

/// What networks are tested with: W. Dally, B. Towles, Principles and practices of interconnection networks, 2004,
/// section 3.2. All receives are posted first; then a rank sends, each message when the one before it was received, or
/// at times that are a Poisson process.
class PatternTraffic final : public GeneratedTrace {
 public:
  explicit PatternTraffic(const core::Arguments& arguments)
      : GeneratedTrace(arguments, RankGrid(arguments[grid]).size()) {
    const auto& chosen = arguments[pattern];
    const auto text = core::excerpt(arguments.spec().text());
    if (chosen.of_bits && !std::has_single_bit(static_cast<std::uint32_t>(ranks())))
      core::fail_input("'{}': {} ranks, expected a power of two", text, ranks());
    if (chosen.receivers == Receivers::any || chosen.receivers == Receivers::hot_spot) {
      if (messages_ > most_lots / static_cast<std::uint64_t>(ranks()))
        core::fail_input("'{}': expected at most {} messages in all", text, most_lots);
      receives_.assign(ranks(), 0);
      for (const Rank rank : core::ids<Rank>(ranks()))
        for (std::uint64_t number = 0; number * batch < messages_; ++number)
          for_batch(rank, number, [&](CommRank to, double) { ++receives_[Rank(to)]; });
    } else {
      const RankGrid ranks_grid(arguments[grid]);
      for (const Rank rank : core::ids<Rank>(ranks())) to_.add(chosen.to ? chosen.to(rank, ranks_grid) : rank.value());
      if (chosen.receivers == Receivers::random_permutation) core::Random(seed_, "permutation").shuffle(to_.elements());
      from_.resize(ranks());
      for (const Rank rank : core::ids<Rank>(ranks())) from_[Rank(to_[rank])] = rank.value();
    }
  }

  /// First receives, then messages, so many at a time.
  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    const auto receive_steps = (receives_[rank] + batch - 1) / batch;
    if (step < receive_steps) {
      for (auto left = std::min(batch, receives_[rank] - step * batch); left > 0; --left)
        out.push_back({.kind = OpKind::irecv, .from = from_.empty() ? any_source : from_[rank], .bytes = bytes_});
      return true;
    }
    const auto number = step - receive_steps;
    if (number * batch >= messages_) return false;
    for_batch(rank, number, [&](CommRank to, double pause) {
      if (pause > 0) out.push_back({.kind = OpKind::sleep, .amount = pause});
      if (rate_)
        out.push_back({.kind = OpKind::isend, .to = to, .bytes = bytes_});
      else
        out.push_back({.kind = OpKind::send, .mode = SendMode::synchronous, .to = to, .bytes = bytes_});
    });
    return true;
  }

 private:
  static constexpr std::uint64_t batch = 64;  ///< messages that share a random stream, which takes time to make
  static constexpr std::uint64_t most_lots = std::uint64_t{1} << 24U;

  /// Calls `act` with the receiver and the pause before each message of a batch.
  template <class Act>
  void for_batch(Rank rank, std::uint64_t number, Act act) const {
    core::Random random(seed_, fmt::format("traffic {} {}", rank, number));
    for (auto left = std::min(batch, messages_ - number * batch); left > 0; --left) {
      const auto to = to_.empty() ? lot(rank, random) : to_[rank];
      act(to, rate_ ? -std::log(1 - random.unit()) * static_cast<double>(bytes_) / *rate_ : 0);
    }
  }

  /// Another rank, each equally likely; rank 0 more often if it is the hot spot.
  CommRank lot(Rank rank, core::Random& random) const {
    if (hot_ > 0 && random.unit() < hot_ && rank != 0) return 0;
    const auto other = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(ranks()) - 1));
    return other + (other >= rank.value() ? 1 : 0);
  }

  std::uint64_t messages_ = ranks() > 1 ? given(messages) : 0, bytes_ = given(bytes), seed_ = given(seed);
  std::optional<double> rate_ = given(rate);
  double hot_ = given(pattern).receivers == Receivers::hot_spot ? given(hot) : 0;
  core::IdVector<Rank, CommRank> to_, from_;  ///< receiver and sender in a permutation
  /// Messages to each rank.
  core::IdVector<Rank, std::uint64_t> receives_ = core::IdVector<Rank, std::uint64_t>(ranks(), messages_);
};

}  // namespace

core::Entry<MakeTrace> traffic_generator() {
  return {"traffic",
          "the patterns that networks are tested with: uniform random, permutations, hot spots",
          make_trace<PatternTraffic>,
          {pattern, grid, messages, bytes, rate, hot, seed}};
}

}  // namespace toroid::workloads
