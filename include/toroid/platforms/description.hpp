#pragma once
// A machine as its author writes it down, before anything is computed from it. Every way to write one (XML, a preset,
// an inline spec, `--set`) goes through the same properties, so what one can say the others can.

#include <limits>
#include <map>
#include <optional>
#include <variant>

#include "toroid/platforms/grid.hpp"

namespace toroid::platforms {

/// The ways of packets.
enum class Routing : std::uint8_t {
  dimension_order,
  adaptive,      ///< any shortest way, half round a ring as Ties say; packets can always fall back on dimension order
  longest_first  ///< adaptive, where the dimensions in which ways can be longest go first
};
/// Adaptive packets take the dimensions of higher zones first, and choose freely among those of one zone.
inline std::int32_t zone(Routing routing, const Dimension& dimension) {
  return routing == Routing::longest_first ? dimension.longest_way() : 0;
}
/// The way of packets that have to go half round a ring.
enum class Ties : std::uint8_t {
  rule,  ///< the way of the machine's dimension-order routes
  split  ///< both ways in turn, or, with adaptive routing, whichever is free
};
/// What keeps packets on a ring from waiting for each other.
enum class Rings : std::uint8_t {
  classes,  ///< packets that go over the end of the ring have virtual channels of their own
  bubble    ///< a packet enters a ring only where it leaves room for another one
};
enum class Arbitration : std::uint8_t {
  round_robin,
  age  ///< the packet that was sent first
};
/// The messages that travel one after another.
enum class Order : std::uint8_t {
  pair,   ///< messages from one node to the same other node
  node,   ///< all messages from one node
  shared  ///< none: all messages under way share the links
};

/// The values of such a type, each with the word that users know it by.
template <class Value>
using Words = std::vector<std::pair<std::string_view, Value>>;
template <class Value>
const Words<Value>& words();
template <>
const Words<Routing>& words();
template <>
const Words<Ties>& words();
template <>
const Words<Rings>& words();
template <>
const Words<Arbitration>& words();
template <>
const Words<Order>& words();

template <class Value>
std::string_view to_word(Value value) {
  for (const auto& [word, of] : words<Value>())
    if (of == value) return word;
  return {};
}

inline constexpr std::uint64_t most_header_bytes = 1 << 16;

/// The router of every node. A packet takes links, buffers and the ports of nodes for its data and its header.
struct Router {
  std::int32_t packet_bytes = 256;                      ///< most bytes of data in a packet
  std::int32_t header_bytes = 0;                        ///< bytes of a packet besides its data
  std::int32_t channels = 8;                            ///< virtual channels of each link
  std::optional<std::int32_t> buffer_bytes = {};        ///< buffer of each channel; if not set, what the links need
  std::optional<std::int32_t> injection_channels = {};  ///< channels from a node; if not set, as many as of a link
  std::optional<std::int32_t> crossbar = {};  ///< channels of an input that can leave at once; if not set, all of them
  Routing routing = Routing::dimension_order;
  Ties ties = Ties::rule;
  Rings rings = Rings::classes;
  Arbitration arbitration = Arbitration::round_robin;
  bool operator==(const Router&) const = default;

  /// The bytes of the headers of a message of so many bytes, 2^64 - 1 at most. A message without bytes is a packet,
  /// too.
  std::uint64_t headers(std::uint64_t bytes) const;
};

using NodeId = core::Id<struct NodeTag>;  ///< a node by the number that users of the machine know: 0, 1, 2, ...

/// What a machine has besides its grid. Bandwidths are in bytes/s, times in seconds; an infinite bandwidth is no limit.
struct NodeParameters {
  double base_latency = 0;  ///< paid once by every message between two nodes, besides the hop latencies
  double injection_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s from a node into its router
  double ejection_bandwidth = std::numeric_limits<double>::infinity();   ///< bytes/s from a router into its node
  double loopback_bandwidth = 1e10;  ///< between ranks of one node; each message has it to itself
  double loopback_latency = 1e-7;
  double speed = 1e9;           ///< flop/s of one core; recorded computation is counted in flops
  std::int32_t cores = 1;       ///< ranks a node can run at full speed
  double overhead = 0;          ///< seconds of a core for each message that its rank sends and each that it receives
  double gap = 0;               ///< least time from a message that the node's card sends to the next one
  double handshake = 0;         ///< before the bytes of a rendezvous message set out
  std::uint64_t eager = 65536;  ///< the largest message that is sent without waiting for its receive
  double copy = 0;              ///< seconds of a core per byte of an eager message that its rank receives
  double reduce = 0;            ///< per byte that a collective sums; 0: the flops of a call come once, at its end
  double memcpy = 0;            ///< per byte that the algorithm of a collective copies
  double efficiency = 1;        ///< the share of the speed that computation reaches
  double peak = 0;              ///< flop/s of one core as its maker publishes it; 0: the speed
  double memory = 0;            ///< bytes of a node; 0: nobody says
  double memory_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s between a core and its memory
  bool operator==(const NodeParameters&) const = default;

