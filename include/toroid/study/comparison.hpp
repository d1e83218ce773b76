#pragma once
// The study of mappings: every machine with every trace, choice of collectives, placement and mapper, several times
// where one of these draws lots. The best runs are verified, and the median ones are done again with the computation
// that is left out.
//
//   study::ComparisonSpec spec;
//   spec.platforms = {"mesh:4x4"}, spec.traces = {"stencil:grid=4x4"}, spec.maps = {"consecutive", "random"};
//   const study::Comparison comparison(spec);
//   const auto rows = study::run_study(comparison, *executor, nullptr);

#include "toroid/cosim/placement.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/study/rows.hpp"
#include "toroid/study/tasks/executor.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::study {

struct Draws;
struct Input;
struct Part;
class Journal;

struct ComparisonSpec {
  std::vector<platforms::MachineSource> platforms;
  std::vector<workloads::TraceSource> traces;
  std::vector<mapping::MapperChoice> maps;
  /// Whether the first machine is with the first trace alone, the second with the second, and so on. Pairs stand
  /// for traces, on one machine that is called `paired`; trainings are judged by equal work on as many chips.
  bool paired = false;
  Names labels = {};  ///< names for people (Names::or_else)
  /// For each machine, the number of the machine that it is a what-if of, or its own number; empty without what-ifs.
  std::vector<std::size_t> baselines = {};
  std::size_t repeats = 1;  ///< number of runs of mappers that use the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  netsim::EngineChoice engine = netsim::fast_engine;
  std::vector<netsim::EngineChoice> opinions = {};  ///< engines that do all runs again, to see whether verdicts hold
  /// How many machines are drawn from each that has intervals (platforms/load.hpp), to see on how many of them
  /// verdicts hold; 0: none, and intervals without a best estimate are refused.
  std::size_t draws = 0;
  netsim::ReplayOptions options = {};
  /// Algorithms of collectives that are compared; empty: those of `options` alone.
  std::vector<workloads::CollectiveChoice> collectives = {};
  mapping::MatrixKind matrix = mapping::MatrixKind::expanded;  ///< the matrix that mappers see
  /// What chooses the nodes of a job. One placement gives all runs on a machine the nodes that it has by `seed`.
  /// Several are compared: what one of them draws, busy nodes included, is drawn by the seed of the run.
  std::vector<cosim::Placement> placements = std::vector<cosim::Placement>(1);
  bool verify = true;  ///< whether the best mapping of each mapper is run again with the reference engine
  /// The one of subject() over which the gains of all others are told, by its number.
  std::optional<std::size_t> gains_over = {};

  /// What is compared on equal terms: mappers if there are several, or else allocators, algorithms of collectives,
  /// machines, or traces, where those that are compared have all else in common.
  Factor subject() const;
  /// The names of what is compared, as they were given; none of allocators if no allocator chooses nodes, nor of a
  /// single choice of collectives.
  Names names() const;
};

/// The number of the one of the spec's subject() that has this name, or else this label. Throws InputError, which
/// begins with `what`, if there is none, if two labels are alike, or if there is nothing to compare it with.
std::size_t contender_named(const ComparisonSpec& spec, const std::string& name, std::string_view what);

