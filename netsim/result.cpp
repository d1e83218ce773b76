#include "toroid/netsim/result.hpp"

#include <numeric>

#include "core/bytes.hpp"
#include "netsim/network.hpp"

namespace toroid::netsim {

void LinkLoads::add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes, double seconds) {
  if (bytes == 0) return;
  max_seconds = std::max(max_seconds, seconds);
  if (!machine.is_of_grid(link)) return void(max_port_bytes = std::max(max_port_bytes, bytes));
  max_bytes = std::max(max_bytes, bytes);
  sum_bytes += bytes;
  ++links;
}

std::vector<LinkResult> busiest(const std::vector<LinkResult>& links) {
  constexpr std::size_t bottlenecks_listed = 10;
  std::vector<LinkResult> first(std::min(links.size(), bottlenecks_listed));
  std::partial_sort_copy(links.begin(), links.end(), first.begin(), first.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.mean_utilization, a.link) < std::pair(-b.mean_utilization, b.link);
  });
  return first;
}

namespace {

/// The links that carried anything in a run of so many seconds, in the order of their numbers.
std::vector<LinkResult> links_of(const Network& network, double seconds) {
  std::vector<LinkResult> links;
  const auto& usage = network.usage();
  for (const LinkId id : network.machine().links()) {
    const auto load = usage.load(id, Time(seconds));
    if (load.flows == 0) continue;
    links.push_back({load, id, share(static_cast<double>(load.bytes), usage.capacity(id, 0, seconds))});
  }
  return links;
}

/// Adds what links carried in iterations that were left out.
void add_left_out(const Network& network, Result& result) {
  for (auto& link : result.links) {
    const auto& more = result.left_out_on_links[link.link];
    link.bytes += more.bytes;
    link.flows += more.flows;
    link.busy += more.busy;
    link.peak_utilization = 0;
    const double capacity = network.usage().capacity(link.link, 0, result.runtime);
    link.mean_utilization = share(static_cast<double>(link.bytes), capacity);
  }
}

/// What these links carried in each window of a run that lasted until `end`.
LinkWindows windows_of(const Network& network, const std::vector<LinkResult>& links, const Time& end) {
  const auto& usage = network.usage();
  LinkWindows kept;
  for (const auto& link : links) {
    const auto bytes = usage.bytes_by_window(link.link, end);
    kept.bytes.insert(kept.bytes.end(), bytes.begin(), bytes.end());
  }
  const auto windows = usage.windows_until(end);
  kept.window = windows.seconds;
  kept.windows = windows.count;
  TOROID_ASSERT(kept.bytes.size() == kept.windows * links.size());
  return kept;
}

// --- for another process ---

/// Hands fields to an archive that writes or reads them: one list for both ways.
template <class Archive, class... Fields>
void all_of(Archive& archive, Fields&... fields) {
  (archive(fields), ...);
}

/// Hands over what may be missing. Returns whether it is there.
template <class Archive, class Optional>
bool there_is(Archive& archive, Optional& optional) {
  bool is_there = optional.has_value();
  archive(is_there);
  if constexpr (!std::is_const_v<Optional>)
    if (is_there) optional.emplace();
  return is_there;
}

template <class Archive, class AResult>
void exchange_sent(Archive& archive, AResult& r) {
  archive(static_cast<std::conditional_t<std::is_const_v<AResult>, const SentMessages&, SentMessages&>>(r));
}

template <class Archive, class AReport>
void exchange_report(Archive& archive, AReport& r) {
  exchange_sent(archive, r);
  all_of(archive, r.start, r.runtime, r.ranks, r.critical_path, r.critical_steps, r.obstacles, r.message_classes,
         r.messages_sent, r.charges, r.repeated, r.left_out_on_links, r.collectives, r.exposed, r.core_spans,
         r.timeline.calls, r.timeline.phases, r.timeline.messages);
  if (there_is(archive, r.sampled))
    all_of(archive, r.sampled->wanted, r.sampled->iterations, r.sampled->left_out, r.sampled->warm_up,
           r.sampled->clusters, r.sampled->half_width, r.sampled->why_whole);
  auto& [window, windows, seconds, collectives] = r.activity;
  auto count = collectives.size();
  all_of(archive, window, windows, seconds, count);
  if constexpr (!std::is_const_v<AReport>) collectives.resize(count);
  for (auto& waits : collectives) all_of(archive, waits.algorithm, waits.seconds);
}

template <class Archive, class AResult>
void exchange_job(Archive& archive, AResult& r) {
  exchange_sent(archive, r);
  all_of(archive, r.how, r.complaint, r.start, r.end, r.repeated, r.rounds, r.critical_path, r.first_rank, r.rank_count,
         r.charges, r.changes);
  if (there_is(archive, r.last_round)) exchange_report(archive, *r.last_round);
}

template <class Archive, class AResult>
void exchange(Archive& archive, AResult& r) {
  exchange_report(archive, r);
  auto count = r.jobs.size();
  all_of(archive, count, r.links, r.loads, r.job_loads, r.utilization_window, r.why_not_shared, r.engine_settings);
  if constexpr (!std::is_const_v<AResult>) r.jobs.resize(count);
  for (auto& job : r.jobs) exchange_job(archive, job);
  all_of(archive, r.link_windows.window, r.link_windows.windows, r.link_windows.bytes);
}

}  // namespace

