#include "netsim/packet/layout.hpp"

#include <cmath>

#include "core/units.hpp"
#include "toroid/core/error.hpp"

namespace toroid::netsim::packet {
namespace {

using platforms::Wrap;

/// A packet on the fastest of all links takes at least so many ticks, the shortest latency too, unless a packet took
/// more than the most then.
constexpr double ticks_per_packet = 2048, ticks_per_latency = 256, most_ticks_per_packet = 1 << 20;

double fastest(const Machine& machine) {
  double most = 0;
  for (const auto& dimension : machine.description().dimensions) {
    if (dimension.extent > 1) most = std::max(most, dimension.bandwidth);
    for (const auto& exception : dimension.exceptions) most = std::max(most, exception.bandwidth);
  }
  const auto& node = machine.parameters();
  for (const double port : {node.injection_bandwidth, node.ejection_bandwidth})
    if (std::isfinite(port)) most = std::max(most, port);
  return most;
}

/// The shortest latency of the links of the grid that have one, in seconds; infinite where no link has one.
double shortest_latency(const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](double latency) {
    if (latency > 0) least = std::min(least, latency);
  };
  for (const auto& dimension : machine.description().dimensions) {
    if (dimension.extent > 1) consider(dimension.latency);
    for (const auto& exception : dimension.exceptions) consider(exception.latency);
  }
  return least;
}

/// The longest tick, a power of two of a second, that is short beside a packet's time on the fastest link and beside
/// the shortest latency. Where nothing limits a packet, a tick that suits any link.
double tick_for(const Machine& machine, double packet_bytes) {
  const double packet = packet_bytes / fastest(machine);
  if (!std::isfinite(packet)) return 0x1p-40;
  const double for_latency = std::max(shortest_latency(machine) / ticks_per_latency, packet / most_ticks_per_packet);
  return std::exp2(std::floor(std::log2(std::min(packet / ticks_per_packet, for_latency))));
}

/// The latency of the credits that a router gives its nodes: that to the nearest of the other routers.
double credit_latency(const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& dimension : machine.description().dimensions)
    if (dimension.extent > 1) least = std::min(least, dimension.latency);
  return std::isfinite(least) ? least : 0;
}

/// What sets of bits and numbers of ports hold.
constexpr std::uint32_t channels_limit = 64, ports_limit = 255;

bool has_failures(const Machine& machine) {
  return !machine.description().failed_links.empty() || !machine.description().failed_routers.empty();
}

/// Throws InputError, with the reason, if such a machine cannot be simulated.
void refuse(const Machine& machine, const Options& options) {
  const auto fail = [&](const std::string& why) { core::fail_input("engine packet: {}: {}", machine.name(), why); };
  for (const auto& dimension : machine.description().dimensions) {
    if (dimension.extent == 1) continue;
    if (dimension.shared)
      fail(fmt::format("the lines of dimension {} are shared, which is no network of links", dimension.name));
    const bool wraps = dimension.wrap != Wrap::mesh, bubble = options.rings == Rings::bubble;
    const bool adaptive = options.routing != Routing::dimension_order;
    const int least = (wraps && !bubble ? 2 : 1) + (adaptive ? 1 : 0);
    if (options.channels < least)
      fail(fmt::format("found vcs={}, expected {} or more for dimension {}{}", options.channels, least, dimension.name,
                       wraps && !bubble ? ", or rings=bubble" : ""));
    if (wraps && bubble && options.buffer_bytes > 0 &&
        options.buffer_bytes * (adaptive ? 1 : options.channels) < 2 * options.packet_bytes)
      fail("rings=bubble needs buffers of two packets");
    if (dimension.is_twisted() && (bubble || adaptive))
      fail(fmt::format("dimension {} is twisted, where {} could block", dimension.name,
                       bubble ? "rings=bubble" : fmt::format("routing={}", to_word(options.routing))));
  }
  if (options.buffer_bytes > 0 && options.buffer_bytes < options.packet_bytes)
    fail(fmt::format("a buffer of {} B does not hold a packet of {} B", options.buffer_bytes, options.packet_bytes));
}

}  // namespace

Layout::Layout(const Machine& machine, const Options& options)
    : machine_(machine),
      routers_(static_cast<std::uint32_t>(machine.grid().size())),
      dimensions_(static_cast<std::uint32_t>(machine.grid().dimension_count())),
      link_ports_(2 * dimensions_),
      nodes_(static_cast<std::uint32_t>(machine.description().nodes_per_router)),
      classes_(has_failures(machine) ? most_classes : 2),
      limits_ejection_(machine.limits_ejection()),
      kinds_per_router_(machine.grid().has_exceptions() ? ports() : 0) {
  refuse(machine, options);
  number_ports(options);
  measure(options);
  divide_channels(options);
  limit_leaving(options);
}

std::int32_t Layout::channels_of_ways(const platforms::Dimension& dimension) const {
  const auto parts = static_cast<std::int32_t>(classes_ / 2 - 1);
  return dimension.wrap == Wrap::mesh ? parts : 2 * parts;
}

