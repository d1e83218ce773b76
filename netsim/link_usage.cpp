#include "netsim/link_usage.hpp"

#include <algorithm>
#include <cmath>

namespace toroid::netsim {

using platforms::LinkId;

LinkUsage::LinkUsage(const platforms::Machine& machine)
    : machine_(machine), links_(static_cast<std::size_t>(machine.link_count())) {}

void LinkUsage::begin(Route route, double now) {
  for (const LinkId id : route) {
    auto& link = links_[static_cast<std::size_t>(id)];
    if (link.active++ == 0) link.busy_since = now;
    link.peak = std::max(link.peak, link.active);
  }
}

void LinkUsage::end(Route route, std::uint64_t bytes, double began, double now) {
  widen(now);
  const Shares shares = spread(static_cast<double>(bytes), began, now);
  for (const LinkId id : route) {
    auto& link = links_[static_cast<std::size_t>(id)];
    link.bytes += bytes;
    ++link.flows;
    if (--link.active == 0) link.busy += now - link.busy_since;
    book(link, shares);
  }
}

/// Doubles the windows, joining them in pairs, until they reach to `until`.
void LinkUsage::widen(double until) {
  while (window_ * windows <= until) {
    window_ *= 2;
    for (auto& link : links_) {
      if (!link.profile) continue;
      auto& p = *link.profile;
      for (std::size_t i = 0; i < windows / 2; ++i) p[i] = p[2 * i] + p[2 * i + 1];
      std::fill(p.begin() + windows / 2, p.end(), 0.0);
    }
  }
}

LinkUsage::Shares LinkUsage::spread(double bytes, double began, double now) const {
  const auto first = static_cast<std::size_t>(began / window_);
  const auto last = static_cast<std::size_t>(now / window_);
  if (first == last) return {first, last, bytes, 0, 0};
  const double rate = bytes / (now - began);
  return {first, last, rate * (static_cast<double>(first + 1) * window_ - began), rate * window_,
          rate * (now - static_cast<double>(last) * window_)};
}

void LinkUsage::book(Link& link, const Shares& shares) {
  if (!link.profile) link.profile = std::make_unique<Profile>();
  auto& p = *link.profile;
  p[shares.first] += shares.head;
  if (shares.first == shares.last) return;
  for (auto w = shares.first + 1; w < shares.last; ++w) p[w] += shares.body;
  p[shares.last] += shares.tail;
}

LinkLoad LinkUsage::load(LinkId id, double now) const {
  const auto& link = links_[static_cast<std::size_t>(id)];
  LinkLoad load{link.bytes, link.flows, link.peak, link.busy + (link.active > 0 ? now - link.busy_since : 0), 0};
  if (!link.profile) return load;
  const double capacity = machine_.link_bandwidth(id);
  for (std::size_t w = 0; w < windows; ++w) {
    // The last window is as long as the run reaches into it; a sliver of one says nothing.
    const double length = std::min(window_, now - static_cast<double>(w) * window_);
    if (length > window_ / 2 || w == 0)
      load.peak_utilization = std::max(load.peak_utilization, (*link.profile)[w] / (capacity * length));
  }
  load.peak_utilization = std::min(1.0, load.peak_utilization);
  return load;
}

}  // namespace toroid::netsim
