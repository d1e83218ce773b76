#include "netsim/replay/sampling.hpp"
#include "toroid/netsim/result.hpp"

#include <cmath>

namespace toroid::netsim {
namespace {

/// The most boundaries by which a rank is ahead of another one. A rank that is further ahead may go on without the
/// other: what is left out would then depend on what was not yet seen, so nothing is left out.
constexpr std::size_t most_ahead = 8;

constexpr std::array counts_of_traffic{
    &SentMessages::messages,      &SentMessages::bytes, &SentMessages::network_messages,
    &SentMessages::network_bytes, &SentMessages::hops,  &SentMessages::hop_bytes};

}  // namespace

class Replay::Ranks::Sampling::Stream final : public workloads::OperationStream {
 public:
  Stream(Sampling& sampling, Rank rank, std::unique_ptr<workloads::OperationStream> stream)
      : sampling_(sampling), rank_(rank), loop_(sampling.iterations_.ranks[rank]), stream_(std::move(stream)) {
    next_ = loop_.first;
  }

  bool next(Operation& operation) override {
    if (!stream_->next(operation)) {
      if (!sampling_.is_over_ && iteration_ == sampling_.iterations_.count && count_ == next_) begin_iteration();
      return false;
    }
    if (sampling_.is_over_) return true;
    const bool is_counted = operation.kind != OpKind::compute;
    if (is_counted && count_ == next_ && iteration_ <= sampling_.iterations_.count)
      if (const auto left_out = begin_iteration(); left_out > 0) leave_out(left_out, operation);
    take(sampling_.computed_, operation);
    if (!is_counted) return true;
    if (iteration_ == 1) structure_ = core::mix(structure_, workloads::structure_of(operation));
    ++count_;
    return true;
  }

  // What is exact comes first: as long as nothing has been left out, iterations may be passed over.

  workloads::StreamMark mark() const override { return stream_->mark(); }
  std::uint64_t repeats(const workloads::StreamMark& since, bool amounts_count) const override {
    return sampling_.plan_.left_out() > 0 ? 0 : stream_->repeats(since, amounts_count);
  }
  void skip(const workloads::StreamMark& since, std::uint64_t times) override {
    stream_->skip(since, times);
    sampling_.passed_over();
  }

 private:
  /// Adds what the operation computes or sleeps in an iteration.
  void take(core::IdVector<Rank, double>& seconds, const Operation& operation) {
    if (operation.amount == 0 && operation.touched() == 0) return;
    if (iteration_ == 0 || iteration_ > sampling_.iterations_.count) return;
    seconds[rank_] += sampling_.ranks_.seconds_of(operation);
  }

  /// Reads the next operation within what is left out.
  void read(Operation& operation) {
    if (!stream_->next(operation)) throw core::SimulationError("a rank has fewer iterations than its trace says");
  }

  std::uint64_t begin_iteration() {
    const auto before = std::exchange(begin_, stream_->mark());
    if (iteration_ == 1) look_ahead(before);
    const auto left_out = sampling_.arrive(rank_, iteration_, alike_);
    last_ = before;
    iteration_ += left_out + 1;
    next_ += loop_.length;
    return left_out;
  }

  /// Asks, behind the first iteration, how many of the next ones do the same, to the last amount.
  void look_ahead(const workloads::StreamMark& begin) {
    alike_ = stream_->repeats(begin, sampling_.ranks_.options_.compute_scale > 0);
    computed_ = sampling_.computed_[rank_];
  }

  /// Goes on to the first operation behind so many iterations, which must be like those that came before: the stream
  /// passes over those that are for certain, and the others are read. The first of them is the one before iteration_.
  void leave_out(std::uint64_t iterations, Operation& operation) {
    const auto first = iteration_ - 1 - iterations;
    const auto known = first > alike_ ? 0 : std::min(iterations, alike_ + 1 - first);
    if (known > 0) stream_->skip(last_, known);
    sampling_.not_computed_[rank_] += static_cast<double>(known) * computed_;
    for (iterations -= known; iterations > 0; --iterations) {
      std::uint64_t structure = 0;
      for (auto left = loop_.length; left > 0;) {
        take(sampling_.not_computed_, operation);
        if (operation.kind != OpKind::compute) {
          structure = core::mix(structure, workloads::structure_of(operation));
          --left;
        }
        read(operation);
      }
      for (; operation.kind == OpKind::compute; read(operation)) take(sampling_.not_computed_, operation);
      if (structure != structure_) throw core::SimulationError("a rank does not do the same in all iterations");
    }
    begin_ = stream_->mark();
  }

