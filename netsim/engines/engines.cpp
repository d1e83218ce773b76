#include "netsim/engines/engines.hpp"

namespace toroid::netsim {

const core::Registry<MakeNetwork>& engines() {
  static const core::Registry<MakeNetwork> registry(
      "engine",
      {{"simgrid",
        "SimGrid's flow model (CM02), the reference",
        {make_simgrid_network, true, load_simgrid},
        {{"sharing",
          "equal: flows share a link equally (default); latency: SimGrid's own law, in inverse proportion to "
          "their route's latency"},
         {"optim", "SimGrid's network/optim: full or lazy; default full with sharing=latency, else lazy"}}},
       {"fluid", "the same model, solved incrementally: for large machines and studies", {make_fluid_network}}});
  return registry;
}

const MakeNetwork& load_engine(std::string_view spec) {
  const auto& engine = engines().find(core::Spec::parse(spec)).make;
  engine.load();
  return engine;
}

}  // namespace toroid::netsim
