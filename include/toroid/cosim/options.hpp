#pragma once
// What a user may ask of a run: estimates, limits, jobs that are too large or fail, nodes that fail.

#include "toroid/cosim/scheduler.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/replay_options.hpp"

namespace toroid::cosim {

/// `10h:fail-router z=0 until 14h`, as it was given. Which nodes and which times these are depends on the machine and
/// on when the log begins.
struct OutageText {
  jobs::When begin;
  std::optional<jobs::When> end;  ///< nothing: the nodes never come back
  bool is_daily =
      false;         ///< whether both are seconds after midnight, of each day between the first submission and the last
  std::string what;  ///< fail-router, fail-node, fail-link, reserve-router or reserve-node
  std::string which;
  std::string text;  ///< all of it

  bool of_routers() const { return what.ends_with("-router"); }
  bool of_links() const { return what.ends_with("-link"); }
  bool is_announced() const { return what.starts_with("reserve-"); }
  std::string event() const { return fmt::format("{} {}", what, which); }
};

/// How nodes fail by themselves, and which go out by plan.
struct NodeFailureOptions {
  double mtbf = 0;  ///< mean time between failures of a node in seconds, exponentially distributed; 0: none fails
  double repair = 4 * 3600;   ///< seconds until the node is back
  std::int32_t requeues = 0;  ///< how often a job that lost a node starts again
  std::vector<OutageText> outages = {};

  bool any() const { return mtbf > 0 || !std::ranges::all_of(outages, &OutageText::of_links); }
  bool any_of_links() const { return std::ranges::any_of(outages, &OutageText::of_links); }
  bool any_daily() const { return std::ranges::any_of(outages, &OutageText::is_daily); }
};

/// What happened at a time that a user gave, as results tell it. Times are in seconds since the beginning of the log.
struct TimedEvent {
  std::string event;  ///< `fail-router z=0`
  double time = 0;
  std::optional<double> until = {};  ///< when the nodes of an outage are back; infinity: never
  bool in_time = true;               ///< whether the event was between the first submission and the last end of a job

  bool operator==(const TimedEvent&) const = default;
};

struct Options {
  /// Where the estimate of a job's run time comes from: the log (twice the run time where it has none), the run time
  /// itself, or the run time times a factor. It is never less than the run time, unless jobs are killed.
  enum class Estimates { logged, exact, factor } estimates = Estimates::logged;
  double factor = 1;
  bool kill = false;  ///< whether jobs are killed at the end of their estimate
  /// What happens when a job can never fit: the run fails, or goes on without the job.
  enum class TooLarge { fail, reject } too_large = TooLarge::fail;
  /// Whether jobs whose demand changes get the nodes that they want at the time, and run slower while they do not get
  /// them. If not, they have their largest demand from start to end.
  bool dynamic = false;
  netsim::OnFailedJob failed_job = netsim::OnFailedJob::stop;
  /// How nodes fail, whether a job runs on them or not.
  NodeFailureOptions failures = {};
};

/// How jobs are replayed in epochs (run_times/epochs.hpp).
struct EpochOptions {
  double error = 0.02;       ///< relative error of rates: jobs go on at rates that are known that well
  std::int32_t rounds = 32;  ///< rounds of each job (2 or more) after which the measured rates are used in any case
  std::int32_t samples = 3;  ///< how many times a mix that recurs is simulated before the known rates are used
};

// Which program each job of a log runs: rules, since logs say how large jobs are and whose, but not what they send.

/// What a job runs: a trace, repeated `rounds` times. Its ranks do not wait for each other between rounds.
struct Program {
  std::string trace;
  std::int64_t rounds = 1;  ///< `logged`: as many as fit into its logged run time
  static constexpr std::int64_t logged = 0;
  bool operator==(const Program&) const = default;
};

/// The rules that say which program a job runs. A rule is a TRACE, the number of its rounds, the jobs that it is for,
/// and its weight among several rules for the same jobs: `cg:class=A,ranks={power2} rounds 10 if size=16-64,user=3
/// weight 2`. In the trace `{size}` stands for the number of nodes of the job, `{power2}` and `{square}` for the
/// largest power of two and square up to that, `{number}` for its number in the log. `{box}` stands for the grid of
/// that size nearest to a cube, `{grid}` for the one nearest to the box around the job's nodes. Conditions are ranges
/// of `size`, `user`, `group`, `application`, `queue`, `partition`, or a `name`. A job whose log names its program
/// (TRACE, perhaps with its rounds) runs that. Other jobs run what the first rule for them says; of rules with the same
/// condition one is drawn by the seed and the job, independently of other jobs.
class Programs {
 public:
  /// Reads the rules. Throws InputError on a text that is no rule.
  Programs(const std::vector<std::string>& rules);
  Programs(std::initializer_list<std::string> rules) : Programs(std::vector(rules)) {}

