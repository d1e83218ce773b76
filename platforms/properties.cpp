// The properties that describe a machine: one table for XML files, presets, inline machines and `--set`.

#include <algorithm>

#include "core/units.hpp"
#include "platforms/names.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

template <class Item>
void append(std::vector<Item>& items, const std::vector<Item>& more) {
  items.insert(items.end(), more.begin(), more.end());
}

/// A quantity, or a factor of what it was.
void set_quantity(double& quantity, Text value, Text what, ParseQuantity parse) {
  quantity = parse_quantity(value, what, quantity, parse);
}

/// What a property has to say that only adds to another.
std::string nothing(const Description&) {
  return {};
}

/// Reads one of the words of a type.
template <class Value>
Value parse_word(Text text, Text what) {
  std::vector<std::string> all;
  for (const auto& [word, value] : words<Value>()) {
    if (word == text) return value;
    all.emplace_back(word);
  }
  fail_input("{}: found '{}', expected {}", what, core::excerpt(text), core::either(all));
}

constexpr Text by_itself = "auto";  ///< the value of what follows from the rest of the machine
constexpr Text no_limit = "none";

constexpr std::int32_t most_channels = 64;

double parse_share(Text text, Text what) {
  const auto number = core::parse_number<double>(text);
  if (!number || !(*number > 0 && *number <= 1))
    fail_input("{}: found '{}', expected a share such as 0.6, more than 0 and at most 1", what, core::excerpt(text));
  return *number;
}

std::int32_t parse_size(Text text, Text what, std::uint64_t least = 1, std::uint64_t most = 1 << 30) {
  const auto bytes = core::parse_whole_bytes(text, what);
  if (bytes < least || bytes > most)
    fail_input("{}: found {}, expected a size from {} B to {}", what, core::excerpt(text), least,
               most == 1 << 30 ? "1 GiB" : "64 KiB");
  return static_cast<std::int32_t>(bytes);
}

std::string text_or(const std::optional<std::int32_t>& value, Text otherwise) {
  return value ? std::to_string(*value) : std::string(otherwise);
}

// The tables. A property's text is empty where there is nothing to say.

struct MachineProperty {
  PropertyHelp help;
  void (*set)(Description&, Text value, Text what);
  std::string (*get)(const Description&);
};

/// A quantity that all nodes have.
template <double NodeParameters::*member, ParseQuantity parse, std::string (*text)(double)>
MachineProperty node_quantity(const PropertyHelp& help) {
  return {help, [](Description& m, Text v, Text what) { set_quantity(m.node.*member, v, what, parse); },
          [](const Description& m) { return text(m.node.*member); }};
}
template <double NodeParameters::*member>
constexpr auto node_time = node_quantity<member, core::parse_duration, core::exact_duration>;
template <double NodeParameters::*member>
constexpr auto node_bandwidth = node_quantity<member, parse_limit, limit_text>;

struct DimensionProperty {
  PropertyHelp help;
  void (*set)(Description&, std::size_t d, Text value, Text what);
  std::string (*get)(const Description&, std::size_t d);
};

