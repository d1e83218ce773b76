#include "netsim/packet/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"

namespace toroid::netsim::packet {

Fabric::Fabric(const Machine& machine, const Options& options, LinkUsage& usage, Layout layout)
    : machine_(machine),
      options_(options),
      usage_(usage),
      layout_(std::move(layout)),
      routes_(machine, layout_, options),
      per_channel_(part(layout_.channels())),
      per_output_(part(layout_.ports())),
      rows_(in_order + layout_.classes()),
      words_((layout_.channels() + 63) / 64),
      channels_(std::size_t{layout_.routers()} * layout_.channels()),
      wanted_(binds(options) ? 0 : channels_.size()),
      outputs_(std::size_t{layout_.routers()} * layout_.ports()),
      waiting_(has_few_rows(layout_) ? 0 : outputs_.size() * rows_ * words_),
      sources_(static_cast<std::size_t>(machine.node_count())),
      flows_(carriers()),
      candidates_(words_) {
  far_ends_.resize(far_ends_of(static_cast<std::uint32_t>(outputs_.size())), FarEnd{.room = options.buffer_bytes});
  for (std::uint32_t router = 0; router < layout_.routers(); ++router)
    for (Layout::Port port = 0; port < layout_.ports(); ++port) {
      auto& output = outputs_[output_of(router, port)];
      output.port = port & 255U;
      output.is_link = layout_.is_link(port) ? 1 : 0;
      output.kind = layout_.kind_number(router, port);
      output.idle = layout_.kind(output.kind).lanes;
      const auto next = output.is_link != 0 ? layout_.beyond(router, port) : router;
      if (next != Layout::nowhere) output.beyond = channel_of(next, layout_.first_channel(port));
    }
  open_crossbars();
  core::Random random(1, "packet/ties");
  for (const NodeId node : core::ids<NodeId>(machine.node_count())) {
    auto& source = sources_[node.index()];
    source.output = output_of(layout_.router(node), layout_.port(node));
    for (std::uint32_t channel = 0; channel < layout_.most_channels(); ++channel)
      far_end(source.output, channel) = {.room = options.injection_buffer_bytes, .is_from_node = 1};
    for (auto& tied : source.tied) tied = static_cast<std::uint16_t>(random.below(1U << 16U));
    source.room = std::int64_t{options.injection_channels} * options.injection_buffer_bytes;
  }
}

void Fabric::open_crossbars() {
  if (!layout_.limits_leaving()) return;
  of_port_.resize(layout_.ports() * words_);
  for (Layout::Channel channel = 0; channel < layout_.channels(); ++channel)
    of_port_[layout_.port_of_channel(channel) * words_ + channel / 64] |= bit(channel);
  open_.resize(layout_.routers() * words_, ~std::uint64_t{0});
  for (std::uint32_t router = 0; router < layout_.routers(); ++router)
    for (Layout::Port port = 0; port < layout_.ports(); ++port) may_leave_.push_back(layout_.can_leave(port));
}

// --- time ---

void Fabric::begin_anew(const Time& time) {
  tell_window();
  wheel_.reset();
  epoch_ = time;
  window_.begin = window_.end = 0;
}

Tick Fabric::tick_at(const Time& time) const {
  const double ticks = std::ceil((time - epoch_).seconds() / tick_seconds());
  if (!(ticks < 0x1p52))
    throw core::SimulationError("engine packet: there was something on its way for too long a time to count its ticks");
  return static_cast<Tick>(ticks);
}

Tick Fabric::first_from(const Time& time) const {
  const double ticks = std::ceil((time - epoch_).seconds() / tick_seconds());
  if (!(ticks < 0x1p52)) return never;
  auto tick = static_cast<Tick>(ticks);  // but for rounding
  while (time_of(tick) < time) ++tick;
  while (!(time_of(tick - 1) < time)) --tick;
  return tick;
}

Tick Fabric::first_after(const Time& time) const {
  const auto tick = first_from(time);
  return tick != never && time_of(tick) == time ? tick + 1 : tick;
}

// --- what links carry ---

LinkId Fabric::link(const Output& output) const {
  return output.is_link != 0 ? layout_.link(router(output), output.port) : machine_.ejection_link(node(output));
}

LinkId Fabric::link(std::size_t carrier) const {
  if (carrier < outputs_.size()) return link(outputs_[carrier]);
  return machine_.injection_link(NodeId(static_cast<std::int32_t>(carrier - outputs_.size())));
}

void Fabric::book_across_windows(std::size_t carrier, std::uint32_t bytes, Tick duration) {
  const Tick now = wheel_.now();
  const bool is_over = now >= window_.end;
  if (is_over) tell_window();  // before the windows are widened
  usage_.book_windows(link(carrier), bytes, time_of(now - duration), time_of(now));
  if (is_over) look_for_window();
  told_[carrier] += bytes;
}

/// The windows may have been joined meanwhile, two and two, as messages have ended later.
void Fabric::tell_window() {
  if (told_.empty()) return;
  const auto joined = static_cast<std::size_t>(std::llround(usage_.window_seconds() / window_.seconds));
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const auto all = carried(i);
    if (const auto bytes = all - std::exchange(told_[i], all); bytes > 0)
      usage_.book_window(link(i), bytes, window_.number / joined);
  }
}

/// The window that the present is in.
void Fabric::look_for_window() {
  told_.resize(carriers());
  const double seconds = window_.seconds = usage_.window_seconds();
  const auto number = static_cast<std::size_t>(time_of(wheel_.now()).seconds() / seconds);
  window_.number = std::min(number, usage_.windows() - 1);  // the quotient may be rounded up to the end of the last one
  window_.begin = first_from(Time(static_cast<double>(window_.number) * seconds));
  window_.end = first_from(Time(static_cast<double>(window_.number + 1) * seconds));
}

LinkUsage::Count Fabric::count(std::size_t carrier) const {
  LinkUsage::Count count;
  count.bytes = carried(carrier);
  count.flows = flows_[carrier];
  Tick busy = 0;
  if (carrier < outputs_.size()) {
    const auto& output = outputs_[carrier];
    count.active = layout_.kind(output.kind).lanes - output.idle;
    count.peak = output.peak;
    busy = output.busy;
  } else {
    const auto& source = sources_[carrier - outputs_.size()];
    count.active = source.sending ? 1 : 0;
    count.peak = source.sending || count.flows > 0 || count.bytes > 0 ? 1 : 0;
    busy = source.busy;
  }
  if (count.active > 0) busy += now();
  count.busy = Time(static_cast<double>(busy) * tick_seconds());
  count.busy_since = time_of(now());
  return count;
}

void Fabric::report() {
  tell_window();
  for (std::size_t i = 0; i < carriers(); ++i)
    if (const auto carried = count(i); carried.peak > 0) usage_.set(link(i), carried);
}

}  // namespace toroid::netsim::packet