  Sampling& sampling_;
  Rank rank_;
  workloads::RankLoop loop_;
  std::unique_ptr<workloads::OperationStream> stream_;
  std::uint64_t count_ = 0, next_ = 0;  ///< operations but computations that came, and before the next iteration
  std::uint64_t iteration_ = 0;         ///< the iteration that comes next
  std::uint64_t structure_ = 0;         ///< structure of the first iteration
  std::uint64_t alike_ = 0;             ///< number behind the first iteration that are like it for certain
  double computed_ = 0;                 ///< seconds of computation in the first iteration
  workloads::StreamMark last_, begin_;  ///< behind the first operations of the last iteration and of this one
};

Replay::Ranks::Sampling::Sampling(Ranks& ranks)
    : ranks_(ranks),
      iterations_(workloads::common_iterations(ranks.trace_)),
      plan_(iterations_.count, ranks.options_.sampling_width),
      is_over_(iterations_.count == 0),
      passed_(ranks.trace_.ranks()),
      sent_(ranks.trace_.ranks()),
      of_ranks_(ranks.trace_.ranks()),
      computed_(ranks.trace_.ranks()),
      not_computed_(ranks.trace_.ranks()) {
  if (is_over_) return;
  around_.resize(ranks_.network_.machine().link_count());
  ranks_.messages_.on_launch([this](const Messages::Launch& launch) { launched(launch); });
}

void Replay::Ranks::Sampling::launched(const Messages::Launch& launch) {
  [[maybe_unused]] const bool fits = Messages::count(sent_[launch.rank], launch);  // as all together do
  const auto passed = passed_[launch.rank];
  const bool iterates = passed > 0 && boundaries_[passed - 1].iteration < iterations_.count;
  const auto& machine = ranks_.network_.machine();
  if (iterates || launch.carried == 0 || !machine.uses_links(launch.from, launch.to)) return;
  machine.for_each_link(launch.from, launch.to, [&](platforms::LinkId link) {
    around_[link].bytes += launch.carried;
    ++around_[link].flows;
  });
}

std::unique_ptr<workloads::OperationStream> Replay::Ranks::Sampling::watch(
    Rank rank, std::unique_ptr<workloads::OperationStream> stream) {
  if (is_over_) return stream;
  return std::make_unique<Stream>(*this, rank, std::move(stream));
}

/// The rank comes to an iteration, or to the end of all. So many behind its first one are like that one for certain.
/// Returns how many are left out before it goes on.
std::uint64_t Replay::Ranks::Sampling::arrive(Rank rank, std::uint64_t iteration, std::uint64_t alike) {
  auto& passed = passed_[rank];
  if (passed == boundaries_.size()) {
    const bool may_leave_out = iteration < iterations_.count && boundaries_.size() - completed_ <= most_ahead;
    boundaries_.push_back({iteration, may_leave_out ? plan_.leave_out(iteration) : 0});
    if (iteration == 0) at_begin_ = counts_now();
  }
  auto& boundary = boundaries_[passed++];
  TOROID_ASSERT(boundary.iteration == iteration);
  auto& counts = of_ranks_[rank];
  const RankCounts now{ranks_.report_.ranks[rank], sent_[rank]};
  if (iteration == 0) counts = now;
  if (iteration == iterations_.count) {
    const auto before = std::exchange(counts, now);
    for (const auto part : {&RankReport::compute, &RankReport::transfer, &RankReport::wait})
      counts.report.*part -= before.report.*part;
    counts.report.messages -= before.report.messages;
    counts.report.bytes -= before.report.bytes;
    for (const auto count : counts_of_traffic) counts.sent.*count -= before.sent.*count;
  }
  if (alike + 2 >= iterations_.count) ++boundary.alike;
  if (++boundary.arrived == iterations_.ranks.size()) all_have_arrived(boundary, ranks_.states_[rank].history);
  return boundary.left_out;
}

/// All ranks have arrived at a boundary; `history` is that of the last one.
void Replay::Ranks::Sampling::all_have_arrived(const Boundary& boundary, const History& history) {
  const auto now = ranks_.now();
  if (completed_++ > 0) {
    auto since = history;
    since.add(last_history_, -1);
    const auto& before = boundaries_[completed_ - 2];
    plan_.completed(before.iteration + before.left_out, since, (now - last_).seconds());
  }
  last_ = now;
  last_history_ = history;
  if (boundary.alike == boundary.arrived) plan_.all_are_alike();
  if (boundary.iteration == iterations_.count) at_end_ = counts_now();
}

/// What repeats exactly needs no sample.
void Replay::Ranks::Sampling::passed_over() {
  is_over_ = true;
  plan_.stop();
}

Replay::Ranks::Sampling::Counts Replay::Ranks::Sampling::counts_now() const {
  Counts counts{.busy = {}, .blocked = ranks_.exposure_.all(), .calls = ranks_.calls_.all()};
  const auto& usage = ranks_.network_.usage();
  const auto& machine = ranks_.network_.machine();
  counts.busy.reserve(machine.link_count());
  for (const auto link : machine.links()) counts.busy.add(usage.load(link, ranks_.now()).busy);
  return counts;
}

/// How much the iterations that were left out add to what was counted in the others.
double Replay::Ranks::Sampling::grown(double counted) const {
  return counted * static_cast<double>(plan_.left_out()) / simulated();
}
std::uint64_t Replay::Ranks::Sampling::grown(std::uint64_t counted) const {
  const auto more = static_cast<long double>(counted) * static_cast<long double>(plan_.left_out()) /
                    static_cast<long double>(simulated());
  return static_cast<std::uint64_t>(std::llround(more));
}

void Replay::Ranks::Sampling::extrapolate() {
  auto& report = ranks_.report_;
  if (is_over_ && iterations_.count > 0) return;  // all that was not simulated repeats exactly
  report.sampled = SampledIterations{.wanted = ranks_.options_.sampling_width,
                                     .iterations = iterations_.count,
                                     .left_out = plan_.left_out(),
                                     .warm_up = plan_.warm_up().value_or(0),
                                     .clusters = plan_.clusters()};
  auto& sampled = *report.sampled;
  if (plan_.left_out() == 0) {
    sampled.why_whole = iterations_.count == 0 ? iterations_.why_none : plan_.why_whole();
    return;
  }
  TOROID_ASSERT(completed_ == boundaries_.size() && boundaries_.back().iteration == iterations_.count);
  const auto estimate = plan_.estimate();
  sampled.half_width = estimate.half_width;
  report_gaps();
  report.runtime += estimate.seconds;
  report.critical_path.add(estimate.history, 1);
  for (const Rank rank : of_ranks_.ids()) grow_rank(rank, estimate.seconds);
  grow_links();
  grow_counts();
}

/// What a rank computes in iterations that are left out is known, but for what collectives compute. The rest of the
/// time it waits, in the proportion in which it waited in the others.
void Replay::Ranks::Sampling::grow_rank(Rank rank, double seconds) {
  const auto& [simulated, sent] = of_ranks_[rank];
  auto& report = ranks_.report_.ranks[rank];
  const double by_collectives = std::max(0.0, simulated.compute - computed_[rank]);
  const double computes = std::min(seconds, not_computed_[rank] + grown(by_collectives));
  const double blocked = simulated.transfer + simulated.wait;
  const double transfer = (seconds - computes) * share(simulated.transfer, blocked);
  report.compute += computes;
  report.transfer += transfer;
  report.wait += seconds - computes - transfer;
  report.finish += seconds;
  report.messages += grown(simulated.messages);
  report.bytes += grown(simulated.bytes);
  for (const auto count : counts_of_traffic) ranks_.report_.*count += grown(sent.*count);
}

/// Where packets choose among routes, links may carry less in all than was noted of what comes around the iterations.
void Replay::Ranks::Sampling::grow_links() {
  const auto& usage = ranks_.network_.usage();
  const auto in_iterations = [](std::uint64_t all, std::uint64_t around) { return all - std::min(all, around); };
  for (const auto link : around_.ids()) {
    const auto load = usage.load(link, ranks_.now());
    ranks_.report_.left_out_on_links.add(CarriedByLink{grown(in_iterations(load.bytes, around_[link].bytes)),
                                                       grown(in_iterations(load.flows, around_[link].flows)),
                                                       grown(at_end_.busy[link] - at_begin_.busy[link])});
  }
}

/// All iterations make the same calls; what comes before them may make some more meanwhile.
void Replay::Ranks::Sampling::grow_counts() {
  at_begin_.blocked.resize(at_end_.blocked.size());
  for (std::size_t i = 0; i < at_end_.blocked.size(); ++i) {
    const auto &begin = at_begin_.blocked[i], &end = at_end_.blocked[i];
    ranks_.exposure_.all()[i].transfer += grown(end.transfer - begin.transfer);
    ranks_.exposure_.all()[i].wait += grown(end.wait - begin.wait);
  }
  const auto simulated = iterations_.count - plan_.left_out();
  for (const auto& [how, calls] : at_end_.calls)
    ranks_.calls_.of(how) += (calls - at_begin_.calls[how]) / simulated * plan_.left_out();
}

void Replay::Ranks::Sampling::report_gaps() {
  std::uint64_t messages = 0;
  for (const auto& [report, sent] : of_ranks_) messages += sent.messages;
  for (const auto& gap : plan_.gaps()) {
    const auto part = static_cast<double>(gap.count) / simulated();
    ranks_.report_.repeated.push_back(
        {.first = gap.first + 1,
         .count = gap.count,
         .messages = static_cast<std::uint64_t>(std::llround(static_cast<double>(messages) * part))});
  }
}

}  // namespace toroid::netsim