/// The tasks of a comparison, in blocks of n, the number of its runs. Tasks 0 to n - 1 are the runs, and task n + i is
/// the verification of run i. Task 2 n + i is run i with the computation that it leaves out. Task (3 + k) n + i is run
/// i in opinion k, if these are asked for: first those of other engines, then those of machines that are drawn. There
/// the mapping is that of the run, made for the machine as it is best known.
class Comparison {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run (every machine has room for every trace, and suits
  /// every engine), on machines, traces or mappers given twice, and on machines between which no engine can tell.
  explicit Comparison(ComparisonSpec spec);
  ~Comparison();
  Comparison(Comparison&&) noexcept;

  const ComparisonSpec& spec() const { return spec_; }
  const std::vector<platforms::Machine>& machines() const { return machines_; }
  /// What is drawn of each machine.
  const std::vector<Draws>& draws() const { return draws_; }
  /// How many opinions there are, and which is the first on machines that are drawn.
  std::size_t opinions() const { return first_draw() + spec_.draws; }
  std::size_t first_draw() const { return spec_.opinions.size(); }
  /// The number of the draw that a task is run on; nothing on the machine as it is best known.
  std::optional<std::size_t> draw(std::size_t task) const;
  /// All runs. Runs of the same machine, trace, placement and mapper follow each other.
  const std::vector<Run>& runs() const { return runs_; }
  /// Whether the mapper of the run draws lots, or its placement.
  bool draws_lots(const Run& run) const { return mappers_[run.map]->uses_seed() || !lots_of_nodes(run).empty(); }
  /// The names of the lots that a run draws: the mappers', its own and those of mappers that it begins with, and the
  /// nodes'. From one seed a mapper always draws the same, so `random` gives the mapping that `refine:base=random`
  /// begins with. Empty if nothing is drawn.
  std::set<std::string> lots(const Run& run) const;
  /// The seed of a run; nothing if it draws no lots.
  std::optional<std::uint64_t> seed(const Run& run) const;

  /// The files that were read for its machines, traces and mappers.
  const std::vector<Input>& inputs() const { return inputs_; }
  /// What a user should know of the engines, each once, with the machines that it is about.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// The number of the machine of a run.
  std::size_t machine_of(const Run& run) const { return spec_.paired ? run.trace : run.platform; }
  /// Chips of the machine of a run: its nodes, or if these are cores, so many of them.
  double chips(const Run& run) const;
  /// The computations of a trace on a machine.
  const netsim::ComputationUse& computation(std::size_t platform, std::size_t trace) const {
    return computations_[spec_.paired ? trace : platform][trace];
  }

  /// Whether all times are those of the communication alone, although ranks compute.
  bool is_of_communication() const;

  const workloads::Trace& trace(std::size_t trace) const { return *traces_[trace]; }
  /// How the program of a run is replayed.
  netsim::ReplayOptions options(const Run& run) const;
  /// Whether all programs train language models, and there are several.
  bool compares_trainings() const;
  /// Where all programs train language models, on different numbers of tokens: the most that one of them has. Where
  /// programs are compared, their times are judged for so many tokens.
  std::optional<double> equal_tokens() const;
  /// The most chips that one of the pairs has, if these are on different numbers of them.
  std::optional<double> equal_chips() const;
  /// The times of a trace are judged after multiplication by this: equal_tokens() over its own tokens, or 1, and its
  /// chips over equal_chips().
  double time_factor(std::size_t trace) const;

  static constexpr std::size_t verifying = 1, with_computation = 2, first_opinion = 3;  ///< numbers of blocks
  std::size_t block(std::size_t task) const { return task / runs_.size(); }
  /// Does the task, in a process of its own, and returns its measures as JSON text.
  std::string work(std::size_t task) const;
  const netsim::EngineChoice& engine(std::size_t task) const;
  /// The approximate number of operations in all runs.
  double operations() const;

 private:
  void add_runs(Run first);
  /// What is drawn of the nodes for each repetition.
  const std::set<std::string>& lots_of_nodes(const Run& run) const {
    return lots_of_nodes_[machine_of(run)][run.alloc];
  }
  /// The slots of a run. Throws InputError where its allocator has no nodes for the job.
  std::vector<mapping::NodeId> slots(const Run& run) const;
  mapping::Mapping place(const Run& run) const;

  ComparisonSpec spec_;
  std::vector<Input> inputs_;
  std::vector<std::string> remarks_;
  std::vector<platforms::Machine> machines_;
  std::vector<Draws> draws_;                                       ///< what is drawn of each machine
  std::vector<std::vector<std::set<std::string>>> lots_of_nodes_;  ///< the names of lots, by machine, then placement
  /// The slots by machine, then trace, then placement; empty where they are drawn, or where an allocator has none for
  /// the job.
  std::vector<std::vector<std::vector<std::vector<mapping::NodeId>>>> slots_;
  std::vector<std::shared_ptr<const workloads::Trace>> traces_;
  std::vector<std::vector<std::unique_ptr<mapping::Traffic>>> traffics_;  ///< the traffic, by trace, then collectives
  std::vector<std::vector<netsim::ComputationUse>> computations_;  ///< what traces compute, by machine, then trace
  std::vector<std::unique_ptr<mapping::Mapper>> mappers_;
  std::vector<Run> runs_;
};

/// Does the runs of a comparison, or those of a part of it, and returns a row for each, in their order. The best run of
/// each mapper is verified. Where computation is left out, the median run of each mapper is done again with it, but not
/// in one part of several: only all parts together know which run that is. Runs that the journal (which may be null)
/// knows are not done again; runs that succeed are added to it.
std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal, const Part& part);
std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal);

/// Does the runs as run_study() does, but in the comparison's opinions from number `first` on, below `end`: with other
/// engines, or on machines that are drawn. Returns the rows of each opinion. Verifies none.
std::vector<std::vector<Row>> run_opinions(const Comparison& comparison, Executor& executor, Journal* journal,
                                           std::size_t first, std::size_t end, const Part& part);

/// The names that a journal knows the tasks by.
NameTask task_names(const Comparison& comparison);
/// Adds what went wrong in a part to its journal: `rows` are the part's, of the comparison's own runs or of an opinion.
void add_failures(const Comparison& comparison, const std::vector<Row>& rows, const Part& part,
                  std::optional<std::size_t> opinion, Journal& journal);

}  // namespace toroid::study
