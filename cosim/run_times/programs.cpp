#include "toroid/cosim/options.hpp"

#include <set>

#include "core/blame.hpp"
#include "core/random.hpp"
#include "jobs/program_text.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::cosim {
namespace {

using jobs::filled_in;
using jobs::Job;

constexpr std::int64_t unlimited = std::int64_t{1} << 62U;

/// Fields of a job that are numbers.
std::optional<std::int64_t> field(const Job& job, std::string_view key) {
  if (key == "size") return job.size;
  if (key == "user") return job.notes.user;
  if (key == "group") return job.notes.group;
  if (key == "application") return job.notes.application;
  if (key == "queue") return job.notes.queue;
  if (key == "partition") return job.notes.partition;
  return std::nullopt;
}
const std::vector<std::string> keys{"size", "user", "group", "application", "queue", "partition", "name"};

template <class Read>
auto of_program(const std::string& text, Read read) {
  return core::in_context(fmt::format("program '{}'", core::excerpt(text)), read);
}

constexpr std::int64_t most_rounds = 1'000'000'000'000;

using Sides = std::span<const std::int32_t>;
/// Sides of a box that stand for any, where only the names in braces are checked.
constexpr std::array<std::int32_t, 1> anything{1};

/// Reads `TRACE [rounds N]`.
Program read_program(const std::string& text) {
  const auto [trace, rounds_text] = core::cut_off(text, "rounds", "a number or logged");
  Program program{trace};
  if (rounds_text == "logged") {
    program.rounds = Program::logged;
  } else if (!rounds_text.empty()) {
    const auto rounds = core::parse_number<std::int64_t>(rounds_text);
    if (!rounds || *rounds < 1 || *rounds > most_rounds)
      core::fail_input("rounds: found '{}', expected a whole number from 1 to {}, or logged",
                       core::excerpt(rounds_text), most_rounds);
    program.rounds = *rounds;
  }
  filled_in(program.trace, {}, anything);
  return program;
}

Program for_job(Program program, const Job& job, Sides sides) {
  program.trace = filled_in(program.trace, job, sides);
  return program;
}

/// The program that the log names for the job.
Program own_program(const Job& job, Sides sides) {
  return of_program(job.program, [&] { return for_job(read_program(job.program), job, sides); });
}

}  // namespace

bool Programs::Condition::holds_for(const Job& job) const {
  if (key == "name") return job.id() == name;
  const auto value = *field(job, key);
  return least <= value && value <= most;
}

std::vector<Programs::Condition> Programs::conditions(const std::string& text) {
  std::vector<Condition> all;
  if (text.empty()) return all;
  for (const auto part : core::split(text, ',')) {
    const auto equals = part.find('=');
    Condition condition;
    condition.key = core::trim(part.substr(0, equals));
    if (std::find(keys.begin(), keys.end(), condition.key) == keys.end())
      core::fail_input("unknown condition '{}'{}", core::excerpt(condition.key),
                       core::valid_instead(condition.key, keys));
    const auto value = equals == std::string_view::npos ? std::string_view() : core::trim(part.substr(equals + 1));
    if (condition.key == "name") {
      condition.name = value;
    } else {
      const auto dash = value.find('-');
      const auto least = core::parse_number<std::int64_t>(value.substr(0, dash));
      const auto most = dash == std::string_view::npos ? least
                        : dash + 1 == value.size()     ? std::optional(unlimited)
                                                       : core::parse_number<std::int64_t>(value.substr(dash + 1));
      if (!least || !most || *most < *least)
        core::fail_input("{}: found '{}', expected a number or a range such as 2-64 or 65-", condition.key,
                         core::excerpt(value));
      condition.least = *least;
      condition.most = *most;
    }
    all.push_back(std::move(condition));
  }
  return all;
}

Programs::Programs(const std::vector<std::string>& rules) : texts_(rules) {
  for (const auto& rule : rules) of_program(rule, [&] { add(rule); });
}

void Programs::add(const std::string& text) {
  const auto [before, weight_text] = core::cut_off(text, "weight", "a number above 0");
  const auto [program, condition] = core::cut_off(before, "if", "conditions such as size=2-64");
  if (program.empty()) core::fail_input("expected TRACE [rounds N] [if CONDITIONS] [weight W]");
  Rule rule{text, read_program(program), 1};
  if (!weight_text.empty()) {
    const auto weight = core::parse_number<double>(weight_text);
    if (!weight || !(*weight > 0 && *weight <= 1e9))
      core::fail_input("weight: found '{}', expected a number above 0", core::excerpt(weight_text));
    rule.weight = *weight;
  }
  const auto same =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.condition == condition; });
  if (same != groups_.end())
    same->rules.push_back(std::move(rule));
  else
    groups_.push_back({condition, conditions(condition), {std::move(rule)}});
}

bool Programs::draws_lots() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.rules.size() > 1; });
}

const Programs::Group& Programs::group_for(const Job& job) const {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
    return std::all_of(group.all_of.begin(), group.all_of.end(), [&](const auto& c) { return c.holds_for(job); });
  });
  if (found == groups_.end())
    core::fail_input("job {} (size {}, user {}, application {}): no --program is for it", job.id(), job.size,
                     job.notes.user, job.notes.application);
  return *found;
}

const Programs::Rule& Programs::drawn(const Group& group, JobId id, std::uint64_t seed) {
  if (group.rules.size() == 1) return group.rules.front();
  double sum = 0;
  for (const auto& rule : group.rules) sum += rule.weight;
  double at = core::Random(seed, fmt::format("program of job {}", id)).unit() * sum;
  for (const auto& rule : group.rules)
    if ((at -= rule.weight) < 0) return rule;
  return group.rules.back();
}

Program Programs::of(const Job& job, JobId id, std::uint64_t seed, Sides sides) const {
  return job.program.empty() ? for_job(drawn(group_for(job), id, seed).program, job, sides) : own_program(job, sides);
}

std::vector<Program> Programs::candidates(const Job& job, Sides sides) const {
  if (!job.program.empty()) return {own_program(job, sides)};
  std::vector<Program> all;
  for (const auto& rule : group_for(job).rules) all.push_back(for_job(rule.program, job, sides));
  return all;
}

void Programs::check(const jobs::Jobs& jobs, const platforms::Machine& machine, std::int32_t ranks_per_node) const {
  const auto nodes = static_cast<std::int32_t>(machine.compute_nodes().size());
  const std::vector<std::int32_t> cube(machine.grid().dimension_count(), 1);
  std::set<const Group*> used;
  std::map<std::string, std::int32_t> ranks;  // by trace
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (job.size > nodes) continue;  // that is told elsewhere, or allowed
    if (job.program.empty()) used.insert(&group_for(job));
    for (const auto& program : candidates(job, cube)) {
      if (program.rounds == Program::logged && !job.has_run_time())
        core::fail_input("job {}: found no run time, expected one for 'rounds logged'", job.id());
      const auto [known, is_new] = ranks.try_emplace(program.trace, 0);
      if (is_new) known->second = workloads::open_trace(program.trace)->ranks();
      if (known->second > std::int64_t{job.size} * ranks_per_node)
        core::fail_input("job {}: '{}' has {} ranks, the job's {} nodes take {}", job.id(),
                         core::excerpt(program.trace), known->second, job.size,
                         std::int64_t{job.size} * ranks_per_node);
    }
  }
  for (const auto& group : groups_)
    if (!used.contains(&group)) core::fail_input("'{}' is for none of the jobs", core::excerpt(group.rules[0].text));
}

}  // namespace toroid::cosim
