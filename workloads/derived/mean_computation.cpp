#include "workloads/derived/mean_computation.hpp"

#include <numeric>

#include "core/period.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {
namespace {

/// Mean and standard deviation (of a sample) of two values or more.
struct Spread {
  double mean = 0, deviation = 0;
};

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{sum_of(values) / count};
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

/// The program of a rank with mean computation: the recorded items up to iterations, then means up to the last
/// operation of the iterations, then the other recorded items.
struct AveragedProgram {
  std::uint64_t first = 0, end = 0;  ///< the items that are iterations with means; none if these are equal
  ProgramCode iteration = {};        ///< one of them, from an operation to what is computed before it comes again
  std::uint64_t length = 0;          ///< items in it
  std::uint64_t rest = 0;            ///< the recorded item that follows item `end` - 1
};

/// The iterations in a recorded program: operations that come again and again, whatever is computed between them. What
/// a rank computes between the preceding operation and another one is called here what it computes before the latter.
class RankIterations {
 public:
  /// Looks for iterations; not in programs of about 2^24 items or more, which would take too much memory.
  explicit RankIterations(const ProgramCode& code) {
    constexpr std::size_t most_bytes = std::size_t{1} << 24U;  // an item has one or more
    if (code.block().items.size() > most_bytes) return;
    for (ProgramCode::Reader reader(code); !reader.at_end();) {
      if (reader.at_computation()) {
        amounts_.push_back(reader.amount());
      } else {
        numbers_.push_back(reader.number());
        begins_.push_back(amounts_.size());
      }
    }
    part_ = core::repetition_in(numbers_);
    vary_ = exist() && !compute_alike();
  }

  bool exist() const { return part_.period > 0; }
  /// Whether some of them compute other amounts than others. Several in turn that come again and again do not vary.
  bool vary() const { return vary_; }
  std::uint64_t count() const { return (part_.end - part_.first) / part_.period; }
  /// What is computed in them.
  double sum() const { return sum_before(part_.first + 1, part_.end); }
  /// The number of operations in an iteration.
  std::size_t places() const { return part_.period; }
  /// The spread of what is computed before the operation at that place of the iteration.
  Spread spread_before(std::size_t place) const {
    std::vector<double> sums;
    for (auto k = first_at(place); k < part_.end; k += part_.period) sums.push_back(sum_of(before(k)));
    return spread_of(sums);
  }

  /// What is computed in each iteration, from its first operation to the first one of the next.
  std::vector<double> by_iteration() const {
    std::vector<double> sums;
    for (auto k = part_.first + 1; k + part_.period <= part_.end; k += part_.period)
      sums.push_back(sum_before(k, k + part_.period));
    return sums;
  }

  AveragedProgram averaged() const {
    const auto last = part_.end - 1 - part_.first;  // their last operation
    AveragedProgram program{.first = item_of(part_.first), .rest = item_of(part_.end - 1) + 1};
    std::uint64_t items_to_last = 0;
    for (std::size_t place = 0; place < places(); ++place) {
      if (place == last % places()) items_to_last = program.length;
      program.iteration.add_operation(numbers_[part_.first + place]);
      const auto means = means_before((place + 1) % places());
      for (const double mean : means) program.iteration.add_computation(mean);
      program.length += 1 + means.size();
    }
    program.iteration.shrink_to_fit();
    program.end = program.first + last / places() * program.length + items_to_last + 1;
    return program;
  }

 private:
  bool compute_alike() const {
    constexpr auto of_operations = std::uint64_t{0xfff8} << 48U;  // no amount has these bits
    std::vector<std::uint64_t> items;
    for (auto k = part_.first; k < part_.end; ++k) {
      if (k > part_.first)
        for (const double amount : before(k)) items.push_back(std::bit_cast<std::uint64_t>(amount));
      items.push_back(of_operations | numbers_[k]);
    }
    return 2 * core::smallest_period(items) <= items.size();
  }

