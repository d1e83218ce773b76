#include "netsim/link_usage.hpp"

#include <cmath>

#include "netsim/repeats/tally.hpp"
#include "toroid/netsim/result.hpp"

namespace toroid::netsim {

void LinkUsage::begin(Route route, const Time& now) {
  if (ignores_) return;
  if (!route.empty()) make_links();
  for (const LinkId id : route) {
    auto& link = links_[id];
    TOROID_ASSERT_HEAVY(link.busy_since <= now);
    if (link.active++ == 0) link.busy_since = now;
    link.peak = std::max(link.peak, link.active);
  }
}

void LinkUsage::end(Route route, std::uint64_t bytes, const Time& began, const Time& now, std::uint64_t flows) {
  if (ignores_) return;
  TOROID_ASSERT_HEAVY(began <= now);
  Shares shares{};
  if (windows_ > 0) {
    widen(now.seconds());
    shares = spread(static_cast<double>(bytes), began.seconds(), now.seconds());
    if (remembers_)
      remembered_.push_back({{route.begin(), route.end()}, static_cast<double>(bytes), began.seconds(), now.seconds()});
  }
  for (const LinkId id : route) {
    auto& link = links_[id];
    TOROID_ASSERT_HEAVY(link.active > 0 && link.busy_since <= now);
    link.bytes += bytes;
    link.flows += flows;
    if (--link.active == 0) link.busy += now - link.busy_since;
    if (windows_ > 0) book(link, shares);
  }
}

void LinkUsage::tally(Tally& tally, const Time& now) {
  if (!ignores_) make_links();
  for (auto& link : links_) {
    tally.each(link.bytes, link.flows);
    if (link.active > 0) link.busy += now - std::exchange(link.busy_since, tally.grows() ? now + tally.by() : now);
    tally.add(link.busy);
  }
  if (tally.times() == 0) forget();
  remembers_ = tally.times() == 0;
  if (!tally.grows() || remembered_.empty()) return;
  const double period = tally.by().seconds() / static_cast<double>(tally.times());
  double last = 0;
  for (const auto& booking : remembered_) last = std::max(last, booking.ended);
  widen(last + tally.by().seconds());
  for (const auto& booking : remembered_) book_again(booking, tally.times(), period);
  forget();
}

/// Remembers packets that go over a link one behind the other as a whole: there may be millions.
void LinkUsage::remember(LinkId id, Booking&& packet) {
  const auto per_second = [](const Booking& booking) { return booking.bytes / (booking.ended - booking.began); };
  last_of_.resize(links_.size());
  auto& last = last_of_[id];
  if (last > 0 && remembered_[last - 1].ended == packet.began) {
    auto& before = remembered_[last - 1];
    if (std::abs(per_second(before) - per_second(packet)) <= 1e-9 * per_second(packet)) {
      before.bytes += packet.bytes;
      before.ended = packet.ended;
      return;
    }
  }
  remembered_.push_back(std::move(packet));
  last = remembered_.size();
}

/// Books a transfer `times` more times, each `period` seconds after the one before. Most of these lie within a window
/// each, and those of a window are booked at once.
void LinkUsage::book_again(const Booking& booking, std::uint64_t times, double period) {
  const auto at = [&](std::uint64_t time) { return static_cast<double>(time) * period; };
  // The last repetition, if not before `first`, that ends by `limit`; rounding is made good by a look at the times.
  const auto last_until = [&](double limit, std::uint64_t first) {
    const double guess = (limit - booking.ended) / period;
    auto last = guess >= static_cast<double>(times) ? times : static_cast<std::uint64_t>(std::max(0.0, guess));
    while (last < times && booking.ended + at(last + 1) < limit) ++last;
    while (last >= first && booking.ended + at(last) >= limit) --last;
    return std::max(last, first - 1);
  };
  for (std::uint64_t next = 1; next <= times;) {
    const auto shares = spread(booking.bytes, booking.began + at(next), booking.ended + at(next));
    const bool is_within = shares.first == shares.last;
    const auto last = is_within ? last_until(static_cast<double>(shares.last + 1) * window_, next + 1) : next;
    const double count = static_cast<double>(last - next + 1);
    for (const LinkId id : booking.route)
      book(links_[id], {shares.first, shares.last, count * shares.head, shares.body, shares.tail});
    next = last + 1;
  }
}

void LinkUsage::set(LinkId id, const Count& count) {
  make_links();
  static_cast<Count&>(links_[id]) = count;
}

void LinkUsage::book_windows(LinkId id, std::uint64_t bytes, const Time& began, const Time& now) {
  make_links();
  widen(now.seconds());
  book(links_[id], spread(static_cast<double>(bytes), began.seconds(), now.seconds()));
  if (remembers_) remember(id, {{id}, static_cast<double>(bytes), began.seconds(), now.seconds()});
}

void LinkUsage::add(LinkId id, std::uint64_t bytes, const Time& began, const Time& now) {
  make_links();
  links_[id].bytes += bytes;
  if (windows_ > 0) book_windows(id, bytes, began, now);
}

/// Doubles the windows, joining them in pairs, until they reach to `until`.
void LinkUsage::widen(double until) {
  while (window_ * static_cast<double>(windows_) <= until) {
    window_ *= 2;
    for (auto& link : links_) {
      if (!link.profile) continue;
      auto& p = link.profile;
      for (std::size_t i = 0; i < windows_; ++i)
        p[i] = (2 * i < windows_ ? p[2 * i] : 0) + (2 * i + 1 < windows_ ? p[2 * i + 1] : 0);
    }
  }
}

LinkUsage::Shares LinkUsage::spread(double bytes, double began, double now) const {
  const auto window_of = [&](double time) {  // the quotient may be rounded up to the end of the last one
    return std::min(static_cast<std::size_t>(time / window_), windows_ - 1);
  };
  const auto first = window_of(began), last = window_of(now);
  if (first == last) return {first, last, bytes, 0, 0};
  const double rate = bytes / (now - began);
  return {first, last, rate * (static_cast<double>(first + 1) * window_ - began), rate * window_,
          rate * (now - static_cast<double>(last) * window_)};
}

void LinkUsage::book(Link& link, const Shares& shares) const {
  if (!link.profile) link.profile = std::make_unique<double[]>(windows_);
  auto& p = link.profile;
  TOROID_ASSERT_HEAVY(shares.first <= shares.last && shares.last < windows_);
  p[shares.first] += shares.head;
  if (shares.first == shares.last) return;
  for (auto w = shares.first + 1; w < shares.last; ++w) p[w] += shares.body;
  p[shares.last] += shares.tail;
}

LinkUsage::Windows LinkUsage::windows_until(const Time& now) const {
  Windows windows{window_, 1};
  while (windows.seconds * static_cast<double>(windows_) < now.seconds()) windows.seconds *= 2;
  while (windows.seconds * static_cast<double>(windows.count) < now.seconds()) ++windows.count;
  return windows;
}

std::vector<double> LinkUsage::bytes_by_window(LinkId id, const Time& now) const {
  const auto windows = windows_until(now);
  const auto joined = static_cast<std::size_t>(std::llround(windows.seconds / window_));  // a power of two
  std::vector<double> bytes(windows.count);
  if (links_.empty()) return bytes;
  const auto& profile = links_[id].profile;
  for (std::size_t w = 0; profile && w < windows_; ++w) bytes[std::min(w / joined, bytes.size() - 1)] += profile[w];
  return bytes;
}

LinkLoad LinkUsage::load(LinkId id, const Time& now) const {
  if (links_.empty()) return {};
  const auto& link = links_[id];
  const Time busy = link.busy + (link.active > 0 ? now - link.busy_since : Time());
  return {link.bytes, link.flows, link.peak, busy.seconds(), link.profile ? peak(id, now.seconds()) : 0};
}

double LinkUsage::capacity(LinkId id, double start, double seconds) const {
  if (machines_.size() == 1) return machines_[0].second->link_bandwidth(id) * seconds;
  double bytes = 0;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const auto& [since, machine] = machines_[i];
    const double until = i + 1 < machines_.size() ? machines_[i + 1].first : start + seconds;
    const double length = std::min(until, start + seconds) - std::max(since, start);
    if (length > 0 && machine->link_exists(id)) bytes += machine->link_bandwidth(id) * length;
  }
  return bytes;
}

