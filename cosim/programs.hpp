#pragma once
// Which program each job of a log runs: rules, since logs say how large jobs are and whose, but not what they send.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cosim/scheduler.hpp"
#include "workloads/jobs/jobs.hpp"

namespace toroid::cosim {

/// What a job runs: a trace, some times over. Its ranks do not wait for each other in between.
struct Program {
  std::string trace;
  std::int64_t rounds = 1;  ///< `logged`: as many as its logged run time holds
  static constexpr std::int64_t logged = 0;
  bool operator==(const Program&) const = default;
};

/// A rule is a TRACE, how many times it is run, what jobs it is for, and how often it is drawn where several are for
/// the same jobs: `npb:bench=cg,ranks={power2} rounds 10 if size=16-64,user=3 weight 2`. In the trace `{size}` stands
/// for the nodes of the job,
/// `{power2}` and `{square}` for the largest power of two and square up to that, `{number}` for its number in the log.
/// Conditions are ranges of `size`, `user`, `group`, `application`, `queue`, `partition`, or a `name`. A job that names
/// its program (TRACE, perhaps with its rounds) runs that. Others run what the first rule says that is for them; of
/// rules with the same condition one is drawn by the seed and the job, whatever other jobs there are.
class Programs {
 public:
  /// Throws InputError on what is no rule.
  Programs(const std::vector<std::string>& rules, std::uint64_t seed);

  /// Whether another seed may give jobs other programs.
  bool draws_lots() const;

  /// What the job runs, which is the `id`-th submitted. Throws InputError when no rule is for it.
  Program of(const workloads::Job& job, JobId id) const;

  /// Goes through all jobs that fit on so many nodes before any runs, and all that they may run, whatever the seed:
  /// throws InputError when no rule is for a job, a rule is for none, or a trace cannot be had or has more ranks than
  /// its job can take.
  void check(const workloads::Jobs& jobs, std::int32_t nodes, std::int32_t ranks_per_node) const;

 private:
  struct Condition {
    std::string key;
    std::int64_t least = 0, most = 0;
    std::string name;
    bool holds_for(const workloads::Job& job) const;
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
  /// Throws InputError when none is.
  const Group& group_for(const workloads::Job& job) const;
  /// All that the job may run.
  std::vector<Program> candidates(const workloads::Job& job) const;
  const Rule& drawn(const Group& group, JobId id) const;

  std::vector<Group> groups_;
  std::uint64_t seed_;
};

}  // namespace toroid::cosim
