#pragma once
// The study of mappings: every machine with every trace with every mapper, several times where the mapper draws lots.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/traffic.hpp"
#include "netsim/replay_options.hpp"
#include "study/journal.hpp"
#include "study/row.hpp"
#include "workloads/trace.hpp"

namespace toroid::study {

/// What is compared, as it was given.
struct Names {
  std::vector<std::string> platforms, traces, maps;
};

struct ComparisonSpec : Names {
  Names labels = {};  ///< for people: one for each name
  /// By machine, the number of the one that it is a what-if of, or its own; empty if none is.
  std::vector<std::size_t> baselines = {};
  std::size_t repeats = 1;  ///< of mappers that use the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  std::string engine = "fluid";
  std::vector<std::string> opinions = {};  ///< engines that do all runs again: do verdicts hold?
  netsim::ReplayOptions options = {};
  mapping::MatrixKind matrix = mapping::MatrixKind::expanded;  ///< what mappers see
  /// The slots that a job gets on a machine, with all mappers and repetitions the same.
  std::function<std::vector<mapping::NodeId>(const mapping::Machine&, const workloads::Trace&)> slots =
      [](const mapping::Machine& machine, const workloads::Trace&) { return mapping::all_nodes(machine); };
  bool verify = true;  ///< run the best mapping of each mapper again with the engine `simgrid`
};

/// Tasks are numbered: first the n runs, then, if asked for, the verification of run i as task n + i, and run i by the
/// engine of opinion k as task (2 + k) * n + i.
class Comparison {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run (every machine has room for every trace), and on
  /// machines, traces or mappers given twice.
  explicit Comparison(ComparisonSpec spec);

  const ComparisonSpec& spec() const { return spec_; }
  /// Those of a machine, a trace and a mapper follow each other.
  const std::vector<Run>& runs() const { return runs_; }
  bool draws_lots(std::size_t map) const { return mappers_[map]->uses_seed(); }
  /// Names of what the mapper draws: itself, and mappers that it begins with. From one seed a mapper always draws the
  /// same, so `random` is on each machine the mapping that `refine:base=random` begins with. None if it draws no lots.
  std::set<std::string> lots(std::size_t map) const;
  /// Nothing if the mapper draws no lots.
  std::optional<std::uint64_t> seed(const Run& run) const;

  /// The files that were read for its machines, traces and mappers.
  const std::vector<Input>& inputs() const { return inputs_; }

  /// Does the task, in a process of its own, and returns its measures as JSON text.
  std::string work(std::size_t task) const;
  const std::string& engine(std::size_t task) const;
  /// About how many operations all runs go through.
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
  std::vector<std::unique_ptr<mapping::Mapper>> mappers_;
  std::vector<Run> runs_;
};

}  // namespace toroid::study
