#include "cosim/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "workloads/trace.hpp"

namespace toroid::cosim {
namespace {

using workloads::Job;

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

std::int32_t largest_square(std::int32_t size) {
  auto root = static_cast<std::int32_t>(std::sqrt(size));
  while (root * root > size) --root;
  return root * root;
}

template <class Read>
auto of_program(const std::string& text, Read read) {
  return core::in_context(fmt::format("program '{}'", core::excerpt(text)), read);
}

/// The text with the job's numbers in place of their names in braces.
std::string filled_in(const std::string& program, const Job& job) {
  const auto power2 = std::bit_floor(static_cast<std::uint32_t>(job.size));
  const std::map<std::string, std::string, std::less<>> values{{"size", std::to_string(job.size)},
                                                               {"power2", std::to_string(power2)},
                                                               {"square", std::to_string(largest_square(job.size))},
                                                               {"number", std::to_string(job.number)}};
  std::string text;
  for (std::size_t at = 0; at < program.size();) {
    const auto open = program.find('{', at), close = program.find('}', open);
    text += program.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto name = close == std::string::npos ? program.substr(open) : program.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      core::fail_input("found {{{}}}, expected {{size}}, {{power2}}, {{square}} or {{number}}", core::excerpt(name));
    text += value->second;
    at = close + 1;
  }
  return text;
}

constexpr std::int64_t most_rounds = 1'000'000'000'000;

/// The parts of a rule: its text up to and after the last of `word` between spaces.
std::pair<std::string, std::string> cut(const std::string& text, const std::string& word) {
  const auto padded = text + " ";
  const auto at = padded.rfind(" " + word + " ");
  if (at == std::string::npos) return {text, {}};
  const auto after = core::trim(std::string_view(padded).substr(at + word.size() + 2));
  if (after.empty()) core::fail_input("{}: found nothing after it", word);
  return {std::string(core::trim(text.substr(0, at))), std::string(after)};
}

/// `TRACE [rounds N]`.
Program read_program(const std::string& text) {
  const auto [trace, rounds_text] = cut(text, "rounds");
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
  filled_in(program.trace, {});
  return program;
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

Programs::Programs(const std::vector<std::string>& rules, std::uint64_t seed) : seed_(seed) {
  for (const auto& rule : rules) of_program(rule, [&] { add(rule); });
}

void Programs::add(const std::string& text) {
  const auto [before, weight_text] = cut(text, "weight");
  const auto [program, condition] = cut(before, "if");
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

const Programs::Group* Programs::group_for(const Job& job) const {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
    return std::all_of(group.all_of.begin(), group.all_of.end(), [&](const auto& c) { return c.holds_for(job); });
  });
  return found == groups_.end() ? nullptr : &*found;
}

const Programs::Rule& Programs::drawn(const Group& group, JobId id) const {
  if (group.rules.size() == 1) return group.rules.front();
  double sum = 0;
  for (const auto& rule : group.rules) sum += rule.weight;
  double at = core::Random(seed_, fmt::format("program of job {}", id)).unit() * sum;
  for (const auto& rule : group.rules)
    if ((at -= rule.weight) < 0) return rule;
  return group.rules.back();
}

Program Programs::of(const Job& job, JobId id) const {
  const auto for_job = [&](Program program) {
    program.trace = filled_in(program.trace, job);
    return program;
  };
  if (!job.program.empty()) return of_program(job.program, [&] { return for_job(read_program(job.program)); });
  const auto* group = group_for(job);
  if (group == nullptr)
    core::fail_input("job {} (size {}, user {}, application {}): no --program is for it", job.id(), job.size,
                     job.notes.user, job.notes.application);
  return for_job(drawn(*group, id).program);
}

void Programs::check(const workloads::Jobs& jobs, std::int32_t nodes, std::int32_t ranks_per_node) const {
  std::set<const Group*> used;
  std::map<std::string, std::int32_t> ranks;  // by trace
  Job job;
  JobId id = 0;
  for (const auto stream = jobs.open(); stream->next(job);) {
    ++id;
    if (job.size > nodes) continue;  // that is told elsewhere, or allowed
    if (job.program.empty()) used.insert(group_for(job));
    const auto program = of(job, id);
    const auto [known, is_new] = ranks.try_emplace(program.trace, 0);
    if (is_new) known->second = workloads::open_trace(program.trace)->ranks();
    if (known->second > std::int64_t{job.size} * ranks_per_node)
      core::fail_input("job {}: '{}' has {} ranks, the job's {} nodes take {}", job.id(), core::excerpt(program.trace),
                       known->second, job.size, std::int64_t{job.size} * ranks_per_node);
  }
  for (const auto& group : groups_)
    if (!used.contains(&group)) core::fail_input("'{}' is for none of the jobs", core::excerpt(group.rules[0].text));
}

}  // namespace toroid::cosim
