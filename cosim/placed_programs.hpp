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
#include "netsim/replay_options.hpp"

namespace toroid::cosim {

using platforms::Machine;

/// How programs run.
struct ProgramOptions {
  std::vector<std::string> rules;   ///< see Programs
  std::string map = "consecutive";  ///< spec of a mapper, for every job with a seed of its own
  std::int32_t ranks_per_node = 1;
  netsim::ReplayOptions replay = {};
  bool alone = true;  ///< each job is simulated alone, too, on the same nodes: what its neighbours cost
  /// Allocator of the nodes on which, alone, a program takes the time that its job's log says.
  std::string reference = "mc1x1";
};

/// A trace and what mappers want to know of it; jobs share it.
struct LoadedTrace {
  LoadedTrace(std::string trace_text, const netsim::ReplayOptions& replay);
  std::string text;
  std::unique_ptr<workloads::Trace> trace;
  mapping::Traffic traffic;
  std::int32_t busy_ranks = 0;  ///< that have anything to do
};

struct PlacedProgram {
  std::shared_ptr<const LoadedTrace> loaded;
  netsim::Mapping mapping;
  double rounds = 1;      ///< whole, unless as logged
  std::string complaint;  ///< why it cannot go on where its rounds were to be measured: it fails after one of them

  /// How `what` of it is told from others.
  Symmetry::Placed placed(const std::string& what) const { return {what + ' ' + loaded->text, mapping.elements()}; }
};

/// Of a job that has the machine to itself.
struct Alone {
  double seconds = 0;
  std::string complaint;  ///< if its program cannot go on; nothing else is known then
  netsim::Traffic traffic;
  std::uint64_t max_link_load = 0;  ///< bytes
};

class PlacedPrograms {
 public:
  /// The machine must outlive it; `engine`: spec of the network on which they are alone.
  PlacedPrograms(const ProgramOptions& options, const Machine& machine, std::string engine, std::uint64_t seed);

  const ProgramOptions& options() const { return options_; }
  const Machine& machine() const { return machine_; }
  const std::string& engine() const { return engine_; }
  const Symmetry& symmetry() const { return symmetry_; }

  /// What the job does there; nothing if it is to last as its log says and its messages take no time.
  std::optional<PlacedProgram> place(const Worker::Start& start);
  /// So many rounds of the program, alone; valid until the next call. What was asked for before is known.
  const Alone& alone(const PlacedProgram& program, std::uint64_t rounds);

 private:
  std::shared_ptr<const LoadedTrace> load(const std::string& text);
  netsim::Mapping map(const LoadedTrace& loaded, std::span<const platforms::NodeId> nodes, JobId id) const;
  std::optional<PlacedProgram> as_logged(PlacedProgram program, const workloads::Job& job);

  ProgramOptions options_;
  const Machine& machine_;
  std::string engine_;
  std::uint64_t seed_;
  Programs programs_;
  std::unique_ptr<mapping::Mapper> mapper_;
  std::unordered_map<std::string, std::shared_ptr<const LoadedTrace>> loaded_;
  Symmetry symmetry_;
  std::unordered_map<std::string, Alone> known_;
};

}  // namespace toroid::cosim
