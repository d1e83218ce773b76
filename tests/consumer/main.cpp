// What a user of the libraries does: a machine, a trace, a mapping, a run; and the number by hand. Rank 0 sends 1 MB to
// rank 1, which is three hops of 100 ns away over links of 1 GB/s.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <toroid/mapping/mapper.hpp>
#include <toroid/netsim/run.hpp>
#include <toroid/platforms/machine.hpp>
#include <toroid/workloads/trace.hpp>

int main() {
  using namespace toroid;
  std::ofstream("pair.ti") << "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n";
  const auto machine = platforms::make_machine("mesh:4");
  const auto trace = workloads::open_trace("pair.ti");
  const mapping::Traffic traffic(*trace);
  const auto mapping = mapping::make_mapping("consecutive", {machine, {0, 3}, traffic});
  for (const char* engine : {"fluid", "simgrid"}) {
    const auto result = netsim::run({machine, *trace, mapping, {}, engine});
    const double expected = 3 * 100e-9 + 1e6 / 1e9;
    std::printf("%s: %.9g s, expected %.9g s\n", engine, result.runtime, expected);
    if (std::abs(result.runtime / expected - 1) > 1e-9) return 1;
  }
}