void tell_links(const Network& network, bool keep_windows, Result& result) {
  const auto& usage = network.usage();
  const bool is_whole = result.left_out_on_links.empty(), has_windows = usage.windows() > 0;
  if (is_whole && has_windows) result.utilization_window = usage.window_seconds();
  result.links = links_of(network, result.runtime);
  if (!is_whole) add_left_out(network, result);
  if (keep_windows && has_windows) result.link_windows = windows_of(network, result.links, Time(result.runtime));
  for (const auto& link : result.links)
    result.loads.add(network.machine(), link.link, link.bytes, usage.seconds_for(link.link, link.bytes, 0));
}

double JobResult::total() const {
  return std::accumulate(rounds.begin(), rounds.end(), 0.0);
}

std::optional<double> JobResult::runtime() const {
  if (rounds.empty()) return std::nullopt;
  return total() / static_cast<double>(rounds.size());
}

std::optional<double> JobResult::slowdown() const {
  const auto time = runtime();
  if (!time || !alone || !(*alone > 0)) return std::nullopt;
  return *time / *alone;
}

std::optional<double> JobResult::lost() const {
  if (rounds.empty() || !alone) return std::nullopt;
  return total() - static_cast<double>(rounds.size()) * *alone;
}

std::span<const RankReport> Result::ranks_of(std::size_t job) const {
  return std::span(ranks.elements()).subspan(jobs[job].first_rank.index(), jobs[job].rank_count);
}

std::uint32_t Result::job_of(workloads::Rank rank) const {
  TOROID_ASSERT(rank.index() < ranks.size());
  const auto next = std::ranges::upper_bound(jobs, rank, {}, &JobResult::first_rank);
  return static_cast<std::uint32_t>(next - jobs.begin() - 1);
}

const ReplayReport* Result::last_report(std::size_t job) const {
  const auto& of = jobs[job];
  if (of.last_round) return &*of.last_round;
  const bool is_all = jobs.size() == 1 && of.rounds.size() == 1;
  return is_all ? this : nullptr;
}

Result Result::last_round(std::size_t job) const {
  const auto* report = last_report(job);
  TOROID_ASSERT(report != nullptr);
  Result result;
  static_cast<ReplayReport&>(result) = *report;
  result.links = links;
  result.utilization_window = utilization_window;
  result.link_windows = link_windows;
  result.engine_settings = engine_settings;
  const double begun = result.start.seconds();
  for (auto& step : result.critical_steps) {
    step.begin += begun;
    step.end += begun;
  }
  for (auto& obstacle : result.obstacles) {
    obstacle.begin += begun;
    obstacle.end += begun;
  }
  return result;
}

std::optional<double> Result::uncharged(std::size_t victim) const {
  auto rest = jobs[victim].lost();
  if (!rest) return rest;
  *rest -= jobs[victim].changes;
  const auto& charges = jobs[victim].charges;
  for (std::size_t other = 0; other < charges.size(); ++other)
    if (other != victim) *rest -= charges[other];
  return rest;
}

std::span<const JobLoad> Result::loads_of(LinkId link) const {
  return std::ranges::equal_range(job_loads, link, {}, &JobLoad::link);
}

std::string packed(const Result& result) {
  core::ByteWriter writer;
  exchange(writer, result);
  return writer.finish();
}

Result unpacked(std::string_view bytes) {
  Result result;
  core::ByteReader reader(bytes);
  exchange(reader, result);
  return result;
}

}  // namespace toroid::netsim
