// SimGrid takes 20 ms to load and brings an MPI of its own, so it stays out of the program until its engine is asked
// for: all that needs it is in libtoroid_platform.so, which is found like any library of the program (beside it, or
// where it was installed). The module has a copy of its own of the code below it, nothing of which keeps state.

#include "netsim/engines/simgrid_module.hpp"

#include <dlfcn.h>

#include "core/process.hpp"

namespace toroid::netsim {
namespace {

using Sharing = SimgridOptions::Sharing;

const core::Parameter<Sharing> sharing{
    "sharing", "how flows share a link: equally, or SimGrid's own law, in inverse proportion to their route's latency",
    core::one_of<Sharing>({{"equal", Sharing::equal}, {"latency", Sharing::latency}}), "equal"};
const core::OptionalParameter<bool> full_updates{"optim", "SimGrid's network/optim",
                                                 core::one_of<bool>({{"full", true}, {"lazy", false}}),
                                                 "full with sharing=latency, else lazy"};

using Make = decltype(toroid_make_simgrid_network)*;
using Build = decltype(toroid_module_build)*;

constexpr const char* module = "libtoroid_platform.so";

Make load() {
  void* library = core::open_library(module, RTLD_NOW | RTLD_LOCAL, "engine simgrid (package libsimgrid3.32): ");
  const auto build = reinterpret_cast<Build>(::dlsym(library, "toroid_module_build"));
  const auto make = reinterpret_cast<Make>(::dlsym(library, "toroid_make_simgrid_network"));
  if (build == nullptr || make == nullptr || build() != build_stamp())
    core::fail_input(
        "engine simgrid: {} is of another build than this program; expected the one made with it (LD_LIBRARY_PATH is "
        "searched first)",
        core::path_of_library(library));
  return make;
}

Make loaded() {
  static const Make make = load();
  return make;
}

/// Lazy updates are right, and for most traces faster, where flows have no latency in SimGrid. Where they have one,
/// SimGrid 3.32 lets more through a link than it has when flows enter it one by one.
std::unique_ptr<Network> make(const Machine& machine, Clock& clock, const core::Arguments& arguments) {
  const auto law = arguments[sharing];
  return std::unique_ptr<Network>(
      loaded()(machine, clock, {law, arguments[full_updates].value_or(law == Sharing::latency)}));
}

/// With sharing=latency messages share the links, however the nodes send (SimgridNetwork::default_order()).
bool takes(std::string_view property, const platforms::Description& machine, const core::Arguments& arguments) {
  return takes_headers(property, machine, arguments) && (property != "sending" || arguments[sharing] == Sharing::equal);
}

}  // namespace

core::Entry<MakeNetwork> simgrid_engine() {
  return {reference_engine,
          "SimGrid's flow model (CM02), the reference",
          {.make = make,
           .own_process = true,
           .load = [] { loaded(); },
           .faster = fast_engine,
           .takes = takes,
           .deviation = deviation_of_flows},
          {sharing, full_updates}};
}

}  // namespace toroid::netsim