  double reached_speed() const { return speed * efficiency; }
  double peak_speed() const { return peak > 0 ? peak : speed; }
};

/// The places where the routers of a dimension stand, as people count them: element c is the place of coordinate c. If
/// it is empty, the place is the coordinate. A folded dimension has 0 2 4 ... 5 3 1: most cables join every other
/// place.
using Cabling = std::vector<std::int32_t>;
Cabling folded_cabling(std::int32_t extent);

/// One digit of a router's number: it counts `count` places of a dimension.
struct NumberingDigit {
  std::size_t dimension = 0;
  std::int32_t count = 1;
  bool operator==(const NumberingDigit&) const = default;
};

/// A router as people name it (names.hpp).
struct RouterName {
  enum class By : std::uint8_t {
    number,      ///< `16`: the node and the router of that number, which must be at one place
    node,        ///< `n16`: the router that node 16 is on
    router,      ///< `r16`
    coordinates  ///< `(0,2)`
  };
  By by = By::number;
  std::int32_t number = 0;  ///< the number of the node or router; unused with coordinates
  Coordinates at{};
  std::size_t dimensions = 0;  ///< how many coordinates of `at` are given
  bool operator==(const RouterName&) const = default;
};

/// Links as people name them (names.hpp).
struct LinkName {
  enum class Kind : std::uint8_t {
    both_ways,  ///< `r16-r18`: all links between the two
    one_way,    ///< `r16 -> r18`: all links from the first to the second
    line,       ///< `line of r16 (x)`: the shared line through it
    injection,  ///< `n16 injection`
    ejection    ///< `n16 ejection`
  };
  Kind kind = Kind::both_ways;
  RouterName from = {}, to = {};  ///< a line and a node's own links have only `from`
  std::optional<std::size_t> dimension =
      {};  ///< `(+x)`: only the link that leaves `from` so (and, both ways, its opposite)
  bool forward = true;
  bool operator==(const LinkName&) const = default;
};

using NodeRange = std::pair<NodeId, NodeId>;  ///< the first node and the last one

/// All places of the grid from the lowest coordinates to the highest, both included.
struct Box {
  Coordinates low{}, high{};
  bool operator==(const Box&) const = default;
};

/// Nodes as people name them (names.hpp): by their numbers, or all those on the routers of a box.
using NodeSet = std::variant<NodeRange, Box>;

/// A shape of the boxes that a scheduler gives to jobs, and where such boxes may begin: placements of Slurm's
/// topology/torus3d. Along a dimension of extent L boxes begin at `seed`, `seed` + `spacing`, ... modulo L. Boxes wrap.
struct Placement {
  using Extents = std::array<std::int32_t, 3>;
  Extents dims{};     ///< sides of a box along x, y and z
  Extents spacing{};  ///< places from one box to the next, as the file has them: 0 stands for the box's side
  Extents seed{};     ///< where the first box begins
  bool operator==(const Placement&) const = default;

