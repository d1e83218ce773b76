#include "tests/netsim/differences.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace toroid::test {

bool Differences::are_near(double a, double b) const {
  return std::abs(a - b) <= most_;
}

std::string Differences::of_messages(const netsim::SentMessages& a, const netsim::SentMessages& b) const {
  if (std::tie(a.messages, a.bytes, a.network_messages, a.network_bytes, a.hops, a.hop_bytes, a.dilation_max) ==
      std::tie(b.messages, b.bytes, b.network_messages, b.network_bytes, b.hops, b.hop_bytes, b.dilation_max))
    return {};
  return fmt::format("messages {} {}", a.messages, b.messages);
}

std::string Differences::of_histories(const netsim::History& p, const netsim::History& q) const {
  if (are_near(p.compute, q.compute) && are_near(p.latency, q.latency) && are_near(p.bandwidth, q.bandwidth) &&
      are_near(p.sharing, q.sharing) && are_near(p.others, q.others))
    return {};
  return fmt::format("critical path {} {}, {} {}, {} {}, {} {}, {} {}", p.compute, q.compute, p.latency, q.latency,
                     p.bandwidth, q.bandwidth, p.sharing, q.sharing, p.others, q.others);
}

std::string Differences::of_ranks(const Ranks& a, const Ranks& b) const {
  if (a.size() != b.size()) return "ranks";
  for (const auto rank : a.ids()) {
    const auto &x = a[rank], &y = b[rank];
    if (x.messages != y.messages || x.bytes != y.bytes) return fmt::format("messages of rank {}", rank.value());
    if (!are_near(x.compute, y.compute) || !are_near(x.transfer, y.transfer) || !are_near(x.wait, y.wait) ||
        !are_near(x.finish, y.finish))
      return fmt::format("times of rank {}: {} {}, {} {}, {} {}, {} {}", rank.value(), x.compute, y.compute, x.transfer,
                         y.transfer, x.wait, y.wait, x.finish, y.finish);
  }
  return {};
}

std::string Differences::of_exposed(const netsim::ReplayReport& a, const netsim::ReplayReport& b) const {
  if (a.exposed.size() != b.exposed.size()) return "purposes";
  const auto ranks = static_cast<double>(a.ranks.size());
  for (std::size_t i = 0; i < a.exposed.size(); ++i) {
    const auto& [x_name, x] = a.exposed[i];
    const auto& [y_name, y] = b.exposed[i];
    if (x_name != y_name || !are_near(x.transfer / ranks, y.transfer / ranks) ||
        !are_near(x.wait / ranks, y.wait / ranks))
      return fmt::format("waits for {}: {} {}, {} {}", x_name, x.transfer, y.transfer, x.wait, y.wait);
  }
  return {};
}

std::string Differences::of_links(const Links& a, const Links& b) const {
  if (a.size() != b.size()) return "links";
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto &x = a[i], &y = b[i];
    if (std::tie(x.link, x.bytes, x.flows, x.peak_flows) != std::tie(y.link, y.bytes, y.flows, y.peak_flows))
      return fmt::format("link {}: {} {} bytes, {} {} flows, at most {} {}", x.link.value(), x.bytes, y.bytes, x.flows,
                         y.flows, x.peak_flows, y.peak_flows);
    if (!are_near(x.busy, y.busy) || std::abs(x.mean_utilization - y.mean_utilization) > 1e-9)
      return fmt::format("time of link {}: {} {}", x.link.value(), x.busy, y.busy);
    if (std::abs(x.peak_utilization - y.peak_utilization) > 1e-8)
      return fmt::format("peak of link {}: {} {}", x.link.value(), x.peak_utilization, y.peak_utilization);
  }
  return {};
}

}  // namespace toroid::test