const std::vector<MachineProperty>& machine_properties() {
  static const std::vector<MachineProperty> table{
      {{"shape", "", "extents of the dimensions, up to 8: 12x8; comes first, but for files"}, set_shape, shape_text},
      {{"dimensions", "", "names of the dimensions (x y z d3 ...)"}, set_names, names_text},
      {{"description", "", "a line about the machine, for lists"},
       [](Description& m, Text v, Text what) { m.text = parse_line(v, what); },
       [](const Description& m) { return m.text; }},
      {{"routing", "", "dimensions in the order in which routes take them: y x (first to last)"},
       [](Description& m, Text v, Text what) { m.routing = parse_routing(m, v, what); },
       routing_text},
      {{"numbering", "", "how nodes are counted: dimensions, the fastest first, in steps: y:4 z:8 y:3 z:2 x (x y z)"},
       [](Description& m, Text v, Text what) { m.numbering = parse_numbering(m, v, what); },
       numbering_text},
      {{"nodes-per-router", "nodes", "nodes on each router (1)"},
       [](Description& m, Text v, Text what) { m.nodes_per_router = parse_count(v, what, 1, 1 << 16); },
       [](const Description& m) { return std::to_string(m.nodes_per_router); }},
      node_time<&NodeParameters::base_latency>({"base-latency", "base",
                                                "paid once by a message between two nodes, besides its hops (0s)",
                                                Quantity::duration, true}),
      node_bandwidth<&NodeParameters::injection_bandwidth>(
          {"injection-bandwidth", "injection",
           "bandwidth from a node into the network, shared by all messages that leave the node (none: no limit)",
           Quantity::bandwidth, true}),
      node_bandwidth<&NodeParameters::ejection_bandwidth>(
          {"ejection-bandwidth", "ejection",
           "bandwidth from the network into a node, shared by all messages that reach the node (none: no limit)",
           Quantity::bandwidth, true}),
      node_bandwidth<&NodeParameters::loopback_bandwidth>(
          {"loopback-bandwidth", "loopback_bw",
           "bandwidth between two ranks of one node, which each message has to itself (10GBps)", Quantity::bandwidth,
           true}),
      node_time<&NodeParameters::loopback_latency>({"loopback-latency", "loopback_lat",
                                                    "latency between two ranks of one node (100ns)", Quantity::duration,
                                                    true}),
      node_quantity<&NodeParameters::speed, core::parse_speed, core::exact_speed>(
          {"speed", "", "speed of one core (1Gf): a recorded flop takes 1/speed seconds", Quantity::speed, true}),
      node_bandwidth<&NodeParameters::memory_bandwidth>({"memory-bandwidth", "",
                                                         "bandwidth of one core to its memory: a computation takes at "
                                                         "least the time of the bytes that its trace says "
                                                         "it touches (none: no limit)",
                                                         Quantity::bandwidth, true}),
      {{"cores", "", "ranks that a node can run at once, each at full speed (1)"},
       [](Description& m, Text v, Text what) { m.node.cores = parse_count(v, what, 1, 1 << 20); },
       [](const Description& m) { return std::to_string(m.node.cores); }},
      {{"sending", "",
        "messages that a node's card sends one after another: to the same node (pair), all (node), none (shared); "
        "--order overrides it (pair)"},
       [](Description& m, Text v, Text what) { m.sending = parse_word<Order>(v, what); },
       [](const Description& m) { return std::string(to_word(m.sending)); }},
      node_time<&NodeParameters::overhead>(
          {"overhead", "",
           "time of a core for each message between nodes that its rank sends, and for each that it receives (0s)",
           Quantity::duration}),
      node_time<&NodeParameters::gap>(
          {"gap", "",
           "least time from a message that a node's card sends to the next one: its message rate is 1/gap (0s)",
           Quantity::duration}),
      node_time<&NodeParameters::handshake>({"handshake", "",
                                             "latency that a rendezvous message has besides that of an eager one (0s)",
                                             Quantity::duration}),
      {{"eager", "", "largest message that is sent without waiting for its receive; --eager overrides it (64KiB)",
        Quantity::bytes},
       [](Description& m, Text v, Text what) { m.node.eager = core::parse_whole_bytes(v, what); },
       [](const Description& m) { return std::to_string(m.node.eager); }},
      node_time<&NodeParameters::copy>(
          {"copy", "", "time of a core per byte of an eager message between nodes that its rank receives (0s)",
           Quantity::duration}),
      node_time<&NodeParameters::reduce>({"reduce", "",
                                          "time of a core per byte that a collective sums, after each message; 0s: as "
                                          "long as the flops of the call, at "
                                          "its end (0s)",
                                          Quantity::duration}),
      node_time<&NodeParameters::memcpy>(
          {"memcpy", "", "time of a core per byte that the algorithm of a collective copies (0s)", Quantity::duration}),
      {{"efficiency", "", "the share of its speed that a core reaches in computation, more than 0 and at most 1 (1)",
        Quantity::share, true},
       [](Description& m, Text v, Text what) { set_quantity(m.node.efficiency, v, what, parse_share); },
       [](const Description& m) { return fmt::format("{}", m.node.efficiency); }},
      {{"peak", "", "flop/s of one core as its maker publishes it, which MFU is over; auto: the speed (auto)"},
       [](Description& m, Text v, Text what) { m.node.peak = v == by_itself ? 0 : core::parse_speed(v, what); },
       [](const Description& m) { return m.node.peak > 0 ? core::exact_speed(m.node.peak) : std::string(by_itself); }},
      {{"memory", "", "bytes of a node's memory, for what a training keeps there; auto: not known (auto)"},
       [](Description& m, Text v, Text what) {
         m.node.memory = v == by_itself ? 0 : static_cast<double>(core::parse_whole_bytes(v, what));
       },
       [](const Description& m) {
         return m.node.memory > 0 ? fmt::format("{:.0f}", m.node.memory) : std::string(by_itself);
       }},
      {{"router.packet", "", "most bytes of data in a packet (256)", Quantity::bytes},
       [](Description& m, Text v, Text what) { m.router.packet_bytes = parse_size(v, what); },
       [](const Description& m) { return std::to_string(m.router.packet_bytes); }},
      {{"router.header", "",
        "bytes of a packet besides its data, which take links, buffers and ports of nodes as well (0)",
        Quantity::bytes},
       [](Description& m, Text v, Text what) { m.router.header_bytes = parse_size(v, what, 0, most_header_bytes); },
       [](const Description& m) { return std::to_string(m.router.header_bytes); }},
      {{"router.vcs", "", "virtual channels of each link (8)", Quantity::count},
       [](Description& m, Text v, Text what) { m.router.channels = parse_count(v, what, 1, most_channels); },
       [](const Description& m) { return std::to_string(m.router.channels); }},
      {{"router.buffer", "",
        "buffer of each virtual channel; auto: as much as it takes for no link to wait for credits (auto)",
        Quantity::bytes},
       [](Description& m, Text v, Text what) {
         m.router.buffer_bytes = v == by_itself ? std::nullopt : std::optional(parse_size(v, what));
       },
       [](const Description& m) { return text_or(m.router.buffer_bytes, by_itself); }},
      {{"router.inject", "", "virtual channels from a node into its router; auto: as many as of a link (auto)",
        Quantity::count},
       [](Description& m, Text v, Text what) {
         m.router.injection_channels =
             v == by_itself ? std::nullopt : std::optional(parse_count(v, what, 1, most_channels));
       },
       [](const Description& m) { return text_or(m.router.injection_channels, by_itself); }},
      {{"router.crossbar", "",
        "virtual channels of an input (a link into the router) that can leave it at once; none: no limit (none)",
        Quantity::count},
       [](Description& m, Text v, Text what) {
         m.router.crossbar = v == no_limit ? std::nullopt : std::optional(parse_count(v, what, 1, most_channels));
       },
       [](const Description& m) { return text_or(m.router.crossbar, no_limit); }},
      {{"router.routing", "",
        "ways of packets: dimension-order, adaptive: any shortest way that is free, or longest-first: of these that "
        "along the longest dimensions first (dimension-order)"},
       [](Description& m, Text v, Text what) { m.router.routing = parse_word<Routing>(v, what); },
       [](const Description& m) { return std::string(to_word(m.router.routing)); }},
      {{"router.ties", "", "ways of packets half round a torus: rule, the way of the routes, or split, both (rule)"},
       [](Description& m, Text v, Text what) { m.router.ties = parse_word<Ties>(v, what); },
       [](const Description& m) { return std::string(to_word(m.router.ties)); }},
      {{"router.rings", "",
        "what keeps packets on a ring from waiting for each other: two classes of channels, or a bubble (classes)"},
       [](Description& m, Text v, Text what) { m.router.rings = parse_word<Rings>(v, what); },
       [](const Description& m) { return std::string(to_word(m.router.rings)); }},
      {{"router.arbitration", "", "which packet gets a link: in turn (round-robin), or the oldest (age) (round-robin)"},
       [](Description& m, Text v, Text what) { m.router.arbitration = parse_word<Arbitration>(v, what); },
       [](const Description& m) { return std::string(to_word(m.router.arbitration)); }},
      {{"provenance", "",
        "where values are from: measured, published, estimate or chosen, each with properties: published: shape "
        "bandwidth; estimate: latency router.*"},
       [](Description& m, Text v, Text what) { m.provenance = parse_provenance(m, v, what); },
       [](const Description& m) { return provenance_text(m.provenance); }},
      {{"node-names", "",
        "what the resource manager calls all nodes, in their order: nid[001-032]; - for a node without a name"},
       [](Description& m, Text v, Text what) { m.node_names = parse_node_names(v, what); },
       [](const Description& m) { return host_list(m.node_names); }},
      {{"placements", "",
        "boxes that Slurm gives to jobs, and where they begin: 2x2x1 4x4x2 spacing=2x2x2 seed=0x0x1; of several tori "
        "with semicolons"},
       [](Description& m, Text v, Text what) { m.placements = parse_placements(v, what); },
       [](const Description& m) { return placements_text(m.placements); }},
      {{"service-nodes", "", "nodes that get no rank (I/O, login): 0-7 96 z=0"},
       [](Description& m, Text v, Text what) { m.service = parse_nodes(m, v, what); },
       [](const Description& m) { return nodes_text(m, m.service); }},
      {{"absent-nodes", "", "numbers without a node; their routers are there and carry messages"},
       [](Description& m, Text v, Text what) { m.absent = parse_nodes(m, v, what); },
       [](const Description& m) { return nodes_text(m, m.absent); }},
      {{"failed-nodes", "", "nodes that are down; their routers go on: 17 (0-5,0,0)"},
       [](Description& m, Text v, Text what) { m.failed = parse_nodes(m, v, what); },
       [](const Description& m) { return nodes_text(m, m.failed); }},
      {{"failed-links", "", "links that are down: n5-n6 (0,1)-(0,2), one way n5>n6, or as printed: n5 -> n6 (+x)"},
       [](Description& m, Text v, Text what) { m.failed_links = parse_link_names(m, v, what); },
       [](const Description& m) {
         return joined(m.failed_links, " ", [&](const LinkName& name) { return link_text(m, name); });
       }},
      {{"failed-routers", "", "routers that are down, with their links and nodes: r17 (0,1) z=0"},
       [](Description& m, Text v, Text what) { m.failed_routers = parse_router_names(m, v, what); },
       [](const Description& m) {
         return joined(m.failed_routers, " ", [](const RouterName& name) { return to_string(name); });
       }},
      {{"fail-node", "", "more failed-nodes, besides those that are"},
       [](Description& m, Text v, Text what) { append(m.failed, parse_nodes(m, v, what)); },
       nothing},
      {{"fail-link", "", "more failed-links, besides those that are"},
       [](Description& m, Text v, Text what) { append(m.failed_links, parse_link_names(m, v, what)); },
       nothing},
      {{"fail-router", "", "more failed-routers, besides those that are"},
       [](Description& m, Text v, Text what) { append(m.failed_routers, parse_router_names(m, v, what)); },
       nothing},
  };
  return table;
}

