#pragma once
// The study of mappings: every machine with every trace with every mapper, several times where the mapper draws lots.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/traffic.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/network.hpp"
#include "netsim/replay_options.hpp"
#include "study/journal.hpp"
#include "study/row.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::study {

/// What is compared on equal terms: the mappers of each machine and trace; with one mapper the machines that run a
/// trace; with one machine, too, the traces.
enum class Subject : std::uint8_t { map, platform, trace };
std::string_view name_of(Subject subject);    ///< in results: `map`, `platform`, `trace`
std::string_view plural_of(Subject subject);  ///< in words: `mappers`, `machines`, `programs`

/// The names of what is compared.
struct Names {
  std::vector<std::string> platforms, traces, maps;

  const std::vector<std::string>& of(Subject subject) const {
    return subject == Subject::map ? maps : subject == Subject::platform ? platforms : traces;
  }
};

struct ComparisonSpec {
  std::vector<std::string> platforms;
  std::vector<workloads::TraceSource> traces;
  std::vector<mapping::MapperChoice> maps;
  Names labels = {};  ///< names for people; where a list is empty, the names as they were given
  /// For each machine, the number of the machine that it is a what-if of, or its own number; empty without what-ifs.
  std::vector<std::size_t> baselines = {};
  std::size_t repeats = 1;  ///< number of runs of mappers that use the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  netsim::EngineChoice engine = netsim::fast_engine;
  std::vector<netsim::EngineChoice> opinions = {};  ///< engines that do all runs again, to see whether verdicts hold
  netsim::ReplayOptions options = {};
  mapping::MatrixKind matrix = mapping::MatrixKind::expanded;  ///< the matrix that mappers see
  /// The slots that a job gets on a machine, by its number of ranks; the same for all mappers and repetitions.
  using Slots = std::function<std::vector<mapping::NodeId>(std::int32_t ranks)>;
  std::function<Slots(const mapping::Machine&)> slots = [](const mapping::Machine& machine) {
    return [&machine](std::int32_t) { return mapping::all_nodes(machine); };
  };
  bool verify = true;  ///< whether the best mapping of each mapper is run again with the reference engine
  /// The one of subject() over which the gains of all others are told, by its number.
  std::optional<std::size_t> gains_over = {};

  Subject subject() const;
  /// The names of what is compared, as they were given.
  Names names() const { return {platforms, core::texts_of(traces), core::texts_of(maps)}; }
};

/// The number of the one of the spec's subject() that has this name, or else this label. Throws InputError, which
/// begins with `what`, if there is none, if two labels are alike, or if there is nothing to compare it with.
std::size_t contender_named(const ComparisonSpec& spec, const std::string& name, std::string_view what);

/// The tasks of a comparison, in blocks of n, the number of its runs. Tasks 0 to n - 1 are the runs, and task n + i is
/// the verification of run i. Task 2 n + i is run i with the computation that it leaves out. Task (3 + k) n + i is run
/// i with the engine of opinion k, if these are asked for.
class Comparison {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run (every machine has room for every trace), and on
  /// machines, traces or mappers given twice.
  explicit Comparison(ComparisonSpec spec);

  const ComparisonSpec& spec() const { return spec_; }
  const std::vector<platforms::Machine>& machines() const { return machines_; }
  /// All runs. Runs of the same machine, trace and mapper follow each other.
  const std::vector<Run>& runs() const { return runs_; }
  bool draws_lots(std::size_t map) const { return mappers_[map]->uses_seed(); }
  /// The names of the mappers whose lots this mapper draws: its own, and those of mappers that it begins with. From one
  /// seed a mapper always draws the same, so `random` gives the mapping that `refine:base=random` begins with. Empty if
  /// it draws no lots.
  std::set<std::string> lots(std::size_t map) const;
  /// The seed of a run; nothing if its mapper draws no lots.
  std::optional<std::uint64_t> seed(const Run& run) const;

  /// The files that were read for its machines, traces and mappers.
  const std::vector<Input>& inputs() const { return inputs_; }

  /// The computations of a trace on a machine.
  const netsim::ComputationUse& computation(std::size_t platform, std::size_t trace) const {
    return computations_[platform][trace];
  }

  const workloads::Trace& trace(std::size_t trace) const { return *traces_[trace]; }
  /// Where the programs are compared, and train models on different numbers of tokens: the most that one of them has.
  /// Their times are judged for so many tokens.
  std::optional<double> equal_tokens() const;
  /// The times of a trace are judged after multiplication by this: equal_tokens() over its own tokens, or 1.
  double time_factor(std::size_t trace) const;

  static constexpr std::size_t verifying = 1, with_computation = 2, first_opinion = 3;  ///< numbers of blocks
  std::size_t block(std::size_t task) const { return task / runs_.size(); }
  /// Does the task, in a process of its own, and returns its measures as JSON text.
  std::string work(std::size_t task) const;
  const netsim::EngineChoice& engine(std::size_t task) const;
  /// The approximate number of operations in all runs.
  double operations() const;

 private:
  void add_runs(std::size_t platform, std::size_t trace, std::size_t map);
  mapping::Mapping place(const Run& run) const;

  ComparisonSpec spec_;
  std::vector<Input> inputs_;
  std::vector<platforms::Machine> machines_;
  std::vector<std::vector<std::vector<mapping::NodeId>>> slots_;  ///< by machine, then trace
  std::vector<std::unique_ptr<workloads::Trace>> traces_;
  std::vector<std::unique_ptr<mapping::Traffic>> traffics_;
  std::vector<std::vector<netsim::ComputationUse>> computations_;  ///< by machine, then trace
  std::vector<std::unique_ptr<mapping::Mapper>> mappers_;
  std::vector<Run> runs_;
};

}  // namespace toroid::study
