#include "netsim/result.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/bytes.hpp"

namespace toroid::netsim {

void LinkLoads::add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes, double seconds) {
  if (bytes == 0) return;
  max_seconds = std::max(max_seconds, seconds);
  if (!machine.is_of_grid(link)) return void(max_port_bytes = std::max(max_port_bytes, bytes));
  max_bytes = std::max(max_bytes, bytes);
  sum_bytes += bytes;
  ++links;
}

std::vector<LinkResult> Result::bottlenecks() const {
  return busiest(links);
}

std::vector<LinkResult> busiest(const std::vector<LinkResult>& links) {
  constexpr std::size_t bottlenecks_listed = 10;
  std::vector<LinkResult> first(std::min(links.size(), bottlenecks_listed));
  std::partial_sort_copy(links.begin(), links.end(), first.begin(), first.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.mean_utilization, a.link) < std::pair(-b.mean_utilization, b.link);
  });
  return first;
}

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
  return kept;
}

namespace {

/// Adds what links carried in iterations that were left out.
void add_left_out(const Network& network, Result& result) {
  for (auto& link : result.links) {
    const auto& more = result.left_out_on_links[link.link];
    link.bytes += more.bytes;
    link.flows += more.flows;
    link.busy += more.busy;
    link.peak_utilization = 0;
    const double capacity = network.usage().capacity(link.link, result.start.seconds(), result.runtime);
    link.mean_utilization = share(static_cast<double>(link.bytes), capacity);
  }
}

}  // namespace

Result make_result(const Network& network, ReplayReport report, bool keep_windows) {
  Result result{std::move(report), {}, {}, {}, network.settings_and_order(), {}, {}};
  const bool is_whole = result.left_out_on_links.empty();
  if (is_whole && network.usage().windows() > 0) result.utilization_window = network.usage().window_seconds();
  result.links = links_of(network, result.start, result.runtime);
  if (!is_whole) add_left_out(network, result);
  if (keep_windows && network.usage().windows() > 0)
    result.link_windows = windows_of(network, result.links, result.start + Time(result.runtime));
  for (const auto& link : result.links) {
    const double seconds = network.usage().seconds_for(link.link, link.bytes, result.start.seconds());
    result.loads.add(network.machine(), link.link, link.bytes, seconds);
  }
  return result;
}

std::vector<LinkResult> links_of(const Network& network, const Time& start, double seconds) {
  std::vector<LinkResult> links;
  const auto& machine = network.machine();
  const auto& usage = network.usage();
  const Time end = start + Time(seconds);
  for (const platforms::LinkId id : machine.links()) {
    const auto load = usage.load(id, end);
    if (load.flows == 0) continue;
    const double capacity = usage.capacity(id, start.seconds(), seconds);
    links.push_back({load, id, share(static_cast<double>(load.bytes), capacity)});
  }
  return links;
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

Result JobsResult::last_round(std::size_t job) const {
  Result result{jobs[job].last_round.value(), links, {}, utilization_window, engine_settings, {}, link_windows};
  const double start = result.start.seconds();
  for (auto& step : result.critical_steps) {
    step.begin += start;
    step.end += start;
  }
  for (auto& obstacle : result.obstacles) {
    obstacle.begin += start;
    obstacle.end += start;
  }
  return result;
}

std::vector<std::optional<double>> JobsResult::losses(std::size_t victim) const {
  const auto& charges = shapley ? (*shapley)[victim] : jobs[victim].charges;
  std::vector<std::optional<double>> all(charges.begin(), charges.end());
  if (shapley) all[victim].reset();
  return all;
}

std::optional<double> JobsResult::uncharged(std::size_t victim) const {
  auto rest = jobs[victim].lost();
  if (!rest) return rest;
  *rest -= jobs[victim].changes;
  const auto losses_to = losses(victim);
  for (std::size_t other = 0; other < losses_to.size(); ++other)
    if (other != victim) *rest -= losses_to[other].value();
  return rest;
}

std::span<const JobLoad> JobsResult::loads_of(LinkId link) const {
  return std::ranges::equal_range(job_loads, link, {}, &JobLoad::link);
}

namespace {

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

template <class Archive, class AnActivity>
void exchange_activity(Archive& archive, AnActivity& activity) {
  auto count = activity.collectives.size();
  all_of(archive, activity.window, activity.windows, activity.seconds, count);
  if constexpr (!std::is_const_v<AnActivity>) activity.collectives.resize(count);
  for (auto& waits : activity.collectives) all_of(archive, waits.algorithm, waits.seconds);
}

template <class Archive, class SomeWindows>
void exchange_windows(Archive& archive, SomeWindows& windows) {
  all_of(archive, windows.window, windows.windows, windows.bytes);
}

template <class Archive, class AReport>
void exchange_report(Archive& archive, AReport& r) {
  exchange_sent(archive, r);
  all_of(archive, r.start, r.runtime, r.ranks, r.critical_path, r.critical_steps, r.obstacles, r.message_classes,
         r.messages_sent, r.charges, r.repeated, r.left_out_on_links, r.collectives, r.exposed, r.timeline.calls,
         r.timeline.phases, r.timeline.messages);
  if (there_is(archive, r.sampled))
    all_of(archive, r.sampled->wanted, r.sampled->iterations, r.sampled->left_out, r.sampled->warm_up,
           r.sampled->clusters, r.sampled->half_width, r.sampled->why_whole);
  exchange_activity(archive, r.activity);
}

template <class Archive, class AResult>
requires std::is_base_of_v<ReplayReport, AResult>
void exchange(Archive& archive, AResult& r) {
  exchange_report(archive, r);
  all_of(archive, r.links, r.loads, r.utilization_window, r.engine_settings, r.profile);
  exchange_windows(archive, r.link_windows);
}

template <class Archive, class AResult>
void exchange_job(Archive& archive, AResult& r) {
  exchange_sent(archive, r);
  all_of(archive, r.how, r.complaint, r.start, r.end, r.repeated, r.rounds, r.critical_path, r.charges, r.changes,
         r.ranks);
  exchange_activity(archive, r.activity);
  if (there_is(archive, r.last_round)) exchange_report(archive, *r.last_round);
}

template <class Archive, class AResult>
requires std::is_same_v<std::remove_const_t<AResult>, JobsResult>
void exchange(Archive& archive, AResult& r) {
  auto count = r.jobs.size();
  all_of(archive, count, r.runtime, r.links, r.job_loads, r.why_not_shared, r.utilization_window, r.engine_settings);
  if constexpr (!std::is_const_v<AResult>) r.jobs.resize(count);
  for (auto& job : r.jobs) exchange_job(archive, job);
  exchange_windows(archive, r.link_windows);
}

}  // namespace

template <class AResult>
std::string packed(const AResult& result) {
  core::ByteWriter writer;
  exchange(writer, result);
  return writer.finish();
}

template <class AResult>
AResult unpacked(std::string_view bytes) {
  AResult result;
  core::ByteReader reader(bytes);
  exchange(reader, result);
  return result;
}

template std::string packed(const Result&);
template std::string packed(const JobsResult&);
template Result unpacked(std::string_view);
template JobsResult unpacked(std::string_view);

}  // namespace toroid::netsim
