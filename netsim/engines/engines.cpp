#include "core/entries.hpp"
#include "netsim/network.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::netsim {

// The engines, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<MakeNetwork>, engine_entries, simgrid_engine, fluid_engine, packet_engine)

const core::Registry<MakeNetwork>& engines() {
  static const core::Registry<MakeNetwork> registry("engine", engine_entries());
  return registry;
}

std::unique_ptr<Network> MakeNetwork::operator()(const Machine& machine, Clock& clock,
                                                 const core::Arguments& arguments) const {
  return make(machine, clock, arguments);
}

constinit const std::string_view reference_engine = "simgrid";
constinit const std::string_view fast_engine = "fluid";
constinit const std::string_view router_engine = "packet";

bool takes_headers(std::string_view property, const platforms::Description& machine, const core::Arguments&) {
  return !property.starts_with("router.") || property == "router.header" ||
         (property == "router.packet" && machine.router.header_bytes > 0);
}

std::vector<std::string> not_taken(const EngineChoice& engine, const platforms::Description& machine,
                                   const std::vector<std::string>& properties) {
  std::vector<std::string> all;
  for (const auto& property : properties)
    if (!engine.thing().takes(property, machine, engine.arguments())) all.push_back(property);
  return all;
}

std::vector<std::string> engines_that_take(std::string_view property) {
  platforms::Description with_headers;
  with_headers.router.header_bytes = 1;
  std::vector<std::string> able;
  for (const auto& entry : engines().entries())
    if (EngineChoice(entry.name).thing().takes(property, with_headers, EngineChoice(entry.name).arguments()))
      able.emplace_back(entry.name);
  return able;
}

std::string not_taken_in_words(const EngineChoice& engine, const std::vector<std::string>& properties) {
  const auto able = engines_that_take(properties.front());
  const bool by_key = std::find(able.begin(), able.end(), engine.name()) != able.end();
  return fmt::format("{} change{} no time by {}; {}", core::join(properties), properties.size() == 1 ? "s" : "",
                     engine.text(),
                     by_key ? "what the engine is told comes first"
                            : fmt::format("{} {} {}", core::join(able), able.size() == 1 ? "takes" : "take",
                                          properties.size() == 1 ? "it" : "them"));
}

void expect_told_apart(std::vector<platforms::Description> machines, const std::vector<EngineChoice>& engines) {
  std::vector<std::map<std::string, std::string>> all;
  for (std::size_t p = 0; p < machines.size(); ++p) {
    machines[p].provenance = {};
    machines[p].text.clear();
    const auto set = platforms::properties(machines[p]);
    all.emplace_back(set.begin(), set.end());
    for (std::size_t q = 0; q < p; ++q) {
      std::map<std::string, std::string> differing;
      std::ranges::set_symmetric_difference(all[p], all[q], std::inserter(differing, differing.end()));
      std::vector<std::string> names;
      for (const auto& [name, value] : differing) names.push_back(name);
      const auto takes_none = [&](const EngineChoice& engine) {
        return not_taken(engine, machines[p], names) == names && not_taken(engine, machines[q], names) == names;
      };
      if (!names.empty() && std::ranges::all_of(engines, takes_none))
        core::fail_input("'{}' and '{}' are one machine to the engine: {}", machines[p].name, machines[q].name,
                         not_taken_in_words(engines.front(), names));
    }
  }
}

std::vector<std::string> remarks(const EngineChoice& engine, const Machine& machine,
                                 const std::vector<std::string>& drawn) {
  auto all = engine.thing().remarks(machine, engine.arguments());
  auto given = platforms::properties_in(machine.name());
  for (const auto& property : drawn)
    if (std::find(given.begin(), given.end(), property) == given.end()) given.push_back(property);
  const auto ignored = not_taken(engine, machine.description(), given);
  if (!ignored.empty()) all.push_back(not_taken_in_words(engine, ignored));
  return all;
}

std::vector<std::string> named_remarks(const EngineChoice& engine, const Machine& machine,
                                       const std::vector<std::string>& drawn) {
  auto all = remarks(engine, machine, drawn);
  for (auto& remark : all) remark = fmt::format("{} on {}: {}", engine.text(), machine.name(), remark);
  return all;
}

const MakeNetwork& load(const EngineChoice& engine) {
  engine.thing().load();
  return engine.thing();
}

namespace {

// Means of the tenths of all runs of bench/engine_deviation.
constexpr std::array programs_by_packets{0.984, 0.997, 1.004, 1.007, 1.011, 1.015, 1.019, 1.023, 1.029, 1.043};
constexpr std::array placements_by_packets{0.924, 0.961, 0.976, 0.987, 0.995, 1.002, 1.012, 1.024, 1.041, 1.085};
constexpr std::array programs_by_flows{0.568, 0.635, 0.706, 0.762, 0.811, 0.859, 0.909, 0.998, 1.081, 1.229};
constexpr std::array placements_by_flows{0.845, 0.923, 0.953, 0.973, 0.991, 1.006, 1.023, 1.047, 1.081, 1.196};

}  // namespace

constinit const Deviation deviation_of_packets{programs_by_packets, placements_by_packets};
constinit const Deviation deviation_of_flows{programs_by_flows, placements_by_flows};

double deviating_seconds(double in_network, double sharing) {
  constexpr double in_full = 0.2;
  return std::min(in_network, sharing / in_full);
}

std::vector<std::string> engines_that_change() {
  std::vector<std::string> able;
  for (const auto& entry : engines().entries())
    if (entry.make.machine_may_change) able.emplace_back(entry.name);
  return able;
}

void check_engine_for(const MachineChanges& changes, const EngineChoice& engine) {
  if (changes.changes.empty() || engine.thing().machine_may_change) return;
  core::fail_input("engine '{}' cannot change the machine while jobs run; expected {}", core::excerpt(engine.text()),
                   core::either(engines_that_change()));
}

/// An engine with keys may have another model, so no engine is named then.
std::string_view faster_engine(const EngineChoice& engine) {
  return engine.arguments().spec().parameters().empty() ? engine.thing().faster : std::string_view();
}

}  // namespace toroid::netsim
