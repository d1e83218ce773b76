#pragma once
// The study of mappings: every machine with every trace with every mapper, several times where the mapper draws lots.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "mapping/mapper.hpp"
#include "mapping/traffic.hpp"
#include "netsim/replay.hpp"
#include "study/executor.hpp"
#include "workloads/trace.hpp"

namespace toroid::study {

/// What a row tells of a run besides its time: the proxies that mappings are usually judged by.
inline constexpr const char* metrics[] = {"hop_bytes",    "hops_per_byte",       "dilation_mean",
                                          "dilation_max", "max_link_load_bytes", "mean_link_load_bytes",
                                          "links_used"};

struct ComparisonSpec {
  std::vector<std::string> platforms, traces, maps;
  std::size_t repeats = 1;  ///< of mappers that use the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  std::string engine = "fluid";
  netsim::ReplayOptions options = {};
  mapping::MatrixKind matrix = mapping::MatrixKind::expanded;  ///< what mappers see
  /// The slots that a job gets on a machine.
  std::function<std::vector<mapping::NodeId>(const mapping::Machine&)> slots = mapping::all_nodes;
  bool verify = true;  ///< run the best mapping of each mapper again with the engine `simgrid`
};

/// One run of the study. Tasks are numbered: first the runs, then, if asked for, the verification of run i as task
/// run_count() + i.
struct Run {
  std::size_t platform, trace, map;  ///< indices in the spec
  std::size_t repetition;
};

class Comparison {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run (every machine has room for every trace), and on
  /// machines, traces or mappers given twice.
  explicit Comparison(ComparisonSpec spec);
  ~Comparison();

  const ComparisonSpec& spec() const { return spec_; }
  std::size_t run_count() const { return runs_.size(); }
  const Run& run(std::size_t index) const { return runs_[index]; }

  /// The files that the study reads.
  std::vector<std::string> input_files() const;

  /// Does the task and returns its result as JSON text. Meant for a process of its own.
  std::string work(std::size_t task) const;

  /// The best run of each machine, trace and mapper, by the results of all runs (failed ones have an "error").
  std::vector<std::size_t> best_runs(const std::vector<core::Json>& results) const;

  /// The tidy rows: what was run and what came out, one row per run.
  core::Json rows(const std::vector<core::Json>& results) const;
  /// Per machine, trace and mapper: runs, best, worst, mean, deviation, and the mean over the best mean there.
  core::Json summary(const std::vector<core::Json>& results) const;

 private:
  struct Group;
  void add_runs(std::size_t platform, std::size_t trace, std::size_t map);
  mapping::Mapping place(const Run& run) const;
  std::vector<Group> groups(const std::vector<core::Json>& results) const;

  ComparisonSpec spec_;
  std::vector<platforms::Machine> machines_;
  std::vector<std::vector<mapping::NodeId>> slots_;  ///< by machine
  std::vector<std::unique_ptr<workloads::Trace>> traces_;
  std::vector<std::unique_ptr<mapping::Traffic>> traffics_;
  std::vector<std::unique_ptr<mapping::Mapper>> mappers_;
  std::vector<Run> runs_;
};

}  // namespace toroid::study