void Layout::number_ports(const Options& options) {
  const auto& grid = machine_.grid();
  Channel next = 0;
  for (Port port = 0; port < ports(); ++port) {
    first_channel_.push_back(next);
    std::int32_t count = options.injection_channels;
    if (is_link(port)) {
      const auto& dimension = grid.dimension(port / 2);
      count = dimension.extent > 1 ? options.channels * dimension.links + channels_of_ways(dimension) : 0;
    }
    next += static_cast<Channel>(count);
    most_channels_ = std::max(most_channels_, static_cast<Channel>(count));
    port_of_channel_.resize(next, static_cast<std::uint8_t>(port));
  }
  first_channel_.push_back(next);
  channels_ = next;
  if (most_channels_ > channels_limit)
    core::fail_input(
        "engine packet: {}: found {} virtual channels of the links from a router to another, expected {} at most",
        machine_.name(), most_channels_, channels_limit);
  if (ports() > ports_limit)
    core::fail_input("engine packet: {}: found {} ports of a router, expected {} at most", machine_.name(), ports(),
                     ports_limit);
  for (std::uint32_t router = 0; router < routers_; ++router) {
    const RouterId here(router);
    const auto coordinates = grid.coordinates(here);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      coordinates_.push_back(coordinates[d]);
      for (const bool forward : {true, false})
        beyond_.push_back(grid.dimension(d).extent > 1 &&
                                  (grid.has_neighbour(here, d, forward) || grid.dimension(d).wrap == Wrap::ring)
                              ? static_cast<std::uint32_t>(grid.neighbour(here, d, forward).value())
                              : nowhere);
    }
  }
}

std::uint16_t Layout::number_of(const LinkKind& kind) {
  const auto number = std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin();
  if (number == static_cast<std::ptrdiff_t>(kinds_.size())) kinds_.push_back(kind);
  return static_cast<std::uint16_t>(number);
}

void Layout::measure(const Options& options) {
  const auto& grid = machine_.grid();
  tick_ = tick_for(machine_, options.packet_bytes);
  const auto check = [&](double seconds, std::string_view what) {
    const double most = static_cast<double>(too_many_ticks) * tick_;
    if (!(seconds < most))
      core::fail_input("engine packet: {}: found {} of {}, expected less than {}, or the engine fluid", machine_.name(),
                       what, core::format_duration(seconds), core::format_duration(most));
  };
  const auto kind = [&](double bandwidth, double latency, std::int32_t lanes) {
    check(options.packet_bytes / bandwidth, "a time of a packet on a link");
    check(latency, "a latency");
    return LinkKind{1 / bandwidth / tick_, static_cast<Tick>(latency / tick_ + 0.5), static_cast<std::uint16_t>(lanes)};
  };
  const auto& node = machine_.parameters();
  injection_ = kind(node.injection_bandwidth, credit_latency(machine_), 1);
  for (std::uint32_t router = 0; router < (kinds_per_router_ == 0 ? 1 : routers_); ++router) {
    for (Port port = 0; port < link_ports_; ++port) {
      const auto link = grid.link(RouterId(router), port / 2, port % 2 == 0);
      const auto lanes = grid.dimension(port / 2).links;
      kind_of_.push_back(number_of(kind(grid.link_bandwidth(link) / lanes, grid.link_latency(link), lanes)));
    }
    for (std::uint32_t n = 0; n < nodes_; ++n) kind_of_.push_back(number_of(kind(node.ejection_bandwidth, 0, 1)));
  }
}

void Layout::divide_channels(const Options& options) {
  ordered_.resize(std::size_t{classes_} * link_ports_);
  adaptive_.resize(link_ports_);
  for (Port port = 0; port < link_ports_; ++port) {
    const auto all = first_channel(port + 1) - first_channel(port);
    if (all == 0) continue;
    const auto& dimension = machine_.grid().dimension(port / 2);
    const bool wraps = dimension.wrap != Wrap::mesh;
    std::uint32_t next = 0;
    const auto take = [&](std::uint32_t count) {
      const ChannelSet set(next, count);
      next += count;
      return set;
    };
    const auto divide = [&](std::uint32_t which, std::uint32_t count, bool two) {
      auto* sets = &ordered_[classes_ * port + which];
      sets[0] = take(two ? count / 2 : count);
      sets[1] = two ? take(count - count / 2) : sets[0];
    };
    const bool two = wraps && options.rings == Rings::classes;
    const auto usual = all - static_cast<std::uint32_t>(channels_of_ways(dimension));
    divide(0, options.routing != Routing::dimension_order ? (two ? 2 : 1) : usual, two);
    for (std::uint32_t which = 2; which < classes_; which += 2) divide(which, wraps ? 2 : 1, wraps);
    adaptive_[port] = take(all - next);
  }
}

void Layout::limit_leaving(const Options& options) {
  double widest = std::numeric_limits<double>::infinity();  // ticks per byte of a link
  for (std::uint32_t router = 0; router < kinds_of_routers(); ++router)
    for (Port port = 0; port < link_ports_; ++port) widest = std::min(widest, kind(router, port).ticks_per_byte);
  for (Port port = 0; port < ports(); ++port) {
    const auto all = first_channel(port + 1) - first_channel(port);
    double inputs = is_link(port) ? kind(0, port).lanes : std::max(1.0, std::round(widest / injection_.ticks_per_byte));
    const double most = options.crossbar == 0 ? all : std::min<double>(all, options.crossbar * inputs);
    can_leave_.push_back(static_cast<std::uint16_t>(most));
    limits_leaving_ = limits_leaving_ || most < all;
  }
}

bool Layout::crosses(std::uint32_t router, Port port) const {
  const std::size_t d = port / 2;
  const auto at = coordinate(router, d);
  return port % 2 == 0 ? at == machine_.grid().dimension(d).extent - 1 : at == 0;
}

}  // namespace toroid::netsim::packet
