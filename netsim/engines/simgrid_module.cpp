// SimGrid takes 20 ms to load and brings an MPI of its own, so it stays out of the program until its engine is asked
// for: all that needs it is in libtoroid_platform.so, which is found like any library of the program (beside it, or
// where it was installed). The module has a copy of its own of the code below it, nothing of which keeps state.

#include <dlfcn.h>

#include "core/error.hpp"
#include "netsim/engines/engines.hpp"

namespace toroid::netsim {
namespace {

using Make = decltype(toroid_make_simgrid_network)*;

Make load() {
  constexpr const char* module = "libtoroid_platform.so";
  if (void* library = ::dlopen(module, RTLD_NOW | RTLD_LOCAL))
    if (void* function = ::dlsym(library, "toroid_make_simgrid_network")) return reinterpret_cast<Make>(function);
  core::fail_input("engine simgrid: {} cannot be loaded: {}", module, ::dlerror());
}

Make loaded() {
  static const Make make = load();
  return make;
}

}  // namespace

void load_simgrid() {
  loaded();
}

std::unique_ptr<Network> make_simgrid_network(const Machine& machine, const core::Spec& spec) {
  return std::unique_ptr<Network>(loaded()(machine, spec));
}

}  // namespace toroid::netsim
