#include "workloads/mean_computation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/compact_trace.hpp"
#include "workloads/forwarded_trace.hpp"
#include "workloads/means/rank_iterations.hpp"

namespace toroid::workloads {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// How much computation varies, rank by rank.
class Tally {
 public:
  void add(const ProgramCode& code, const RankIterations& iterations) {
    for (ProgramCode::Reader reader(code); !reader.at_end();)
      if (reader.at_computation())
        computed_ += reader.amount();
      else
        reader.number();
    ++ranks_;
    if (!iterations.exist()) return;
    ++variation_.ranks;
    variation_.iterations = std::max(variation_.iterations, iterations.count());
    computed_in_iterations_ += iterations.sum();
    add_places(iterations);
    add_sums(iterations);
  }

  ComputationVariation variation() const {
    auto variation = variation_;
    variation.share = ratio(computed_in_iterations_, computed_);
    variation.between_operations = ratio(places_.deviation, places_.mean);
    variation.of_iterations = ratio(iterations_.deviation, iterations_.mean);
    if (variation.ranks == ranks_ && are_alike_ && slowest_mean_ > 0) {
      const double as_recorded = std::accumulate(slowest_.begin(), slowest_.end(), 0.0);
      variation.hidden = std::max(0.0, as_recorded / (slowest_mean_ * static_cast<double>(slowest_.size())) - 1);
    }
    return variation;
  }

 private:
  void add_places(const RankIterations& iterations) {
    for (std::size_t place = 0; place < iterations.places(); ++place) {
      const auto spread = iterations.spread_before(place);
      places_.mean += spread.mean;
      if (iterations.vary()) places_.deviation += spread.deviation;
    }
  }

  void add_sums(const RankIterations& iterations) {
    auto sums = iterations.by_iteration();
    const auto spread = spread_of(sums);
    iterations_.mean += spread.mean;
    slowest_mean_ = std::max(slowest_mean_, spread.mean);
    if (iterations.vary()) {
      iterations_.deviation += spread.deviation;
      variation_.of_worst_rank = std::max(variation_.of_worst_rank, ratio(spread.deviation, spread.mean));
    } else {
      std::fill(sums.begin(), sums.end(), spread.mean);
    }
    if (variation_.ranks == 1) slowest_.assign(sums.size(), 0);
    const auto [fewer, more] = std::minmax({sums.size(), slowest_.size()});
    if (more - fewer > 1) are_alike_ = false;  // one more than others: the programs begin or end in another operation
    slowest_.resize(fewer);
    for (std::size_t i = 0; i < fewer; ++i) slowest_[i] = std::max(slowest_[i], sums[i]);
  }

  ComputationVariation variation_;
  std::int32_t ranks_ = 0;
  double computed_ = 0, computed_in_iterations_ = 0;
  Spread places_, iterations_;   ///< sums over all ranks
  std::vector<double> slowest_;  ///< what the slowest rank computes in each iteration
  double slowest_mean_ = 0;      ///< of a rank in an iteration
  bool are_alike_ = true;        ///< ranks have about equally many iterations
};

/// The number of operations among the first items.
std::uint64_t operations_in(const ProgramCode& code, std::uint64_t items) {
  std::uint64_t operations = 0;
  for (ProgramCode::Reader reader(code); items > 0; --items, reader.pass())
    if (!reader.at_computation()) ++operations;
  return operations;
}

class AveragedTrace final : public ForwardedTrace {
 public:
  explicit AveragedTrace(std::shared_ptr<const CompactTrace> recorded);

  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  Rounds rounds(Rank rank) const override;
  std::uint64_t operation_count() const override;
  std::size_t memory_bytes() const override;

  const ComputationVariation& variation() const { return variation_; }

 private:
  class Stream;
  /// The program of a rank that has iterations.
  struct Program : AveragedProgram {
    ProgramCode::Reader::Place rest_place = {};
    bool is_averaged() const { return first < end; }
  };
  std::uint64_t recorded_index(Rank rank, std::uint64_t index) const;

  const CompactTrace& recorded_;
  core::IdVector<Rank, Program> programs_;
  ComputationVariation variation_;
};

class AveragedTrace::Stream final : public OperationStream {
 public:
  Stream(const AveragedTrace& trace, Rank rank)
      : trace_(trace.recorded_),
        rank_(rank),
        program_(trace.programs_[rank]),
        recorded_(trace_.code(rank)),
        iteration_(program_.iteration) {}

