#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/tables/summary_lines.hpp"
#include "core/blame.hpp"
#include "core/progress.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "platforms/document.hpp"
#include "platforms/names.hpp"
#include "platforms/xml.hpp"
#include "views/documents/machine_columns.hpp"
#include "views/machines/machine_drawing.hpp"

namespace toroid::cli {
namespace {

/// `torus`, or where they differ `mesh/mesh/torus`.
std::string wrap_text(const platforms::Description& m) {
  std::vector<std::string> wraps;
  for (const auto& dim : m.dimensions) wraps.emplace_back(to_string(dim.wrap));
  const bool alike = std::ranges::all_of(wraps, [&](const auto& wrap) { return wrap == wraps[0]; });
  return alike ? wraps[0] : core::join(wraps, "/");
}

// platform show

std::string rate(double low, double high) {
  return low == high ? core::format_bandwidth(low)
                     : fmt::format("{} to {}", core::format_bandwidth(low), core::format_bandwidth(high));
}

void print_survey(const platforms::Machine& machine, const platforms::Survey& s) {
  const auto& m = machine.description();
  const auto& p = machine.parameters();
  print(fmt::format("{}{}{}\n\n", machine.name(), m.text.empty() ? "" : ": ", m.text));
  fmt::print("shape         {} {}, {} routers, {} per router\n", shape_text(m), wrap_text(m), s.routers,
             m.nodes_per_router == 1 ? "1 node" : fmt::format("{} nodes", m.nodes_per_router));
  fmt::print("nodes         {} compute", s.compute_nodes);
  for (const auto& [count, what] :
       {std::pair{s.service_nodes, "service"}, {s.absent_nodes, "absent"}, {s.failed_nodes, "failed"}})
    if (count > 0) fmt::print(", {} {}", count, what);
  fmt::print("; {} cores each\n", p.cores);
  fmt::print("hops          {:.3f} on average, at most {}{}\n", s.mean_hops, s.diameter,
             s.is_sampled ? " (of 100,000 random pairs)" : "");
  if (const auto* cut = s.bisection())
    print(fmt::format("bisection     {} links each way, {} (across {})\n", cut->links,
                      core::format_bandwidth(cut->bandwidth), machine.grid().name(cut->dimension)));
  const auto limit = [](double bandwidth) {
    return std::isinf(bandwidth) ? std::string("no limit") : core::format_bandwidth(bandwidth);
  };
  fmt::print("a node        injects {}, ejects {}; {} per message{}\n", limit(p.injection_bandwidth),
             limit(p.ejection_bandwidth), core::format_duration(p.base_latency),
             p.overhead > 0 ? fmt::format(", {} of a core at each end", core::format_duration(p.overhead)) : "");
  std::string per_byte;
  for (const auto& [seconds, what] : {std::pair{p.copy, "of an eager message that comes"},
                                      {p.reduce, "that a collective sums"},
                                      {p.memcpy, "that it copies"}})
    if (seconds > 0)
      per_byte += fmt::format("{}{:.4g} ns for a byte {}", per_byte.empty() ? "" : ", ", 1e9 * seconds, what);
  if (!per_byte.empty()) print(fmt::format("its core      {}\n", per_byte));
  const auto& r = m.router;
  const auto buffer = r.buffer_bytes ? fmt::format("of {} B", *r.buffer_bytes) : "as large as the links need";
  fmt::print("its card      sends {}{}{}\n", order_in_words(m.sending),
             p.gap > 0 ? fmt::format("; {} from message to message", core::format_duration(p.gap)) : "",
             p.handshake > 0 ? fmt::format("; a handshake takes {}", core::format_duration(p.handshake)) : "");
  const auto crossbar = r.crossbar ? fmt::format(", {} of an input leave at once", *r.crossbar) : "";
  fmt::print("routers       packets of {} B{}, {} channels with buffers {}{}; {} routes{}\n\n", r.packet_bytes,
             r.header_bytes > 0 ? fmt::format(" with headers of {} B", r.header_bytes) : "", r.channels, buffer,
             crossbar, to_word(r.routing), r.rings == platforms::Rings::bubble ? ", rings with a bubble" : "");
  core::Table table({"dimension", "extent", "wrap", "links", "bandwidth of one", "latency per hop", ""});
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) {
    const auto& dim = m.dimensions[d];
    std::vector<std::string> notes;
    if (dim.links > 1) notes.push_back(fmt::format("{} parallel", dim.links));
    if (dim.shared) notes.emplace_back("shared by each line");
    if (dim.is_twisted()) notes.emplace_back("twisted");
    if (!dim.exceptions.empty()) notes.emplace_back("exceptions");
    if (!m.cabling[d].empty()) notes.emplace_back("cabling");
    table.add({dim.name, std::to_string(dim.extent), std::string(to_string(dim.wrap)), std::to_string(s.links[d].count),
               rate(s.links[d].bandwidth_min, s.links[d].bandwidth_max), core::format_duration(dim.latency),
               core::join(notes)});
  }
  print(table.text());
}

struct ShowOptions {
  std::string platform, json, svg, html, at;
  std::vector<std::string> route;
  MachineArguments what_if;
};

std::optional<views::RouteEnds> route_of(const platforms::Machine& machine, const std::vector<std::string>& names) {
  std::vector<platforms::NodeId> ends;
  for (const auto& name : names) {
    const auto nodes = platforms::nodes_called(machine, name, "--route");
    if (nodes.size() != 1) core::fail_input("--route: found '{}', expected one node such as n3", name);
    if (!machine.router_works(machine.router(nodes[0])))
      core::fail_input("--route: found '{}', whose router failed; expected a node that has routes", name);
    ends.push_back(nodes[0]);
  }
  if (ends.empty()) return {};
  return views::RouteEnds{ends[0], ends[1]};
}

std::string route_text(const platforms::Machine& machine, const views::RouteEnds& ends) {
  const auto path = machine.path(ends.first, ends.second);
  const auto& m = machine.description();
  auto text = fmt::format("\nroute         {} to {}: {} hop{}, the first byte arrives after {}{}\n",
                          platforms::node_name(m, ends.first), platforms::node_name(m, ends.second), path.hops,
                          path.hops == 1 ? "" : "s", core::format_duration(path.latency),
                          std::isinf(path.bandwidth) ? "" : ", at " + core::format_bandwidth(path.bandwidth));
  machine.for_each_link(ends.first, ends.second, [&](platforms::LinkId link) {
    text += fmt::format("              {}, {}\n", machine.link_name(link),
                        core::format_bandwidth(machine.link_bandwidth(link)));
  });
  return text;
}

/// The intervals that --uncertainty draws from; empty if there are none.
std::string intervals_text(const std::vector<platforms::PropertyInterval>& intervals) {
  std::string text;
  for (const auto& interval : intervals)
    text += fmt::format("{:<14}{} {}\n", text.empty() ? "intervals" : "", interval.property, interval.text());
  return text.empty() ? text : "\n" + text;
}

/// Where the values of properties are from, a line for each source; empty if the user chose all that are given.
std::string sources_text(const platforms::Provenance& provenance) {
  const auto& sources = provenance.sources;
  const auto is_chosen = [](const auto& one) { return one.second == platforms::Source::chosen; };
  if (std::ranges::all_of(sources, is_chosen)) return {};
  std::string text;
  const auto all = platforms::provenance_text(provenance);
  for (const auto& part : core::split(all, ';'))
    text += fmt::format("{:<14}{}\n", text.empty() ? "sources" : "", core::trim(part));
  return "\n" + text;
}

void show(const ShowOptions& o) {
  const auto platform = o.what_if.apply(o.platform);
  const auto machine = platforms::make_machine(platform);
  const auto slice = core::in_context("--at", [&] { return views::parse_slice(machine, o.at); });
  const auto route = route_of(machine, o.route);
  const auto survey = platforms::survey(machine);
  Outputs outputs;
  outputs.add(o.html,
              [&] { return views::platform_page(views::platform_columns(machine, survey, o.platform, route)); });
  outputs.add(o.json, [&] { return platforms::machine_document(machine, survey); });
  outputs.add_svg(o.svg, [&] { return views::machine_svg(machine, slice); });
  outputs.write();
  if (outputs.to_stdout()) return;
  print_survey(machine, survey);
  print(intervals_text(platforms::intervals_of(platform)));
  print(sources_text(machine.description().provenance));
  if (route) print(route_text(machine, *route));
  print("\n" + views::machine_text(machine, slice));
}

Options show_options(ShowOptions& o) {
  return {
      platform_argument(o.platform),
      {"--at", o.at, "the slice to draw of a machine with three or more dimensions: z=2"},
      {"--route", o.route, exactly(2), called("FROM TO"),
       "print the route of a message from one node to another, and show it on the page: n3 n17"},
      {"--html", o.html, output_file(),
       "write a page to look at: all routers, nodes and links with their bandwidths, in 3-D or as they stand"},
      {"--svg", o.svg, output_file(), "write the drawing as SVG (- for standard output)"},
      {"--json", o.json, output_file(), "write the figures and all nodes and links as JSON (- for standard output)"},
      machine_options(o.what_if),
  };
}

// platform create

struct CreateOptions {
  std::string name, from, output = "-";
  std::vector<std::pair<std::string, std::string>> properties;
  MachineArguments what_if;
};

void create(const CreateOptions& o) {
  platforms::Description m;
  if (!o.from.empty()) m = platforms::describe(o.from);
  auto properties = o.properties;
  for (auto& property : o.what_if.properties()) properties.push_back(std::move(property));
  platforms::choose_properties(m, platforms::as_options_set(std::move(properties)));
  if (m.dimensions.empty()) core::fail_input("--shape is missing; expected extents such as --shape 8x8");
  if (o.name.empty()) core::fail_input("the machine needs a name");
  m.name = o.name;
  const platforms::Machine machine(m);  // refuses what cannot be
  Outputs outputs;
  outputs.add(o.output, [&] { return platforms::xml_text(machine.description()); });
  outputs.write();
  if (outputs.to_stdout()) return;
  fmt::print("{}: {} compute nodes; toroid platform show {} shows it\n", o.output, machine.compute_nodes().size(),
             o.output);
  if (!o.from.empty() && !platforms::intervals_of(o.from).empty())
    fmt::print("note: it has the best values of the intervals of {}, not the intervals\n", o.from);
}

/// What most machines say.
constexpr std::array<std::string_view, 8> usual_properties{
    "shape", "bandwidth", "latency", "nodes-per-router", "base-latency", "injection-bandwidth", "speed", "cores"};

/// The properties, in the order in which they must be set, whatever the order of the options.
Options property_options(CreateOptions& o) {
  std::vector<Option> all;
  for (const auto& property : platforms::property_help()) {
    if (property.name.starts_with("fail-") || property.name == "wrap") continue;  // what-ifs have these, too
    const auto set = [&o, name = std::string(property.name)](const std::string& value) {
      o.properties.emplace_back(name, value);
    };
    const bool is_listed = property.of_dimension && property.name != "exceptions";
    all.push_back({"--" + std::string(property.name), set,
                   std::string(property.help) + (is_listed ? "; per dimension: a/b/c" : "")});
    all.back().is_common = std::ranges::find(usual_properties, property.name) != usual_properties.end();
  }
  return {
      Heading{"Properties"},
      std::move(all),
  };
}

Options create_options(CreateOptions& o) {
  return {
      {"NAME", o.name, required, "name of the machine"},
      {"--from", o.from, common, machine_name(), "start from this platform: an inline one, a preset or a file"},
      {"-o,--output", o.output, common, output_file(), "the XML file (- for standard output)"},
      property_options(o),
      machine_options(o.what_if),
  };
}

// platform check

struct CheckOptions {
  std::string path, json;
};

Options check_options(CheckOptions& o) {
  return {
      {"FILE", o.path, input_file(), required, "a platform file"},
      {"--json", o.json, output_file(), "write what is found as JSON (- for standard output)"},
  };
}

std::string_view severity(const platforms::Finding& finding) {
  return finding.is_error ? "error" : "warning";
}

const core::Object<platforms::Finding> finding_object{
    "finding",
    {{"severity", "text", "error or warning", severity},
     {"line", "count", "in the file", &platforms::Finding::line},
     {"column", "count", "in the line", &platforms::Finding::column},
     {"message", "text", "what is wrong", &platforms::Finding::message}}};

struct Checked {
  std::string file;
  std::vector<platforms::Finding> findings;
  std::ptrdiff_t errors;
};

const core::Object<Checked> check_object{
    "check",
    {core::version_field<Checked>(),
     {"file", "text", "that was checked", &Checked::file},
     {"is_good", "yes or no", "whether it has no error", [](auto& c) { return c.errors == 0; }},
     {"findings", "list of finding", "errors and warnings", [](auto& c) { return finding_object.list(c.findings); }}}};

void check(const CheckOptions& o) {
  const auto checked = platforms::check_file(o.path);
  const auto errors = std::ranges::count_if(checked.findings, [](const auto& finding) { return finding.is_error; });
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(check_object({o.path, checked.findings, errors}), 1) + "\n"; });
  outputs.write();
  const auto tell = [&](const std::string& text) {
    if (!outputs.to_stdout()) print(text);
  };
  for (const auto& finding : checked.findings)
    tell(fmt::format("{}:{}:{}: {}: {}\n", o.path, finding.line, finding.column, severity(finding), finding.message));
  if (errors > 0) core::fail_input("{}: {} error{}", o.path, errors, errors == 1 ? "" : "s");
  tell(fmt::format("{}: {} is a good machine{}\n", o.path, checked.description.name,
                   checked.findings.empty() ? "" : ", but see the warnings"));
}

