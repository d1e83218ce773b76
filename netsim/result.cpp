#include "netsim/result.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "netsim/replay/report_bytes.hpp"

namespace toroid::netsim {
namespace {

constexpr std::size_t bottlenecks_listed = 10;

/// One list of the fields, for both ways.
template <class Archive, class AResult>
void exchange(Archive&& archive, AResult& r) {
  exchange_report(archive, r);
  archive(r.links);
  archive(r.loads);
  archive(r.utilization_window);
  archive(r.engine_settings);
  archive(r.profile);
  exchange_windows(archive, r.link_windows);
}

}  // namespace

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

std::string packed(const Result& result) {
  core::ByteWriter writer;
  exchange(writer, result);
  return writer.finish();
}

Result unpacked(std::string_view bytes) {
  Result result;
  exchange(core::ByteReader(bytes), result);
  return result;
}

}  // namespace toroid::netsim