  bool next(Operation& operation) override {
    if (count_ == program_.end) recorded_.go_to(program_.rest_place);
    const bool in_iterations = count_ >= program_.first && count_ < program_.end;
    if (in_iterations && iteration_.at_end()) iteration_ = ProgramCode::Reader(program_.iteration);
    auto& reader = in_iterations ? iteration_ : recorded_;
    if (reader.at_end()) return false;
    trace_.take(rank_, reader, operation);
    ++count_;
    return true;
  }

  StreamMark mark() const override { return {count_, {}}; }

  std::uint64_t repeats(const StreamMark& since, bool /*amounts_count*/) const override {
    const auto given = count_ - since.operation;
    if (since.operation < program_.first || count_ > program_.end || given % program_.length != 0) return 0;
    return (program_.end - count_) / given;
  }

  void skip(const StreamMark& since, std::uint64_t times) override { count_ += times * (count_ - since.operation); }

 private:
  const CompactTrace& trace_;
  Rank rank_;
  const Program& program_;
  ProgramCode::Reader recorded_, iteration_;
  std::uint64_t count_ = 0;  ///< operations given
};

AveragedTrace::AveragedTrace(std::shared_ptr<const CompactTrace> recorded)
    : ForwardedTrace(recorded), recorded_(*recorded) {
  Tally tally;
  for (const Rank rank : core::ids<Rank>(recorded_.ranks())) {
    const auto& code = recorded_.code(rank);
    const RankIterations iterations(code);
    tally.add(code, iterations);
    auto& program = programs_[programs_.add()];
    if (!iterations.vary()) continue;
    static_cast<AveragedProgram&>(program) = iterations.averaged();
    ProgramCode::Reader reader(code);
    for (std::uint64_t item = 0; item < program.rest; ++item) reader.pass();
    program.rest_place = reader.place();
  }
  variation_ = tally.variation();
}

std::unique_ptr<OperationStream> AveragedTrace::open(Rank rank) const {
  if (!programs_.at(rank).is_averaged()) return ForwardedTrace::open(rank);
  return std::make_unique<Stream>(*this, rank);
}

Rounds AveragedTrace::rounds(Rank rank) const {
  const auto& program = programs_.at(rank);
  if (!program.is_averaged()) return ForwardedTrace::rounds(rank);
  return {program.first, program.length, (program.end - program.first) / program.length};
}

std::uint64_t AveragedTrace::operation_count() const {
  auto count = recorded_.operation_count();
  for (const auto& program : programs_) count += program.end - program.rest;  // perhaps fewer; sums wrap back
  return count;
}

std::size_t AveragedTrace::memory_bytes() const {
  auto bytes = recorded_.memory_bytes();
  for (const auto& program : programs_) bytes += sizeof program + program.iteration.memory_bytes();
  return bytes;
}

std::string AveragedTrace::locate(Rank rank, std::uint64_t index) const {
  return recorded_.locate(rank, recorded_index(rank, index));
}

/// The recorded item that is the operation of that index; of a mean, the item of the operation that follows.
std::uint64_t AveragedTrace::recorded_index(Rank rank, std::uint64_t index) const {
  const auto& program = programs_.at(rank);
  if (!program.is_averaged() || index < program.first) return index;
  if (index >= program.end) return index - program.end + program.rest;
  const auto passed = index - program.first;
  auto operations = passed / program.length * operations_in(program.iteration, program.length) +
                    operations_in(program.iteration, passed % program.length);
  ProgramCode::Reader reader(recorded_.code(rank));
  for (std::uint64_t item = 0;; ++item, reader.pass())
    if (item >= program.first && !reader.at_computation() && operations-- == 0) return item;
}

}  // namespace

std::shared_ptr<const Trace> with_mean_computation(std::shared_ptr<const Trace> trace) {
  auto recorded = std::dynamic_pointer_cast<const CompactTrace>(trace);
  if (recorded == nullptr) return trace;
  return std::make_shared<const AveragedTrace>(std::move(recorded));
}

ComputationVariation variation_of(const Trace& trace) {
  const auto* averaged = dynamic_cast<const AveragedTrace*>(&trace);
  return averaged == nullptr ? ComputationVariation{} : averaged->variation();
}

}  // namespace toroid::workloads
