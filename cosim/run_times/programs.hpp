#pragma once
// Which program each job of a log runs: rules, since logs say how large jobs are and whose, but not what they send.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "cosim/scheduler.hpp"
#include "jobs/jobs.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {

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

}  // namespace toroid::cosim