std::vector<DimensionProperty> properties_of_dimensions() {
  std::vector<DimensionProperty> table{
      {{"wrap", "",
        "what the ends do: mesh ends; torus wraps, links both ways, messages go the shorter way; ring wraps, forward "
        "only (mesh)"},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].wrap = parse_wrap(v, what); },
       [](const Description& m, std::size_t d) { return std::string(to_string(m.dimensions[d].wrap)); }},
      {{"bandwidth", "bw", "bandwidth of each directed link (1GBps)", Quantity::bandwidth, true},
       [](Description& m, std::size_t d, Text v, Text what) {
         set_quantity(m.dimensions[d].bandwidth, v, what, core::parse_bandwidth);
         if (const double factor = parse_factor(v, what); factor > 0)  // links that differ, differ as much as before
           for (auto& e : m.dimensions[d].exceptions) e.bandwidth *= factor;
       },
       [](const Description& m, std::size_t d) { return core::exact_bandwidth(m.dimensions[d].bandwidth); }},
      {{"latency", "lat", "latency of each hop (100ns)", Quantity::duration, true},
       [](Description& m, std::size_t d, Text v, Text what) {
         set_quantity(m.dimensions[d].latency, v, what, core::parse_duration);
         if (const double factor = parse_factor(v, what); factor > 0)
           for (auto& e : m.dimensions[d].exceptions) e.latency *= factor;
       },
       [](const Description& m, std::size_t d) { return core::exact_duration(m.dimensions[d].latency); }},
      {{"links", "",
        "parallel links between neighbours; each message is spread over all of them, so their bandwidths add up (1)",
        Quantity::count, true},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.dimensions[d].links = parse_count(v, what, 1, 1 << 16);
       },
       [](const Description& m, std::size_t d) { return std::to_string(m.dimensions[d].links); }},
      {{"shared", "",
        "yes: the whole line of routers has a single capacity, of which every message on the line takes a share: the "
        "ring of SCI, a bus (no)"},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].shared = parse_yes_no(v, what); },
       [](const Description& m, std::size_t d) { return std::string(m.dimensions[d].shared ? "yes" : "no"); }},
      {{"cabling", "",
        "where the routers of the dimension stand, for the numbering: folded, or the places in the order of the cable: "
        "0 2 4 3 1 (straight)"},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.cabling[d] = parse_cabling(m.dimensions[d].extent, v, what);
       },
       cabling_text},
      {{"twist", "", "how a route that crosses the wrap forward is also shifted: z+4 (none)"},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].twist = parse_twist(m, v, what); },
       [](const Description& m, std::size_t d) { return twist_text(m, m.dimensions[d].twist); }},
      {{"exceptions", "", "links that differ, by position: 1-15/2 bandwidth=3GBps; 7 z=0 latency=1us (none)"},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.dimensions[d].exceptions = parse_exceptions(m, v, what);
       },
       [](const Description& m, std::size_t d) { return exceptions_text(m, m.dimensions[d].exceptions); }},
  };
  for (auto& property : table) property.help.of_dimension = true;
  return table;
}