// platform export

struct ExportOptions {
  std::string platform, output = "-";
  platforms::MachineFormatChoice to = "toroid";
  MachineArguments what_if;
};

Options export_options(ExportOptions& o) {
  return {
      platform_argument(o.platform),
      {"--to", o.to, "format of the file: " + core::join(platforms::machine_formats().names())},
      {"-o,--output", o.output, output_file(), "the file (- for standard output)"},
      machine_options(o.what_if),
  };
}

void export_platform(const ExportOptions& o) {
  const auto machine = platforms::make_machine(o.what_if.apply(o.platform));
  const auto text = o.to.thing()(machine);
  constexpr std::size_t many = 10'000;
  std::size_t ways = 0;
  for (auto at = text.find("<route "); at != std::string::npos; at = text.find("<route ", at + 1)) ++ways;
  if (ways >= many)
    core::announce(
        fmt::format("SimGrid looks for each route among the {} ways of this file, which takes milliseconds "
                    "for every pair of hosts; libtoroid_platform.so gives SimGrid the machine without a file",
                    ways));
  Outputs outputs;
  outputs.add(o.output, [&] { return text; });
  outputs.write();
}

}  // namespace

std::vector<core::ObjectText> platform_objects() {
  return {check_object, finding_object};
}

void add_platform(CLI::App& app) {
  auto& platform = add_family(app, "platform", "machines: show, create, check, export");
  add_command<ShowOptions>(platform, "show", "a machine in figures and as a drawing", show_options, show);
  add_command<CreateOptions>(platform, "create", "write a platform file", create_options, create);
  add_command<CheckOptions>(platform, "check", "find everything that is wrong with a platform file", check_options,
                            check);
  add_command<ExportOptions>(platform, "export", "a machine as a file: ours, plain SimGrid, GraphML, DOT",
                             export_options, export_platform);
}

}  // namespace toroid::cli
