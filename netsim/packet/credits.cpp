#include "netsim/packet/credits.hpp"

#include <cmath>

#include "core/units.hpp"

namespace toroid::netsim::packet {

Credits::Credits(const Machine& machine, const Layout& layout, const Options& options)
    : machine_(machine), layout_(layout), options_(options), fastest_(std::numeric_limits<double>::infinity()) {
  const auto packet = static_cast<std::uint32_t>(options.packet_bytes);
  for (const auto& kind : layout.kinds())
    if (const auto ticks = static_cast<double>(kind.duration(packet)); ticks > 0) {
      fastest_ = std::min(fastest_, ticks);
      slowest_ = std::max(slowest_, ticks);
    }
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (machine.grid().dimension(d).extent > 1) dimensions_.push_back(links(d));
  ports_ = ports();
}

/// The fewest channels that a message's packets may have of the links along a dimension: those of any class. With
/// adaptive routes there are those for any way, too, but for one that is kept as a bubble. A failure changes no router.
/// Packets on a way round it have fewer channels, which do not grow.
std::uint32_t Credits::channels(std::size_t d) const {
  const auto port = Layout::port_of(d, true);
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (unsigned which = 0; which < std::min(layout_.classes(), 2U); ++which)  // the others are for ways round
    if (const auto count = layout_.ordered(port, which).count; count > 0)
      fewest = std::min<std::uint32_t>(fewest, count);
  if (options_.routing == Routing::dimension_order) return fewest;
  return layout_.adaptive(port).count + (options_.rings == Rings::classes ? fewest : 0);
}

Credits::Stage Credits::links(std::size_t d) const {
  const auto& dimension = machine_.grid().dimension(d);
  Stage stage{.dimension = d, .channels = channels(d)};
  stage.needs_bubble = options_.rings == Rings::bubble && options_.routing == Routing::dimension_order &&
                       dimension.wrap != platforms::Wrap::mesh;
  for (std::uint32_t router = 0; router < layout_.kinds_of_routers(); ++router)
    for (const bool forward : {true, false}) {
      const auto& kind = layout_.kind(router, Layout::port_of(d, forward));
      const auto ticks = static_cast<double>(kind.duration(static_cast<std::uint32_t>(options_.packet_bytes)));
      // A packet that goes on faster than it came waits for its tail; and where a channel is taken only with room for a
      // whole packet, that room is there when the tail of the one before has left.
      const double tail = options_.binds() ? std::max(0.0, ticks - fastest_) : ticks;
      const double loop = 2 * static_cast<double>(kind.latency) + tail;
      const double least = std::ceil(loop * kind.lanes / ticks);
      if (least < stage.least) continue;
      stage.least = std::max(1.0, least);
      stage.packet = ticks / kind.lanes;
      stage.loop = loop;
    }
  const auto per_channel = options_.buffer_bytes / options_.packet_bytes;
  stage.held = static_cast<double>(stage.channels) * per_channel - (stage.needs_bubble ? 1 : 0);
  return stage;
}

/// A node sends into all links of its router at once: that takes room for a packet on its way into each of them, and
/// for those that they carry away until a credit is back.
Credits::Stage Credits::ports() const {
  const auto& kind = layout_.injection();
  const auto packet = static_cast<std::uint32_t>(options_.packet_bytes);
  Stage stage{.channels = static_cast<std::uint32_t>(options_.injection_channels), .least = 1};
  if (dimensions_.empty()) return stage;
  const auto own = static_cast<double>(kind.duration(packet)), latency = static_cast<double>(kind.latency);
  stage.packet = std::max(own, fastest_);
  stage.loop = latency + std::abs(stage.packet - own) + (own > 0 ? std::max(0.0, own - fastest_) : 0);
  double links = 0;  // packets that all links need
  for (const auto& dimension : dimensions_) links += 2 * std::ceil((latency + dimension.packet) / dimension.packet);
  stage.least = own > 0 ? std::ceil((latency + std::max(slowest_ - own, own - fastest_)) / own) : links;
  stage.least = std::max({1.0, std::min(stage.least, links), std::ceil(stage.loop / stage.packet)});
  return stage;
}

/// Bytes of each channel, a whole number of packets.
std::int32_t Credits::needed(const Stage& stage) const {
  if (stage.channels == 0) return options_.packet_bytes;
  const double packets = std::ceil((stage.least + (stage.needs_bubble ? 1 : 0)) / stage.channels);
  constexpr double limit = std::numeric_limits<std::int32_t>::max() / 2;
  return static_cast<std::int32_t>(std::min(packets, std::floor(limit / options_.packet_bytes))) *
         options_.packet_bytes;
}

std::int32_t Credits::buffer_needed() const {
  const bool bubble = options_.rings == Rings::bubble && options_.routing != Routing::dimension_order;
  std::int32_t most = (bubble ? 2 : 1) * options_.packet_bytes;
  for (const auto& stage : dimensions_) most = std::max(most, needed(stage));
  return most;
}

std::string Credits::remark() const {
  const Stage* worst = nullptr;
  for (const auto& stage : dimensions_)
    if (stage.held < stage.least && (worst == nullptr || stage.held / stage.least < worst->held / worst->least))
      worst = &stage;
  if (worst == nullptr) return {};
  const auto bytes = [&](double packets) { return core::format_bytes(packets * options_.packet_bytes); };
  return fmt::format(
      "the {} channels of a link along {} hold {}, but {} are under way there until a credit comes back: messages wait "
      "for credits even where there are no others; buffer={} would do",
      worst->channels, machine_.grid().dimension(worst->dimension).name, bytes(worst->held), bytes(worst->least),
      buffer_needed());
}

/// On how many ways at once a message's packets meet such a stage.
double Credits::ways(const Stage& stage, const platforms::Coordinates& hops) const {
  const auto zone_of = [&](std::size_t d) { return zone(options_.routing, machine_.grid().dimension(d)); };
  double count = 0;
  for (const auto& other : dimensions_) {
    const auto d = other.dimension;
    if (hops[d] == 0 || (options_.routing == Routing::dimension_order && &other != &stage)) continue;
    if (zone_of(d) != zone_of(stage.dimension)) continue;
    const auto& dimension = machine_.grid().dimension(d);
    count += options_.ties == Ties::split && dimension.wrap == platforms::Wrap::torus && 2 * hops[d] == dimension.extent
                 ? 2
                 : 1;
  }
  return count;
}

double Credits::seconds(NodeId from, NodeId to, std::uint64_t bytes) const {
  if (bytes == 0) return 0;
  const auto packet = static_cast<std::uint64_t>(options_.packet_bytes), before_last = (bytes - 1) / packet;
  const auto hops = machine_.hops_per_dimension(from, to);
  double longest = 0;
  const auto pass = [&](const Stage& stage, double held) {
    if (stage.channels == 0 || held >= stage.least) return;
    const double rounds = std::floor(static_cast<double>(before_last) / held);
    const double last = static_cast<double>(bytes - before_last * packet) / static_cast<double>(packet);
    const double ticks = rounds * stage.loop + (static_cast<double>(before_last) - rounds * held + last) * stage.packet;
    longest = std::max(longest, ticks * layout_.tick_seconds());
  };
  for (const auto& stage : dimensions_)
    if (hops[stage.dimension] > 0) pass(stage, stage.held * ways(stage, hops));
  return longest;
}

}  // namespace toroid::netsim::packet
