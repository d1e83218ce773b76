#include <fmt/format.h>

#include "netsim/network.hpp"
#include "netsim/router_engine.hpp"

// The engines, a line each: the function that returns the entry.
// clang-format off
#define ENGINES(line)  \
  line(simgrid_engine) \
  line(fluid_engine)   \
  line(packet_engine)
// clang-format on

namespace toroid::netsim {

#define DECLARE(entry) core::Entry<MakeNetwork> entry();
ENGINES(DECLARE)

const core::Registry<MakeNetwork>& engines() {
#define CALL(entry) entry(),
  static const core::Registry<MakeNetwork> registry("engine", {ENGINES(CALL)});
  return registry;
}

constinit const std::string_view reference_engine = "simgrid";
constinit const std::string_view fast_engine = "fluid";
constinit const std::string_view router_engine = "packet";

std::vector<std::string> remarks(const EngineChoice& engine, const Machine& machine) {
  return engine.thing().remarks(machine, engine.arguments());
}

std::vector<std::string> named_remarks(const EngineChoice& engine, const Machine& machine) {
  auto all = remarks(engine, machine);
  for (auto& remark : all) remark = fmt::format("{} on {}: {}", engine.text(), machine.name(), remark);
  return all;
}

const MakeNetwork& load(const EngineChoice& engine) {
  engine.thing().load();
  return engine.thing();
}

}  // namespace toroid::netsim
