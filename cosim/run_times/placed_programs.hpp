#pragma once
// The programs of jobs on their nodes: the mapping of each, and how long a program takes alone.

#include "alloc/metrics.hpp"
#include "cosim/run_times/shared_links.hpp"
#include "netsim/network.hpp"
#include "toroid/cosim/options.hpp"
#include "toroid/netsim/computation_use.hpp"

namespace toroid::cosim {

/// Finds placements that are shifted or mirrored images of each other: what was simulated of one is known of all. Along
/// a mesh whose links are all alike, shifted or mirrored routes are routes, too, with the same links in common. On a
/// torus they need not be, since the way half round it depends on where it begins. Places are not moved along such
/// dimensions, nor on machines with failed, twisted or exceptional links.
class Symmetry {
 public:
  /// The machine must outlive it. If `at_all` is false, no placement counts as the image of another.
  Symmetry(const platforms::Machine& machine, bool at_all);

  /// A program on a machine: a text that tells it from others, and its nodes by rank.
  struct Placed {
    std::string what;
    std::span<const NodeId> nodes;
  };
  /// A key that is the same for all placements that are images of each other.
  struct Form {
    std::string key;
    std::vector<std::size_t> order;  ///< numbers of the programs, in the order that the key has them in
  };
  Form form(std::span<const Placed> programs) const;

 private:
  Form image(std::span<const Placed> programs, std::size_t mirrored) const;

  const platforms::Machine& machine_;
  std::vector<std::size_t> movable_;  ///< dimensions along which places can be moved
};

/// A trace and what mappers need to know of it; several jobs may share it.
struct LoadedTrace {
  LoadedTrace(std::string trace_text, const Machine& machine, const netsim::ReplayOptions& replay);
  std::string text;
  std::shared_ptr<const workloads::Trace> trace;
  mapping::Traffic traffic;
  bool is_uniform = false;             ///< whether each rank sends the same to every other
  std::int32_t busy_ranks = 0;         ///< number of ranks that have operations
  netsim::ComputationUse computation;  ///< the computation of one round
};

struct PlacedProgram {
  std::shared_ptr<const LoadedTrace> loaded;
  netsim::Mapping mapping;
  double rounds = 1;      ///< how many rounds it runs; a whole number unless its logged run time decides
  std::string complaint;  ///< why it failed when its rounds were measured; it fails after one round then

  /// See Work::left_out.
  double left_out() const {
    const auto& computation = loaded->computation;
    return computation.is_left_out() ? rounds * computation.busiest_rank_s : 0;
  }
  /// The program for Symmetry; `what` tells it from programs with the same trace.
  Symmetry::Placed placed(const std::string& what) const { return {what + ' ' + loaded->text, mapping.elements()}; }
};

/// What a job does alone on the machine.
struct Alone {
  double seconds = 0;
  std::string complaint;  ///< why its program cannot go on, if so; nothing else is known then
  netsim::SentMessages traffic;
  std::uint64_t max_link_load = 0;  ///< bytes
};

/// How long a job keeps a link busy.
struct LinkTime {
  platforms::LinkId link;
  double seconds = 0;
  double pairs = 0;  ///< pairs of its ranks whose messages share the link
};

/// A round of a program as its bytes on links have it: those of a link at its bandwidth.
struct Exchange {
  PlacedProgram placed;
  std::vector<LinkTime> links;
  double seconds = 0;  ///< the seconds of the link that is busy longest
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
  std::optional<PlacedProgram> place(const StartedJob& started);
  /// What `rounds` rounds of a program take alone; valid until the next call. Repeated questions cost nothing.
  const Alone& alone(const PlacedProgram& program, std::uint64_t rounds);
  /// The links that its messages cross, with the bytes that a round of it sends over each.
  std::vector<LinkBytes> links_of(const PlacedProgram& program) const { return links_of(program, machine_); }
  /// Tells that on a machine some of whose links have failed.
  std::vector<LinkBytes> links_of(const PlacedProgram& program, const Machine& machine) const;
  /// How long a round of it keeps each of them busy.
  std::vector<LinkTime> link_times(const PlacedProgram& program, const Machine& machine) const;
  /// A round of the job's program on these nodes. Repeated questions cost little.
  std::shared_ptr<const Exchange> exchange_on(std::span<const NodeId> nodes, const StartedJob& started);
  /// How many times as long a round takes on the job's nodes as on those of the reference; 1 where it takes no time.
  double cost(const StartedJob& started);
  /// The nodes that the reference gives a job of that size on the empty machine; valid until the next call.
  const alloc::Allocation& reference_nodes(std::int32_t size);

 private:
  std::shared_ptr<const LoadedTrace> load(const std::string& text);
  /// What the job runs on these nodes.
  Program program_on(std::span<const NodeId> nodes, const StartedJob& started);
  /// A round of what the job runs there, mapped; `id` decides about what the mapper draws.
  PlacedProgram placed_on(std::span<const NodeId> nodes, const StartedJob& started, JobId id);
  std::optional<PlacedProgram> as_logged(PlacedProgram program, const StartedJob& started);
  /// A round of the program on these nodes. Nodes that lie to each other as those of an earlier job with the same
  /// program get the mapping of that job, moved along.
  PlacedProgram moved_to(std::span<const NodeId> nodes, const StartedJob& started, const std::string& trace);

  ProgramOptions options_;
  const Machine& machine_;
  alloc::Measure measure_;
  netsim::EngineChoice engine_;
  std::uint64_t seed_;
  std::unique_ptr<mapping::Mapper> mapper_;
  std::unordered_map<std::string, std::shared_ptr<const LoadedTrace>> loaded_;
  Symmetry symmetry_;
  std::unordered_map<std::string, Alone> known_;
  std::unordered_map<std::string, std::shared_ptr<const Exchange>> exchanges_;
  /// For the nodes that a rank has, their places in the job's list, by program and by how nodes lie to the first.
  std::unordered_map<std::string, std::vector<std::uint32_t>> orders_;
  std::unordered_map<std::int32_t, alloc::Allocation> reference_nodes_;
};

}  // namespace toroid::cosim
