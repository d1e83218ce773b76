#pragma once
// The programs of jobs on their nodes: what workers run, and what can be said of it without its neighbours.

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cosim/programs.hpp"
#include "cosim/symmetry.hpp"
#include "cosim/work.hpp"
#include "mapping/mapper.hpp"
#include "netsim/network.hpp"
#include "netsim/replay_options.hpp"

namespace toroid::cosim {

using platforms::Machine;

/// How programs run.
struct ProgramOptions {
  Programs rules = {};
  mapping::MapperChoice map = "consecutive";  ///< uses another seed for each job
  std::int32_t ranks_per_node = 1;
  netsim::ReplayOptions replay = {};
  bool alone = true;  ///< whether each job is simulated alone, too, to see what its neighbours cost
  /// The allocator of the nodes on which a program alone takes the time that its log says.
  alloc::AllocatorChoice reference = "mc1x1";
};

/// A trace and what mappers need to know of it; several jobs may share it.
struct LoadedTrace {
  LoadedTrace(std::string trace_text, const netsim::ReplayOptions& replay);
  std::string text;
  std::unique_ptr<workloads::Trace> trace;
  mapping::Traffic traffic;
  std::int32_t busy_ranks = 0;  ///< number of ranks that have operations
};

struct PlacedProgram {
  std::shared_ptr<const LoadedTrace> loaded;
  netsim::Mapping mapping;
  double rounds = 1;      ///< how many rounds it runs; a whole number unless its logged run time decides
  std::string complaint;  ///< why it failed when its rounds were measured; it fails after one round then

  /// The program for Symmetry; `what` tells it from programs with the same trace.
  Symmetry::Placed placed(const std::string& what) const { return {what + ' ' + loaded->text, mapping.elements()}; }
};

/// What a job does alone on the machine.
struct Alone {
  double seconds = 0;
  std::string complaint;  ///< why its program cannot go on, if so; nothing else is known then
  netsim::Traffic traffic;
  std::uint64_t max_link_load = 0;  ///< bytes
};

class PlacedPrograms {
 public:
  /// The machine must outlive it. `engine` is that of the network on which programs are simulated alone.
  PlacedPrograms(const ProgramOptions& options, const Machine& machine, const netsim::EngineChoice& engine,
                 std::uint64_t seed);

  const ProgramOptions& options() const { return options_; }
  const Machine& machine() const { return machine_; }
  const netsim::EngineChoice& engine() const { return engine_; }
  const Symmetry& symmetry() const { return symmetry_; }

  /// The program of a job on its nodes; nothing if the job lasts as its log says because its messages take no time.
  std::optional<PlacedProgram> place(const Worker::Start& start);
  /// What `rounds` rounds of a program take alone; valid until the next call. Repeated questions cost nothing.
  const Alone& alone(const PlacedProgram& program, std::uint64_t rounds);

 private:
  std::shared_ptr<const LoadedTrace> load(const std::string& text);
  netsim::Mapping map(const LoadedTrace& loaded, std::span<const platforms::NodeId> nodes, JobId id) const;
  std::optional<PlacedProgram> as_logged(PlacedProgram program, const jobs::Job& job);

  ProgramOptions options_;
  const Machine& machine_;
  netsim::EngineChoice engine_;
  std::uint64_t seed_;
  std::unique_ptr<mapping::Mapper> mapper_;
  std::unordered_map<std::string, std::shared_ptr<const LoadedTrace>> loaded_;
  Symmetry symmetry_;
  std::unordered_map<std::string, Alone> known_;
};

}  // namespace toroid::cosim
