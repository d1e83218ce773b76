#include "netsim/packet/state.hpp"

#include "core/random.hpp"
#include "netsim/packet/credits.hpp"

namespace toroid::netsim::packet {
namespace {

Options with_buffers(const Machine& machine, const Layout& layout, Options options) {
  const Credits credits(machine, layout, options);
  const auto needed = credits.buffer_needed(), injection_needed = credits.injection_buffer_needed();
  if (options.buffer_bytes == 0) options.buffer_bytes = needed;
  options.injection_buffer_bytes = std::max(options.buffer_bytes, injection_needed);
  return options;
}

}  // namespace

State::State(const Machine& on, const Options& given, LinkUsage& used)
    : machine(on),
      usage(used),
      layout(machine, given),
      options(with_buffers(machine, layout, given)),
      routes(machine, layout, options),
      rows(in_order + layout.classes()),
      words((layout.channels() + 63) / 64),
      channels(std::size_t{layout.routers()} * layout.channels()),
      wanted(options.binds() ? 0 : channels.size()),
      outputs(std::size_t{layout.routers()} * layout.ports()),
      waiting(has_few_rows() ? 0 : outputs.size() * rows * words),
      sources(static_cast<std::size_t>(machine.node_count())),
      flows(carriers()) {
  far_ends.resize(outputs.size() * layout.most_channels(), FarEnd{.room = options.buffer_bytes});
  lay_outputs();
  open_crossbars();
  lay_sources();
}

void State::lay_outputs() {
  for (std::uint32_t router = 0; router < layout.routers(); ++router)
    for (Layout::Port port = 0; port < layout.ports(); ++port) {
      auto& output = outputs[output_of(router, port)];
      output.port = port & 255U;
      output.is_link = layout.is_link(port) ? 1 : 0;
      output.kind = layout.kind_number(router, port);
      output.idle = layout.kind(output.kind).lanes;
      const auto next = output.is_link != 0 ? layout.beyond(router, port) : router;
      if (next != Layout::nowhere) output.beyond = next * layout.channels() + layout.first_channel(port);
    }
}

void State::open_crossbars() {
  if (!layout.limits_leaving()) return;
  of_port.resize(layout.ports() * words);
  for (Layout::Channel channel = 0; channel < layout.channels(); ++channel)
    of_port[layout.port_of_channel(channel) * words + channel / 64] |= std::uint64_t{1} << channel % 64;
  open.resize(layout.routers() * words, ~std::uint64_t{0});
  for (std::uint32_t router = 0; router < layout.routers(); ++router)
    for (Layout::Port port = 0; port < layout.ports(); ++port) may_leave.push_back(layout.can_leave(port));
}

void State::lay_sources() {
  core::Random random(1, "packet/ties");
  for (const NodeId node : core::ids<NodeId>(machine.node_count())) {
    auto& source = sources[node.index()];
    source.output = output_of(layout.router(node), layout.port(node));
    for (std::uint32_t channel = 0; channel < layout.most_channels(); ++channel)
      far_ends[std::size_t{source.output} * layout.most_channels() + channel] = {.room = options.injection_buffer_bytes,
                                                                                 .is_from_node = 1};
    for (auto& tied : source.tied) tied = static_cast<std::uint16_t>(random.below(1U << 16U));
    source.room = std::int64_t{options.injection_channels} * options.injection_buffer_bytes;
  }
}

bool State::is_at_rest() const {
  const auto rests = [&](const Source& source) {
    return source.last == nobody && !source.sending &&
           source.room == std::int64_t{options.injection_channels} * options.injection_buffer_bytes;
  };
  const auto carries_nothing = [&](const Output& output) {
    return output.idle == layout.kind(output.kind).lanes && std::ranges::count(output.rows, 0U) == rows_within;
  };
  return std::ranges::all_of(sources, rests) && std::ranges::all_of(outputs, carries_nothing) &&
         std::ranges::all_of(waiting, [](std::uint64_t row) { return row == 0; }) &&
         std::ranges::all_of(channels, [](const Channel& c) { return c.head == nobody && c.sending == 0; }) &&
         std::ranges::all_of(far_ends, [&](const FarEnd& end) { return end.room == all_room(end); });
}

void State::leave_source(std::uint32_t id) {
  auto& source = sources[messages[id].from.index()];
  auto before = source.last;
  while (messages[before].next != id) before = messages[before].next;
  messages[before].next = messages[id].next;
  if (source.last == id) source.last = before == id ? nobody : before;
}

}  // namespace toroid::netsim::packet
