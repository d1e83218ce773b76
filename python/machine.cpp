#include "platforms/document.hpp"
#include "python/objects.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::python {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

NodeId HeldMachine::node(std::int64_t number) const {
  if (number < 0 || number >= machine->node_count())
    core::fail_input("node {} does not exist; {} has nodes 0 to {}", number, machine->name(),
                     machine->node_count() - 1);
  return NodeId(number);
}

std::vector<NodeId> HeldMachine::nodes(const py::object& numbers, const std::string& what) const {
  std::vector<NodeId> nodes;
  for (const auto number : whole_numbers(numbers, what)) nodes.push_back(node(number));
  return nodes;
}

std::vector<NodeId> nodes_in(const py::object& numbers, const std::string& what) {
  std::vector<NodeId> nodes;
  for (const auto number : whole_numbers(numbers, what)) {
    constexpr std::int64_t most = std::numeric_limits<NodeId::Value>::max();
    nodes.push_back(number < 0 || number > most ? NodeId::none() : NodeId(number));
  }
  return nodes;
}

namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

HeldMachine make(const std::string& text, const Properties& properties) {
  import_numpy();
  return run([&] {
    const auto whole = properties.empty() ? text : platforms::with_properties(text, properties);
    return HeldMachine{whole, std::make_shared<const Machine>(platforms::make_machine(whole))};
  });
}

py::array_t<std::int32_t> coordinates(const HeldMachine& held) {
  const auto& grid = held.machine->grid();
  std::vector<std::int32_t> all;
  for (const NodeId node : held.machine->nodes())
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      all.push_back(grid.coordinate(held.machine->router(node), d));
  return array_of(std::move(all))
      .reshape(
          {static_cast<py::ssize_t>(held.machine->node_count()), static_cast<py::ssize_t>(grid.dimension_count())});
}

py::tuple by_dimension(const HeldMachine& held, const std::function<py::object(std::size_t)>& of) {
  const auto count = held.machine->grid().dimension_count();
  py::tuple all(count);
  for (std::size_t d = 0; d < count; ++d) all[d] = of(d);
  return all;
}

/// A node that messages can reach. Throws InputError otherwise: no hops would look as if all were near.
NodeId end_of_route(const HeldMachine& held, std::int64_t number) {
  const auto node = held.node(number);
  if (!held.machine->router_works(held.machine->router(node)))
    core::fail_input("node {} has no routes, as its router failed; compute_nodes has the nodes that work", number);
  return node;
}

py::array_t<std::int32_t> route(const HeldMachine& held, const py::object& from, const py::object& to) {
  std::vector<LinkId> links;
  held.machine->for_each_link(end_of_route(held, whole_number(from, "a")), end_of_route(held, whole_number(to, "b")),
                              [&](LinkId link) { links.push_back(link); });
  return numbers_of(links);
}

/// Numbers of nodes in an array of any shape.
using Numbers = py::array_t<std::int64_t>;
Numbers numbers(const py::object& given) {
  const auto array = py::array::ensure(given);
  const char kind = array ? array.dtype().kind() : 'O';
  if (kind != 'i' && kind != 'u')
    core::fail_input("found {}, expected numbers of nodes", std::string(py::str(py::repr(given))));
  return Numbers(array);
}

/// What `of` says of each pair of nodes; numbers and arrays of any shapes that go together, as in numpy.
template <class Of>
py::object of_pairs(const HeldMachine& held, const Numbers& a, const Numbers& b, Of of) {
  try {
    py::module_::import("numpy").attr("broadcast")(a, b);
  } catch (const py::error_already_set&) {
    core::fail_input("found arrays of the shapes {} and {}, expected shapes that go together",
                     std::string(py::str(a.attr("shape"))), std::string(py::str(b.attr("shape"))));
  }
  const auto of_numbers = [&](std::int64_t from, std::int64_t to) {
    return of(end_of_route(held, from), end_of_route(held, to));
  };
  return py::vectorize(std::function<decltype(of_numbers(0, 0))(std::int64_t, std::int64_t)>(of_numbers))(a, b);
}

template <class Number>
auto between(Number (Machine::*of)(NodeId, NodeId) const) {
  return [of](const HeldMachine& held, const py::object& a, const py::object& b) {
    return of_pairs(held, numbers(a), numbers(b),
                    [&](NodeId from, NodeId to) { return ((*held.machine).*of)(from, to); });
  };
}

