#include <catch2/catch.hpp>

#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"

namespace toroid::mapping {
namespace {

TEST_CASE("No mapping gains more of the whole than the bound says", "[slow]") {
  for (const std::string spec :
       {"stencil:grid=4x4,bytes=64KiB", "cg:class=S,ranks=16,iterations=2", "lu:class=S,ranks=16,iterations=2",
        "minighost:ranks=16,steps=2", "mg:class=S,ranks=16,iterations=2"}) {
    const auto trace = workloads::open_trace(spec);
    for (const std::string platform : {"mesh:4x4,speed=1Gf", "torus:2x8,speed=20Gf", "mesh:16,bw=100MBps,speed=5Gf"}) {
      const auto machine = platforms::make_machine(platform);
      const Traffic traffic(*trace, {}, MatrixKind::expanded);
      const auto slots = all_nodes(machine);
      std::vector<double> communication, whole;
      for (const std::string mapper : {"consecutive", "random", "multilevel", "hilbert"}) {
        const auto mapping = make_mapping(*MapperChoice(mapper).make(), {machine, slots, traffic, 7});
        netsim::Run request{machine, *trace, mapping, {}, "fluid"};
        communication.push_back(netsim::run(request).runtime);
        request.job().options.compute_scale = 1;
        whole.push_back(netsim::run(request).runtime);
      }
      const auto use = netsim::computation_use(*trace, workloads::computation_by_rank(*trace), machine, {});
      for (std::size_t slow = 0; slow < whole.size(); ++slow)
        for (std::size_t fast = 0; fast < whole.size(); ++fast) {
          CAPTURE(spec, platform, slow, fast);
          CHECK(1 - whole[fast] / whole[slow] <= use.gain_at_most(communication[slow]) + 1e-9);
        }
    }
  }
}

}  // namespace
}  // namespace toroid::mapping