  std::int32_t size() const { return dims[0] * dims[1] * dims[2]; }
};

/// Where the value of a property is from.
enum class Source : std::uint8_t {
  measured,   ///< fitted to measurements
  published,  ///< a document that could be read
  estimate,   ///< guessed, remembered, or taken from a similar machine
  chosen      ///< the choice of whoever runs toroid
};
template <>
const Words<Source>& words();

/// The sources of properties, by their full names: `x.bandwidth`, or `bandwidth` for all dimensions that have none of
/// their own; `router.*` for all of routers. Machines that differ in sources alone are equal: so all sources are.
struct Provenance {
  std::map<std::string, Source, std::less<>> sources = {};
  bool operator==(const Provenance&) const { return true; }
};

struct Description {
  std::string name = {};
  std::string text = {};  ///< what it is, in one line for lists
  std::vector<Dimension> dimensions = {};
  std::vector<Cabling> cabling = {};      ///< per dimension
  std::vector<std::size_t> routing = {};  ///< order of dimensions on a route; empty: first to last
  /// The digits of a router's number, the lowest first. The counts of a dimension's digits multiply to its extent; its
  /// lowest digit comes first, too. If this is empty, each dimension has one digit, x the lowest.
  std::vector<NumberingDigit> numbering = {};
  std::int32_t nodes_per_router = 1;
  NodeParameters node = {};
  Router router = {};
  Order sending = Order::pair;        ///< how a node's card sends messages, unless a run says otherwise
  std::vector<NodeSet> service = {};  ///< nodes that get no rank: I/O, login
  std::vector<NodeSet> absent = {};   ///< places without a node, though with a router
  std::vector<NodeSet> failed = {};   ///< nodes that are down; their routers go on
  std::vector<LinkName> failed_links = {};
  std::vector<RouterName> failed_routers = {};  ///< routers that failed with all their links and nodes
  /// The names that others have for the nodes, by number; empty: none, and an empty name: that node has none.
  std::vector<std::string> node_names = {};
  /// The placements of each torus that the machine is made of; one list: that of all of them.
  std::vector<std::vector<Placement>> placements = {};
  Provenance provenance = {};
  bool operator==(const Description&) const = default;
};

/// How many tori the machine is made of: as many as the extent of its fourth dimension, if that is the last one and is
/// called `torus`; else it is one.
std::int32_t torus_count(const Description& description);

// Properties: `shape`, `bandwidth`, `x.wrap`, `nodes-per-router`, ...

/// The extents of a machine: `12x8`.
std::string shape_text(const Description& description);

/// Sets a property from its text. A property of a dimension is `x.bandwidth`, or `bandwidth` for all dimensions, with
/// one value or one for each: `4GBps/2GBps`. A bandwidth, latency or speed may be a factor of what it was: `x0.5`.
/// `shape` comes first. Throws InputError that names the property.
void set_property(Description& description, std::string_view name, std::string_view value);

/// Sets properties in their order; those come first by which others are read: names of nodes, before lists of nodes.
void set_properties(Description& description, const std::vector<std::pair<std::string, std::string>>& properties);

/// All properties that differ from their defaults, in the order of the table: setting them on an empty description
/// gives the same description, to the last bit.
std::vector<std::pair<std::string, std::string>> properties(const Description& description);

/// What kind of number a property is.
enum class Quantity : std::uint8_t { bandwidth, duration, speed, bytes, count, factor, share };

struct PropertyHelp {
  std::string_view name, alias, help;
  /// What its values are, if the property can be an interval (load.hpp): the machine keeps its nodes and links whatever
  /// they are.
  std::optional<Quantity> quantity = {};
  bool may_change = false;    ///< while jobs run, which rely on the nodes and links that there are
  bool of_dimension = false;  ///< whether each dimension has a value of its own

  /// The unit in which the value is kept, `s`, `Bps` or `f`; empty: it is a plain number, or none.
  std::string_view unit() const;
};
/// The table of properties, for help and messages.
std::vector<PropertyHelp> property_help();
/// What the table says of a property by its name or alias, `x.latency` or `lat`; null if there is none.
const PropertyHelp* find_property(std::string_view name);

/// The full name of a property that may be given by an alias: `x.latency` for `x.lat`.
std::string canonical_property(std::string_view name);

/// The valid name nearest to a wrong one, or nothing.
std::string suggest_property(const Description& description, std::string_view name);

/// Reads `published: shape x.bandwidth; estimate: latency router.*`. Throws InputError that names `what` on another
/// text, an unknown source or property, and a property with two sources.
Provenance parse_provenance(const Description& description, std::string_view text, std::string_view what);
/// The sources as a text that parse_provenance() reads; empty if there are none.
std::string provenance_text(const Provenance& provenance);

/// Sets properties as set_properties() does, and notes that whoever runs toroid chose them.
void choose_properties(Description& description, const std::vector<std::pair<std::string, std::string>>& properties);

struct PropertyValue {
  std::string property, value;
  bool is_default = false;  ///< whether nobody has set it
};
/// All properties that have a value, defaults included, in the order of the table.
std::vector<PropertyValue> all_properties(const Description& description);

struct SourcedProperty {
  std::string property, value;
  std::optional<Source> source = {};  ///< where the value is from, if anybody says
  bool is_default = false;            ///< whether the value is what toroid assumes
};
/// The properties that times can depend on, with their sources.
std::vector<SourcedProperty> sourced_properties(const Description& description);

}  // namespace toroid::platforms
