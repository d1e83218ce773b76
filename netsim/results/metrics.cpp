#include "toroid/netsim/results/metrics.hpp"

namespace toroid::netsim {
namespace {

constexpr std::array all_metrics{
    Metric{"messages", "count", "of the program and its collectives, within nodes, too", "messages",
           Metric::Use::result, [](const SentMessages& m) -> MetricValue { return m.messages; }},
    Metric{"bytes", "bytes", "without those of --envelope", "bytes sent", Metric::Use::result,
           [](const SentMessages& m) -> MetricValue { return m.bytes; }},
    Metric{"network_messages", "count", "messages between different nodes", "messages between nodes",
           Metric::Use::result, [](const SentMessages& m) -> MetricValue { return m.network_messages; }},
    Metric{"network_bytes", "bytes", "bytes between different nodes", "bytes between nodes", Metric::Use::result,
           [](const SentMessages& m) -> MetricValue { return m.network_bytes; }},
    Metric{"hop_bytes", "bytes", "sum over network messages of bytes times hops", "hop-bytes", Metric::Use::proxy,
           [](const SentMessages& m) -> MetricValue { return m.hop_bytes; }},
    Metric{"hops_per_byte", "number", "hop_bytes / network_bytes", "hops per byte", Metric::Use::proxy,
           [](const SentMessages& m) -> MetricValue { return m.hops_per_byte(); }},
    Metric{"dilation_mean", "number", "mean hops of a network message", "mean hops of a message", Metric::Use::proxy,
           [](const SentMessages& m) -> MetricValue { return m.dilation_mean(); }},
    Metric{"dilation_max", "count", "most hops of a network message", "most hops of a message", Metric::Use::proxy,
           [](const SentMessages& m) -> MetricValue { return static_cast<std::uint64_t>(m.dilation_max); }},
    Metric{"max_link_load_bytes", "bytes", "of the busiest link of the grid, with envelopes", "largest link load",
           Metric::Use::proxy, [](const LinkLoads& l) -> MetricValue { return l.max_bytes; }},
    Metric{"mean_link_load_bytes", "bytes", "over links of the grid that carried anything", "mean link load",
           Metric::Use::proxy, [](const LinkLoads& l) -> MetricValue { return l.mean_bytes(); }},
    Metric{"link_load_imbalance", "number", "max_link_load_bytes / mean_link_load_bytes", "link load imbalance",
           Metric::Use::result,
           [](const LinkLoads& l) -> MetricValue { return share(static_cast<double>(l.max_bytes), l.mean_bytes()); }},
    Metric{"links_used", "count", "links of the grid that carried anything", "links used", Metric::Use::proxy,
           [](const LinkLoads& l) -> MetricValue { return l.links; }},
    Metric{"max_port_load_bytes", "bytes", "of the busiest injection or ejection link; 0 without a limit",
           "largest port load", Metric::Use::result,
           [](const LinkLoads& l) -> MetricValue { return l.max_port_bytes; }},
    Metric{"max_link_time_s", "seconds", "longest that a link or port needs for its bytes at full speed",
           "least time of busiest link", Metric::Use::proxy,
           [](const LinkLoads& l) -> MetricValue { return l.max_seconds; }}};

}  // namespace

double number(const MetricValue& value) {
  return std::visit([](auto of_its_type) { return static_cast<double>(of_its_type); }, value);
}

MetricValue Metric::of(const SentMessages& sent, const LinkLoads& loads) const {
  if (const auto* of_links = std::get_if<MetricValue (*)(const LinkLoads&)>(&compute)) return (*of_links)(loads);
  return std::get<MetricValue (*)(const SentMessages&)>(compute)(sent);
}

std::span<const Metric> metrics() {
  return all_metrics;
}

const std::vector<Metric>& proxies() {
  static const auto found = [] {
    std::vector<Metric> judged;
    std::ranges::copy_if(all_metrics, std::back_inserter(judged),
                         [](const Metric& m) { return m.use != Metric::Use::result; });
    return judged;
  }();
  return found;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(all_metrics, name, &Metric::name);
  return found == all_metrics.end() ? nullptr : &*found;
}

}  // namespace toroid::netsim
