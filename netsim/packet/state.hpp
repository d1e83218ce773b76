#pragma once
// What a fabric remembers of its routers and of the messages that are on their way. The parts of a fabric (part.hpp)
// look into the same arrays, each at the places of its own routers, so that several can work at a time. What is of no
// router, such as the list of messages, changes only while none of them works. Two kinds of fields of a message are the
// exception: those of its sender belong to the part that it is sent from, those of its arrival to the part that it goes
// to.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/huge_pages.hpp"
#include "core/pool.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/packet/layout.hpp"
#include "netsim/packet/records.hpp"
#include "netsim/packet/routes.hpp"

namespace toroid::netsim::packet {

/// A window of the usage, in ticks.
struct Window {
  Tick begin = 0, end = 0;
  std::size_t number = 0;
  double seconds = 0;  ///< seconds of a window at that time
};

struct State {
  /// The state of the routers of a machine before anything happens. Throws InputError as Layout does.
  State(const Machine& on, const Options& given, LinkUsage& used);

  /// Whether packets are bound to a channel of the next link before it has room, as they can go nowhere else.
  bool binds() const { return options.routing == Routing::dimension_order && options.rings == Rings::classes; }
  /// Whether an output holds its rows itself: they are few, and a word each.
  bool has_few_rows() const { return layout.channels() <= 64 && in_order + layout.classes() == rows_within; }
  std::uint32_t output_of(std::uint32_t router, Layout::Port port) const { return router * layout.ports() + port; }
  /// The number of a node's sending port among all carriers of packets: first come the outputs, then these ports.
  std::size_t carrier(NodeId from) const { return outputs.size() + from.index(); }
  std::size_t carriers() const { return outputs.size() + sources.size(); }
  /// The room of an empty channel.
  std::int32_t all_room(const FarEnd& end) const {
    return end.is_from_node != 0 ? options.injection_buffer_bytes : options.buffer_bytes;
  }
  /// Whether nothing is on its way: no node has anything to send, all channels are empty, and have all their room. For
  /// assertions: what is lost or counted twice anywhere shows here.
  bool is_at_rest() const;
  /// Takes a message that is not sent any more out of the ring of its node.
  void leave_source(std::uint32_t message);

  const Machine& machine;
  LinkUsage& usage;
  Layout layout;
  Options options;  ///< with the buffers that channels have
  Routes routes;
  std::size_t rows;                          ///< rows of an output
  std::size_t words;                         ///< words of a row
  core::LargeVector<Channel> channels;       ///< by router and channel
  core::LargeVector<std::uint16_t> wanted;   ///< by router and channel: ports that adaptive heads may take
  core::LargeVector<FarEnd> far_ends;        ///< by output and channel of its port
  core::LargeVector<Output> outputs;         ///< by router and port
  core::LargeVector<std::uint64_t> waiting;  ///< by output and row, where these are many or long
  std::vector<std::uint16_t> may_leave;  ///< by router and port: how many more of its channels can leave, if limited
  std::vector<std::uint64_t> open;     ///< by router: a bit for each channel of whose port one more can leave, likewise
  std::vector<std::uint64_t> of_port;  ///< by port: a bit for each of its channels
  core::LargeVector<Source> sources;   ///< by node
  std::vector<std::uint64_t> flows;    ///< by carrier: messages that have gone over it completely
  core::Pool<Message, core::LargeVector<Message>> messages;
  Window window;  ///< the window that the last packet came in; changes between steps

 private:
  void lay_outputs();
  void lay_sources();
  void open_crossbars();
};

}  // namespace toroid::netsim::packet
