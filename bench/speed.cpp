// How long simulations take: the tables of docs/validation/speed.md, and those of other pages that have times, each
// with what SimGrid and smpirun take in the same run.
//
//   speed [PART]... [--small] [--data FOLDER] [--sharing latency|equal] [--alltoall pairwise] [--trace TRACE]...
// Without a part all are measured, in about half an hour of one core. Times are CPU seconds.

#include "bench/speed/parts.hpp"

#include <map>

using namespace toroid;

namespace {

const std::vector<std::pair<std::string, bench::SpeedPart*>> parts{{"random", bench::measure_random},
                                                                   {"smpirun", bench::measure_smpirun},
                                                                   {"repeats", bench::measure_repeats},
                                                                   {"sizes", bench::measure_sizes},
                                                                   {"saturation", bench::measure_saturation},
                                                                   {"allocators", bench::measure_allocators},
                                                                   {"packets", bench::measure_packets},
                                                                   {"threads", bench::measure_threads},
                                                                   {"commands", bench::measure_commands},
                                                                   {"traces", bench::measure_traces},
                                                                   {"batch", bench::measure_batch}};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"how long simulations take, beside SimGrid and smpirun"};
  bench::SpeedOptions o;
  std::vector<std::string> chosen, names;
  for (const auto& [name, part] : parts) names.push_back(name);
  app.add_option("PART", chosen, fmt::format("any of {}", fmt::join(names, ", ")))->check(CLI::IsMember(names));
  app.add_flag("--small", o.small, "a little of each, to see that it runs");
  app.add_option("--data", o.data, "folder of logs and traces, for `commands`")->envname("DATA");
  app.add_option("--sharing", o.sharing, "smpirun: latency is SimGrid's law; equal: equal shares")
      ->check(CLI::IsMember({"latency", "equal"}));
  app.add_option("--alltoall", o.alltoall, "smpirun: pairwise, for alltoall and alltoallv, instead of the defaults")
      ->check(CLI::IsMember({"pairwise"}));
  app.add_option("--trace", o.traces, "smpirun: traces, instead of LU and CG");
  return bench::run_program(app, argc, argv, [&] {
    for (const auto& name : chosen.empty() ? names : chosen) {
      fmt::print("\n## {}\n", name);
      std::fflush(stdout);  // before parts make processes
      std::ranges::find(parts, name, &decltype(parts)::value_type::first)->second(o);
    }
    return 0;
  });
}