const std::vector<DimensionProperty>& dimension_properties() {
  static const auto table = properties_of_dimensions();
  return table;
}

/// Where those of dimensions stand among those of the machine.
constexpr Text last_before_dimensions = "description";

template <class Table>
auto* find_in(const Table& table, Text name) {
  const auto found = std::ranges::find_if(table, [&](const auto& property) {
    return property.help.name == name || (!property.help.alias.empty() && property.help.alias == name);
  });
  return found == table.end() ? nullptr : &*found;
}

/// Gives each dimension its part of `a/b/c`, or the one value that is there to all of them.
void set_all_dimensions(Description& m, const DimensionProperty& property, Text given, Text name) {
  const auto parts = property.help.name == "exceptions" ? std::vector{std::string(given)} : split_dimensions(given);
  if (parts.size() != 1 && parts.size() != m.dimensions.size())
    fail_input("{}: {} values for {} dimensions; expected 1 or {}", name, parts.size(), m.dimensions.size(),
               m.dimensions.size());
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) property.set(m, d, parts[parts.size() == 1 ? 0 : d], name);
}

[[noreturn]] void fail_unknown_property(const Description& m, Text name) {
  const auto suggestion = suggest_property(m, name);
  if (!suggestion.empty())
    fail_input("unknown property '{}'; did you mean '{}'? (toroid list properties)", core::excerpt(name), suggestion);
  fail_input("unknown property '{}'; toroid list properties shows all", core::excerpt(name));
}

}  // namespace

