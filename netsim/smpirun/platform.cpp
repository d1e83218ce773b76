// libtoroid_platform.so: any machine of toroid for plain SimGrid users.
//
//   TOROID_PLATFORM=bigben smpirun -platform libtoroid_platform.so -hostfile hosts -np 64 ./program
//
// TOROID_PLATFORM is what toroid takes for a PLATFORM: an XML file, a preset, or mesh:8x8. Hosts are node-0, node-1,
// ... Links are shared equally whatever the latencies: all routes say 1 s, and a latency factor makes the true one of
// it.

#include <cstdio>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>

#include "netsim/engines/simgrid_zone.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

namespace {

namespace s4u = simgrid::s4u;
using toroid::netsim::SimgridZone;

const char* platform_argument() {
  const char* text = std::getenv("TOROID_PLATFORM");
  if (text == nullptr || *text == '\0')
    toroid::core::fail_input("TOROID_PLATFORM is not set; expected a platform such as mesh:8x8, bigben or machine.xml");
  return text;
}

void build(const toroid::platforms::Machine& machine) {
  // What SimGrid or smpirun set by default is for clusters on the Internet (docs/explanation/engines.md). With its lazy
  // updates SimGrid 3.32 lets more through a link than it has when flows enter it one by one after their latencies.
  for (const char* setting : {"network/TCP-gamma:0", "network/crosstraffic:0", "network/optim:Full"})
    s4u::Engine::set_config(setting);
  auto* zone = new SimgridZone(machine, toroid::netsim::RouteLatency::constant);  // SimGrid owns its zones
  zone->build();
  auto* model = zone->get_iface()->get_network_model();
  model->set_lat_factor_cb([zone](double, const s4u::Host* from, const s4u::Host* to, const auto&, const auto&) {
    return zone->machine().latency(zone->node(*from), zone->node(*to));
  });
  model->set_bw_factor_cb([](double, const s4u::Host*, const s4u::Host*, const auto&, const auto&) { return 1.0; });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void load_platform(const s4u::Engine&);

extern "C" void load_platform(const s4u::Engine&) {
  try {
    // Lives as long as the simulation.
    static const toroid::platforms::Machine machine = toroid::platforms::make_machine(platform_argument());
    build(machine);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtoroid_platform: %s\n", error.what());
    std::_Exit(2);  // no return into SimGrid, which would print a backtrace
  }
}
