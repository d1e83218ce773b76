#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/interrupt.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {
namespace {

struct MapOptions {
  Json arguments;  ///< what the user gave, for the manifest
  std::string platform, trace, mesh, matrix = "expanded", json;
  mapping::MapperChoice map = "auto";
  std::uint64_t seed = 1;
  MachineArguments what_if;
  cosim::Placement placement;
  ReplayArguments replay;
  RankFileArguments rank_file;
};

/// `16x8` of `data=16,model=8`. Throws InputError on anything that is no list of names with sizes.
std::string extents_of(const std::string& mesh) {
  const auto spec = core::Spec::parse("mesh:" + mesh);
  const auto fail = [&](std::string_view found) {
    core::fail_input("--mesh {}: found '{}', expected axes with their sizes, such as data=16,model=8",
                     core::excerpt(mesh), core::excerpt(found));
  };
  if (spec.parameters().empty() || !spec.argument().empty()) fail(spec.argument());
  std::vector<std::string> extents;
  for (const auto& [name, size] : spec.parameters()) {
    const auto extent = core::parse_number<std::int32_t>(size);
    if (!extent || *extent < 1) fail(fmt::format("{}={}", name, size));
    extents.push_back(size);
  }
  return core::join(extents, "x");
}

/// The mapper, told the extents of the mesh if it takes them. Throws InputError if it has a mesh already.
mapping::MapperChoice with_mesh(const mapping::MapperChoice& map, const std::string& extents) {
  const auto& spec = map.arguments().spec();
  if (!map.takes("mesh")) return map;
  if (spec.find("mesh")) core::fail_input("--mesh: '{}' has a mesh", core::excerpt(map.text()));
  return mapping::with_key(map, "mesh", extents);
}

Json manifest(const MapOptions& o, bool is_trace) {
  Json manifest{{"toroid", version},      {"command", "map"}, {"arguments", o.arguments},
                {"platform", o.platform}, {"trace", o.trace}, {"inputs", inputs_json()}};
  record(manifest, placement_options, o.placement);
  manifest["map"] = o.map.text();
  if (!o.mesh.empty()) manifest["mesh"] = o.mesh;
  manifest["matrix"] = is_trace ? o.matrix : "file";
  manifest["seed"] = o.seed;
  record(manifest, replay_options, o.replay);
  manifest["provenance"] = provenance_json({o.platform});
  return manifest;
}

struct ToldMapping {
  const mapping::MappingMetrics& metrics;
  const mapping::Mapping& mapping;
  const std::vector<std::string>& notes;
  Json manifest;
};

const core::Object<ToldMapping> mapping_object{
    "mapping",
    {core::version_field<ToldMapping>(),
     {"...", "fields of traffic",
      "messages and bytes are those between different ranks; a matrix without numbers of messages counts one for "
      "each pair",
      [](auto& m) { return netsim::traffic_json(m.metrics); }},
     {"...", "fields of loads", "on the routes that messages take",
      [](auto& m) { return netsim::loads_json(m.metrics.loads); }},
     {"costs", "number by name", "one for each cost that mappers can minimize",
      [](auto& m) { return core::by_name(m.metrics.costs); }},
     {"mapping", "list of count", "the node of each rank", [](auto& m) { return m.mapping; }},
     {"notes", "list of text", "only if there are some: of the mapper",
      [](auto& m) { return core::unless_empty(m.notes); }},
     core::field<ToldMapping>(core::manifest_text, [](auto& m) { return m.manifest; })}};

std::string summary(const MapOptions& o, const mapping::Mapping& placement, const mapping::MappingMetrics& metrics,
                    const std::vector<std::string>& notes) {
  auto text = fmt::format("placed         {} ranks on {}, map {}\n", placement.size(), o.platform, o.map.text());
  text += mapper_lines(notes) + traffic_lines(metrics, metrics.loads);
  for (const auto& [name, cost] : metrics.costs) text += fmt::format("cost {:<9} {:.6g}\n", name, cost);
  return text;
}

void complete(MapOptions& o) {
  o.platform = o.what_if.apply(o.platform);
  if (!o.mesh.empty()) {
    const auto extents = extents_of(o.mesh);
    o.map = with_mesh(o.map, extents);
    if (o.trace.empty()) o.trace = "sharded:mesh=" + extents;
  }
  if (o.trace.empty()) core::fail_input("expected a TRACE, or the axes of a mesh: --mesh data=16,model=8");
  refuse_swapped("TRACE", o.trace);
}

void map(MapOptions& o) {
  complete(o);
  const auto rank_file = o.rank_file.read();
  const auto replay = o.replay.options();
  const auto mapper = o.map.make();
  const auto machine = platforms::make_machine(o.platform);
  const auto slots_of = o.placement.slots_on(machine, o.seed);
  std::string file;
  Json result;
  Outputs outputs;
  outputs.add(o.rank_file.output, [&] { return file; });
  outputs.add(o.json, [&] { return core::json_text(result, 1) + "\n"; });
  const auto opened = open_traffic(o.trace, o.matrix, o.replay.collectives);
  const auto& traffic = *opened.traffic;
  std::optional<mapping::Program> program;
  if (opened.trace) program.emplace(mapping::Program{*opened.trace, replay});
  const auto slots = slots_of(traffic.ranks());
  std::vector<std::string> notes;
  const auto placement = [&] {
    const core::Interruptible interruptible;
    auto made =
        mapping::make_mapping(*mapper, {machine, slots, traffic, o.seed, program ? &*program : nullptr, &notes});
    if (core::is_interrupted())
      notes.emplace_back("interrupted: the best mapping until then, which the same command may not find again");
    return made;
  }();
  file = rank_file.text(machine, slots, placement);
  const auto metrics = mapping::measure(machine, placement, traffic);
  result = mapping_object({metrics, placement, notes, manifest(o, program.has_value())});
  outputs.write();
  if (!outputs.to_stdout()) print(summary(o, placement, metrics, notes));
}

Options map_options(MapOptions& o) {
  return {
      Heading{"Program"},
      platform_argument(o.platform),
      {"TRACE", o.trace, trace_name(),
       "trace or generator, as for simulate, or a communication matrix (toroid list matrices); may be left out with "
       "--mesh"},
      {"--mesh", o.mesh, common,
       "axes of the program's mesh of devices, data=16,model=8, for the mappers jax and mesh; without a TRACE the "
       "program is sharded over it (toroid list generators)"},
      Heading{"Placement"},
      {"--map", o.map, common,
       "mapper, or a mapping file; an interrupt (Ctrl-C) ends its search with the best mapping so far"},
      rank_file_options(o.rank_file),
      machine_options(o.what_if),
      placement_options(o.placement),
      Heading{"Placement"},
      {"--matrix", o.matrix, like({"expanded", "p2p"}), "messages that count: expanded (collectives too) or p2p"},
      replay_options(o.replay),
      Heading{"Placement"},
      seed_option(o.seed),
      Heading{"Results"},
      {"--json", o.json, common, output_file(), "write metrics and mapping as JSON (- for standard output)"},
  };
}

}  // namespace

core::ObjectText mapping_text() {
  return mapping_object;
}

void add_map(CLI::App& app) {
  add_command<MapOptions>(app, "map", "compute a mapping, say how good it is, write it for a launcher", map_options,
                          map);
}

}  // namespace toroid::cli
