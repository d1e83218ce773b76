#include "cli/commands/simulate.hpp"
#include "core/units.hpp"
#include "platforms/names.hpp"

namespace toroid::cli {

namespace {

using cosim::JobDescription;

const std::vector<std::string> keys{"name", "map", "start", "repeat", "seed", "ranks-per-node"};

template <class Number>
Number parse_whole(std::string_view text, std::string_view key, Number least, Number most) {
  const auto number = core::parse_number<Number>(text);
  if (!number || *number < least || *number > most)
    core::fail_input("{}={}: expected a whole number from {} to {}", key, core::excerpt(text), least, most);
  return *number;
}

std::uint32_t parse_rounds(std::string_view text) {
  if (text == "until-end") return netsim::until_end;
  const auto number = core::parse_number<std::uint32_t>(text);
  if (!number || *number == 0)
    core::fail_input("repeat={}: expected until-end, or a whole number of 1 or more", core::excerpt(text));
  return *number;
}

void set(JobDescription& job, std::string_view key, std::string_view value) {
  if (key == "name") job.name = value;
  if (key == "map") job.map = value;
  if (key == "start") job.start = core::parse_duration(value, "start");
  if (key == "repeat") job.rounds = parse_rounds(value);
  if (key == "seed") job.seed = parse_whole<std::uint64_t>(value, key, 0, ~std::uint64_t{0});
  if (key == "ranks-per-node") job.ranks_per_node = parse_whole<std::int32_t>(value, key, 1, 1'000'000);
}

/// Where the first such character stands that is in no parentheses; npos if there is none.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && text[at] == wanted) return at;
    depth += (text[at] == '(') - (text[at] == ')');
  }
  return std::string_view::npos;
}

bool generator_has(std::string_view generator, std::string_view key) {
  for (const auto& entry : workloads::generators().entries())
    if (entry.name == generator)
      return std::ranges::any_of(entry.parameters, [&](const auto& p) { return p.name == key; });
  return false;
}

/// `part` stands after a comma, `trace` before the first one. A key of the trace must not be taken for one of the job.
void check_key(std::string_view part, std::string_view trace) {
  const auto key = core::trim(part.substr(0, part.find('=')));
  const auto generator = core::trim(trace.substr(0, trace.find(':')));
  const auto at = std::min(part.find('@'), part.size());
  if (trace.find(':') != std::string_view::npos && generator_has(generator, key))
    core::fail_input("'{}' is a key of {}: a TRACE with commas stands in parentheses, ({},{}){}", core::excerpt(key),
                     generator, core::excerpt(trace), core::excerpt(part.substr(0, at)),
                     core::excerpt(part.substr(at)));
  if (part.find('=') == std::string_view::npos)
    core::fail_input("found '{}', expected key=value; a list of nodes with commas stands in parentheses, @(0-15,20)",
                     core::excerpt(part));
  if (std::ranges::find(keys, key) == keys.end())
    core::fail_input("a job has no key '{}'{}", core::excerpt(key), core::valid_instead(key, keys));
}

/// The `number`-th job, from 0.
JobDescription parse_job(std::string_view text, const SimulateOptions& o, std::size_t number) {
  if (std::ranges::count(text, '(') != std::ranges::count(text, ')')) core::fail_input("the parentheses do not match");
  const auto parts = core::split(text, ',');
  const auto at = find_outside(parts[0], '@');
  const auto trace = core::trim(parts[0].substr(0, at));
  const std::string source(core::unwrap(trace));
  if (source.empty()) core::fail_input("expected a TRACE first, such as cg@0-15,start=1ms");
  refuse_swapped("TRACE", source);
  auto job = usual_job(o, fmt::format("job{}", number + 1), source, number);
  if (at != std::string_view::npos) {
    const std::string where(core::unwrap(core::trim(parts[0].substr(at + 1))));
    if (where.empty()) core::fail_input("found nothing after @, expected nodes such as 0-15, or an allocator");
    if (platforms::is_node_list(where, alloc::allocators().names()))
      job.nodes = where;
    else
      job.allocator = where;
  }
  std::set<std::string_view> given;
  for (const auto part : std::vector(parts.begin() + 1, parts.end())) {
    check_key(part, trace);
    const auto key = core::trim(part.substr(0, part.find('=')));
    const auto value = core::unwrap(core::trim(part.substr(part.find('=') + 1)));
    if (value.empty()) core::fail_input("{}: found no value", key);
    if (!given.insert(key).second) core::fail_input("'{}' is given twice", key);
    set(job, key, value);
  }
  return job;
}

}  // namespace

JobDescription usual_job(const SimulateOptions& o, std::string name, const std::string& trace, std::size_t number) {
  JobDescription job{.name = std::move(name),
                     .trace = trace,
                     .map = o.map,
                     .ranks_per_node = o.placement.ranks_per_node,
                     .seed = o.seed + number};
  if (o.placement.alloc) job.allocator = *o.placement.alloc;
  return job;
}

std::vector<JobDescription> parse_jobs(const SimulateOptions& o) {
  std::vector<JobDescription> jobs;
  for (const auto& text : o.jobs)
    core::in_context(fmt::format("--job '{}'", core::excerpt(text)), [&] {
      auto job = parse_job(text, o, jobs.size());
      for (const auto& other : jobs)
        if (other.name == job.name) core::fail_input("another job is called '{}', too", core::excerpt(job.name));
      jobs.push_back(std::move(job));
    });
  return jobs;
}

}  // namespace toroid::cli