LinkId link(const HeldMachine& held, const py::object& given) {
  const auto number = whole_number(given, "link");
  if (number < 0 || number >= held.machine->link_count())
    core::fail_input("link {} does not exist; {} has numbers of links below {}", number, held.machine->name(),
                     held.machine->link_count());
  return LinkId(number);
}

py::dict link_columns(const HeldMachine& held) {
  std::vector<std::int32_t> numbers, from, to;
  std::vector<double> bandwidths, latencies;
  py::list names, kinds, dimensions, directions;
  for (const LinkId id : held.machine->links()) {
    if (!held.machine->link_exists(id)) continue;
    const auto facts = platforms::link_facts(*held.machine, id);
    numbers.push_back(id.value());
    from.push_back(facts.from_router.value());
    to.push_back(facts.to_router.value());
    bandwidths.push_back(facts.bandwidth);
    latencies.push_back(facts.latency);
    names.append(facts.name);
    kinds.append(facts.kind);
    dimensions.append(facts.dimension);
    directions.append(facts.direction);
  }
  py::dict columns;
  columns["link"] = array_of(std::move(numbers));
  columns["name"] = names;
  columns["kind"] = kinds;
  columns["dimension"] = dimensions;
  columns["direction"] = directions;
  columns["from_router"] = array_of(std::move(from));
  columns["to_router"] = array_of(std::move(to));
  columns["bandwidth"] = array_of(std::move(bandwidths));
  columns["latency_s"] = array_of(std::move(latencies));
  return columns;
}

}  // namespace

void add_machine(py::module_& module) {
  py::class_<HeldMachine>(module, "Machine")
      .def_property_readonly("text", [](const HeldMachine& held) { return python_text(held.text); })
      .def_property_readonly("name", [](const HeldMachine& held) { return python_text(held.machine->name()); })
      .def_property_readonly("shape",
                             [](const HeldMachine& held) {
                               return by_dimension(
                                   held, [&](auto d) { return py::int_(held.machine->grid().dimension(d).extent); });
                             })
      .def_property_readonly("dimensions",
                             [](const HeldMachine& held) {
                               return by_dimension(held, [&](auto d) { return py::str(held.machine->grid().name(d)); });
                             })
      .def_property_readonly("nodes", [](const HeldMachine& held) { return held.machine->node_count(); })
      .def_property_readonly("cores", [](const HeldMachine& held) { return held.machine->parameters().cores; })
      .def_property_readonly("compute_nodes",
                             [](const HeldMachine& held) { return numbers_of(held.machine->compute_nodes()); })
      .def_property_readonly("coordinates", coordinates)
      .def_property_readonly("properties",
                             [](const HeldMachine& held) {
                               py::dict all;
                               for (const auto& [name, value] : platforms::properties(held.machine->description()))
                                 all[py::str(name)] = value;
                               return all;
                             })
      .def("hops", between(&Machine::hops), py::arg("a"), py::arg("b"))
      .def("latency", between(&Machine::latency), py::arg("a"), py::arg("b"))
      .def("route", route, py::arg("a"), py::arg("b"))
      .def(
          "link_name",
          [](const HeldMachine& held, const py::object& number) { return held.machine->link_name(link(held, number)); },
          py::arg("link"))
      .def("_link_columns", link_columns)
      .def(py::pickle([](const HeldMachine& held) { return python_text(held.text); },
                      [](const py::str& text) { return make(text_of(text, "machine"), {}); }))
      .def("__repr__", [](const HeldMachine& held) { return python_text("<toroid.Machine " + held.text + ">"); });
  module.def(
      "machine",
      [](const py::object& text, const Properties& properties) { return make(text_of(text, "machine"), properties); },
      py::arg("text"), py::arg("properties"));
  module.def("whole_numbers", whole_numbers, py::arg("given"), py::arg("what"));
  module.def(
      "property_facts",
      [](const std::string& name) -> py::object {
        const auto* help = platforms::find_property(name);
        if (help == nullptr) return py::none();
        return py::make_tuple(std::string(help->unit()), help->of_dimension);
      },
      py::arg("name"));
}

}  // namespace toroid::python