  /// What is computed before the k-th operation of the program.
  std::span<const double> before(std::size_t k) const {
    return std::span(amounts_).subspan(begins_[k], begins_[k + 1] - begins_[k]);
  }
  /// What is computed before each of the operations k to `end` - 1, added up.
  double sum_before(std::size_t k, std::size_t end) const {
    return sum_of(std::span(amounts_).subspan(begins_[k], begins_[end] - begins_[k]));
  }

  /// The first operation at a place of the iteration that another one of the iterations precedes.
  std::size_t first_at(std::size_t place) const { return part_.first + (place == 0 ? part_.period : place); }

  /// The differences from the first are averaged, so that the mean of equal amounts is that amount.
  std::vector<double> means_before(std::size_t place) const {
    std::size_t most = 0;
    double iterations = 0;
    for (auto k = first_at(place); k < part_.end; k += part_.period, ++iterations)
      most = std::max(most, before(k).size());
    std::vector<double> means;
    for (std::size_t i = 0; i < most; ++i) {
      const auto amount = [&](std::size_t k) { return i < before(k).size() ? before(k)[i] : 0; };
      const double first = amount(first_at(place));
      double differences = 0;
      for (auto k = first_at(place); k < part_.end; k += part_.period) differences += amount(k) - first;
      means.push_back(first + differences / iterations);
    }
    return means;
  }

  /// The number of the item that is the k-th operation.
  std::uint64_t item_of(std::size_t k) const { return k + begins_[k + 1]; }

  std::vector<std::uint32_t> numbers_;  ///< numbers of the operations that are no computations
  std::vector<double> amounts_;         ///< amounts of the computations
  std::vector<std::size_t> begins_{0};  ///< before operation k are amounts begins_[k] to begins_[k + 1] - 1
  core::Repetition part_;               ///< operations that are iterations
  bool vary_ = false;
};

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
  double slowest_mean_ = 0;      ///< what the slowest rank computes in an iteration, by means
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
  explicit AveragedTrace(std::shared_ptr<const CompactTrace> recorded)
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

  std::unique_ptr<OperationStream> open(Rank rank) const override;

  std::string locate(Rank rank, std::uint64_t index) const override {
    return recorded_.locate(rank, recorded_index(rank, index));
  }

  Rounds rounds(Rank rank) const override {
    const auto& program = programs_.at(rank);
    if (!program.is_averaged()) return ForwardedTrace::rounds(rank);
    return {program.first, program.length, (program.end - program.first) / program.length};
  }

  std::uint64_t operation_count() const override {
    auto count = recorded_.operation_count();
    for (const auto& program : programs_) count += program.end - program.rest;  // perhaps fewer; sums wrap back
    return count;
  }

  std::size_t memory_bytes() const override {
    auto bytes = recorded_.memory_bytes();
    for (const auto& program : programs_) bytes += sizeof program + program.iteration.memory_bytes();
    return bytes;
  }

  const ComputationVariation& variation() const { return variation_; }

 private:
  class Stream;
  /// The program of a rank that has iterations.
  struct Program : AveragedProgram {
    ProgramCode::Reader::Place rest_place = {};
    bool is_averaged() const { return first < end; }
  };

  /// The recorded item that is the operation of that index; of a mean, the item of the operation that follows.
  std::uint64_t recorded_index(Rank rank, std::uint64_t index) const {
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

  void skip(const StreamMark& since, std::uint64_t times) override {
    TOROID_ASSERT(times <= repeats(since, false));
    count_ += times * (count_ - since.operation);
  }

 private:
  const CompactTrace& trace_;
  Rank rank_;
  const Program& program_;
  ProgramCode::Reader recorded_, iteration_;
  std::uint64_t count_ = 0;  ///< operations given
};

std::unique_ptr<OperationStream> AveragedTrace::open(Rank rank) const {
  if (!programs_.at(rank).is_averaged()) return ForwardedTrace::open(rank);
  return std::make_unique<Stream>(*this, rank);
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