double LinkUsage::seconds_for(LinkId id, std::uint64_t bytes, double start) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  auto left = static_cast<double>(bytes);
  double now = 0;  // since the start
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const auto& machine = *machines_[i].second;
    const double until = i + 1 < machines_.size() ? machines_[i + 1].first - start : never;
    if (until <= now) continue;
    const double bandwidth = machine.link_exists(id) ? machine.link_bandwidth(id) : 0;
    if (bandwidth > 0 && now + left / bandwidth <= until) return now + left / bandwidth;
    if (until == never) break;  // the link has failed, and had carried all by then but for rounding
    left -= bandwidth * (until - now);
    now = until;
  }
  return now;
}

/// The windows cover all bytes and all of the time: the mean utilisation is a mean of theirs, and none of them is
/// larger than the largest.
double LinkUsage::peak(LinkId id, double now) const {
  const auto& link = links_[id];
  if (!(now > 0)) return 0;
  const double mean = static_cast<double>(link.bytes) / capacity(id, 0, now);
  double largest = 0;
  for (std::size_t w = 0; w < windows_;) {
    double bytes = 0;
    const double began = static_cast<double>(w) * window_;
    do bytes += link.profile[w++];
    while (w < windows_ && now - static_cast<double>(w) * window_ < window_ / 2);
    if (bytes == 0) continue;
    const double length = std::min(static_cast<double>(w) * window_, now) - began;
    largest = std::max(largest, bytes / capacity(id, began, length));
  }
  return std::max(mean, std::min(1.0, largest));
}

}  // namespace toroid::netsim