  /// Whether another seed may give jobs other programs.
  bool draws_lots() const;

  /// The rules, as they were given.
  const std::vector<std::string>& texts() const { return texts_; }

  /// The program of a job, which is the `id`-th submitted, on nodes in a box of these sides. Throws InputError when no
  /// rule is for it.
  Program of(const jobs::Job& job, JobId id, std::uint64_t seed, std::span<const std::int32_t> sides) const;

  /// Checks, before any job runs, all jobs that fit on the machine and all programs that they may run with any seed, of
  /// those that depend on the job's nodes the one for a cube. Throws InputError when no rule is for a job, when a rule
  /// is for no job, and when a trace cannot be opened or has more ranks than its job has room for.
  void check(const jobs::Jobs& jobs, const platforms::Machine& machine, std::int32_t ranks_per_node) const;

 private:
  struct Condition {
    std::string key;
    std::int64_t least = 0, most = 0;
    std::string name;
    bool holds_for(const jobs::Job& job) const;
  };
  struct Rule {
    std::string text;
    Program program;
    double weight = 1;
  };
  /// Rules for the same jobs.
  struct Group {
    std::string condition;
    std::vector<Condition> all_of;
    std::vector<Rule> rules;
  };

  void add(const std::string& text);
  static std::vector<Condition> conditions(const std::string& text);
  /// The rules for a job. Throws InputError when there are none.
  const Group& group_for(const jobs::Job& job) const;
  /// All programs that the job may run.
  std::vector<Program> candidates(const jobs::Job& job, std::span<const std::int32_t> sides) const;
  static const Rule& drawn(const Group& group, JobId id, std::uint64_t seed);

  std::vector<std::string> texts_;
  std::vector<Group> groups_;
};

/// How programs run.
struct ProgramOptions {
  Programs rules = {};
  /// Uses another seed for each job. The order in which an allocator gives nodes suits some programs and not others, so
  /// each job gets a mapping that suits its own.
  mapping::MapperChoice map = "quick";
  std::int32_t ranks_per_node = 1;
  netsim::ReplayOptions replay = {};
  bool alone = true;  ///< whether each job is simulated alone, too, to see what its neighbours cost
  /// The allocator of the nodes on which a program alone takes the time that its log says.
  alloc::AllocatorChoice reference = "mc1x1";
  /// The share of their logged run times for which jobs communicate, on average, where these times are modelled
  /// (run_times/modelled.hpp).
  double communication = 0.3;
};

/// Reads where estimates come from into `options`: `log`, `exact` or a factor such as `x2`. Throws InputError.
void read_estimates(const std::string& text, Options& options);

/// The run time of a job that its scheduler expects.
netsim::Time estimate(const jobs::Job& job, const Options& options);

/// The nodes that a job wants when it starts.
std::int32_t first_demand(const jobs::Job& job, const Options& options);

// Demands that change: a job's run as a sequence of phases of equal work time, in each of which it wants so many nodes.

/// How many phases the run of a job has.
inline std::int32_t phases(jobs::Demand demand, std::int32_t size) {
  if (demand == jobs::Demand::constant) return 1;
  return demand == jobs::Demand::pyramid ? 2 * size : size;
}

/// The number of nodes, 1 to `size`, that a job wants in a phase, which count from 0. It changes by one from phase to
/// phase (De Rose et al. 2007, 3.1).
inline std::int32_t demanded(jobs::Demand demand, std::int32_t size, std::int32_t phase) {
  switch (demand) {
    case jobs::Demand::constant:
      break;
    case jobs::Demand::increasing:
      return phase + 1;
    case jobs::Demand::decreasing:
      return size - phase;
    case jobs::Demand::pyramid:
      return std::min(phase + 1, 2 * size - phase);
  }
  return size;
}

/// The mean number of nodes that a job wants, over all phases.
inline double mean_demand(jobs::Demand demand, std::int32_t size) {
  return demand == jobs::Demand::constant ? size : (size + 1) / 2.0;
}

}  // namespace toroid::cosim