void set_property(Description& m, std::string_view name, std::string_view value) {
  value = core::trim(value);
  const auto dot = name.find('.');
  const auto* general = find_in(machine_properties(), name);
  if (m.dimensions.empty() && name != "shape" && name != "description")
    fail_input("{}: the property 'shape' must come before it", core::excerpt(name));
  if (general != nullptr) return general->set(m, value, name);
  const auto* property = find_in(dimension_properties(), dot == Text::npos ? name : name.substr(dot + 1));
  if (property == nullptr) fail_unknown_property(m, name);
  if (dot == Text::npos) return set_all_dimensions(m, *property, value, name);
  property->set(m, find_dimension(m, name.substr(0, dot), name), value, name);
}

void set_properties(Description& m, const std::vector<std::pair<std::string, std::string>>& properties) {
  constexpr Text first = "node-names";
  for (const bool comes_first : {true, false})
    for (const auto& [name, value] : properties)
      if ((name == first) == comes_first) set_property(m, name, value);
}

std::vector<PropertyValue> all_properties(const Description& m) {
  std::vector<PropertyValue> all;
  Description plain;
  set_shape(plain, shape_text(m), "shape");
  const auto add = [&](std::string name, std::string value, const std::string& usual) {
    const bool is_default = value == usual;
    if (!value.empty()) all.push_back({std::move(name), std::move(value), is_default});
  };
  const auto add_dimensions = [&] {
    for (const auto& property : dimension_properties()) {
      std::vector<std::string> values;
      for (std::size_t d = 0; d < m.dimensions.size(); ++d) values.push_back(property.get(m, d));
      const bool is_by_dimension = property.help.name == "exceptions" || property.help.name == "cabling";
      const bool alike = std::ranges::all_of(values, [&](const auto& v) { return v == values[0]; });
      if (alike && !is_by_dimension) {
        add(std::string(property.help.name), values[0], property.get(plain, 0));
        continue;
      }
      for (std::size_t d = 0; d < values.size(); ++d)
        if (const auto usual = property.get(plain, d); !is_by_dimension || values[d] != usual)
          add(fmt::format("{}.{}", m.dimensions[d].name, property.help.name), values[d], usual);
    }
  };
  for (const auto& property : machine_properties()) {
    const bool is_shape = property.help.name == "shape";
    add(std::string(property.help.name), property.get(m), is_shape ? "" : property.get(plain));
    if (property.help.name == last_before_dimensions) add_dimensions();
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> properties(const Description& m) {
  std::vector<std::pair<std::string, std::string>> set;
  for (auto& [property, value, is_default] : all_properties(m))
    if (!is_default) set.emplace_back(std::move(property), std::move(value));
  return set;
}

std::vector<PropertyHelp> property_help() {
  std::vector<PropertyHelp> all;
  for (const auto& property : machine_properties()) {
    all.push_back(property.help);
    if (property.help.name != last_before_dimensions) continue;
    for (const auto& of_dimension : dimension_properties()) all.push_back(of_dimension.help);
  }
  return all;
}

const PropertyHelp* find_property(std::string_view name) {
  if (const auto* general = find_in(machine_properties(), name)) return &general->help;
  const auto* property = find_in(dimension_properties(), name.substr(name.find('.') + 1));
  return property == nullptr ? nullptr : &property->help;
}

std::string canonical_property(std::string_view name) {
  const auto* help = find_property(name);
  if (help == nullptr) return std::string(name);
  const auto dimension = help->of_dimension ? name.substr(0, name.find('.') + 1) : Text{};
  return std::string(dimension) + std::string(help->name);
}

std::string suggest_property(const Description& m, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& property : machine_properties()) names.emplace_back(property.help.name);
  for (const auto& property : dimension_properties()) {
    names.emplace_back(property.help.name);
    for (const auto& dim : m.dimensions) names.push_back(fmt::format("{}.{}", dim.name, property.help.name));
  }
  return core::nearest(name, names).value_or("");
}

}  // namespace toroid::platforms
