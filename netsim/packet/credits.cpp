#include "netsim/packet/credits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/units.hpp"

namespace toroid::netsim::packet {

Credits::Credits(const Machine& machine, const Layout& layout, const Options& options)
    : machine_(machine), layout_(layout), options_(options), fastest_(std::numeric_limits<double>::infinity()) {
  const auto packet = static_cast<std::uint32_t>(options.packet_bytes);
  for (const auto& kind : layout.kinds())
    if (const auto ticks = kind.duration(packet); ticks > 0) fastest_ = std::min(fastest_, static_cast<double>(ticks));
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (machine.grid().dimension(d).extent > 1) dimensions_.push_back(links(d));
  ports_ = ports();
}

/// The fewest channels that a message's packets may have of the links along a dimension: of any class, and with
/// adaptive routes besides those for any way, but for one that is kept as a bubble.
std::uint32_t Credits::channels(std::size_t d) const {
  const auto port = Layout::port_of(d, true);
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (unsigned which = 0; which < layout_.classes(); ++which)
    if (const auto count = layout_.ordered(port, which).count; count > 0)
      fewest = std::min<std::uint32_t>(fewest, count);
  if (options_.routing == Routing::dimension_order) return fewest;
  return layout_.adaptive(port).count + (options_.rings == Rings::classes ? fewest : 0);
}

Credits::Stage Credits::links(std::size_t d) const {
  const auto& dimension = machine_.grid().dimension(d);
  Stage stage{.name = fmt::format("a link along {}", dimension.name), .dimension = d, .channels = channels(d)};
  stage.needs_bubble = options_.rings == Rings::bubble && options_.routing == Routing::dimension_order &&
                       dimension.wrap != platforms::Wrap::mesh;
  for (std::uint32_t router = 0; router < layout_.kinds_of_routers(); ++router)
    for (const bool forward : {true, false}) {
      const auto& kind = layout_.kind(router, Layout::port_of(d, forward));
      const auto ticks = static_cast<double>(kind.duration(static_cast<std::uint32_t>(options_.packet_bytes)));
      // A packet that goes on faster than it came waits for its tail.
      const double loop = 2 * static_cast<double>(kind.latency) + std::max(0.0, ticks - fastest_);
      const double least = std::ceil(loop * kind.lanes / ticks);
      if (least < stage.least) continue;
      stage.least = std::max(1.0, least);
      stage.packet = ticks / kind.lanes;
      stage.loop = loop;
    }
  return stage;
}

/// A node sends into all links of its router at once.
Credits::Stage Credits::ports() const {
  const auto& kind = layout_.injection();
  const auto packet = static_cast<std::uint32_t>(options_.packet_bytes);
  Stage stage{.name = "a node's port", .channels = static_cast<std::uint32_t>(options_.injection_channels)};
  double links = 0;  // packets per tick that links carry away
  for (const auto& dimension : dimensions_) links += 2 / dimension.packet;
  const auto own = static_cast<double>(kind.duration(packet)), latency = static_cast<double>(kind.latency);
  if (dimensions_.empty()) return stage;
  stage.packet = std::max(own, fastest_);
  stage.loop = latency + (own > 0 ? std::max(0.0, own - fastest_) : 0);
  stage.least = std::max(1.0, std::ceil(std::max(stage.loop / stage.packet, latency / std::max(own, 1 / links))));
  return stage;
}

std::int32_t Credits::buffer_needed() const {
  double most = 1;
  const auto need = [&](const Stage& stage) {
    if (stage.channels > 0)
      most = std::max(most, std::ceil((stage.least + (stage.needs_bubble ? 1 : 0)) / stage.channels));
  };
  for (const auto& stage : dimensions_) need(stage);
  need(ports_);
  if (options_.rings == Rings::bubble && options_.routing == Routing::adaptive) most = std::max(most, 2.0);
  constexpr double limit = std::numeric_limits<std::int32_t>::max() / 2;
  return static_cast<std::int32_t>(std::min(most, std::floor(limit / options_.packet_bytes))) * options_.packet_bytes;
}

std::string Credits::remark(std::int32_t buffer_bytes) const {
  const Stage* worst = nullptr;
  const auto share = [&](const Stage& stage) { return stage.held(buffer_bytes / options_.packet_bytes) / stage.least; };
  const auto look_at = [&](const Stage& stage) {
    if (stage.channels > 0 && share(stage) < (worst == nullptr ? 1 : share(*worst))) worst = &stage;
  };
  for (const auto& stage : dimensions_) look_at(stage);
  look_at(ports_);
  if (worst == nullptr) return {};
  const auto bytes = [&](double packets) { return core::format_bytes(packets * options_.packet_bytes); };
  return fmt::format(
      "the {} channels of {} hold {}, but {} are under way there until a credit comes back: messages wait for credits "
      "even where there are no others; buffer={} would do",
      worst->channels, worst->name, bytes(worst->held(buffer_bytes / options_.packet_bytes)), bytes(worst->least),
      buffer_needed());
}

/// On how many ways at once a message's packets meet such a stage.
double Credits::ways(const Stage& stage, const platforms::Coordinates& hops) const {
  double count = 0;
  for (const auto& other : dimensions_) {
    const auto d = other.dimension;
    if (hops[d] == 0 || (options_.routing != Routing::adaptive && &other != &stage)) continue;
    const auto& dimension = machine_.grid().dimension(d);
    count += options_.ties == Ties::split && dimension.wrap == platforms::Wrap::torus && 2 * hops[d] == dimension.extent
                 ? 2
                 : 1;
  }
  return count;
}

double Credits::seconds(NodeId from, NodeId to, std::uint64_t bytes, std::int32_t buffer_bytes) const {
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
  const auto per_channel = buffer_bytes / options_.packet_bytes;
  for (const auto& stage : dimensions_)
    if (hops[stage.dimension] > 0) pass(stage, stage.held(per_channel) * ways(stage, hops));
  pass(ports_, ports_.held(per_channel));
  return longest;
}

}  // namespace toroid::netsim::packet
