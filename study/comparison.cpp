#include "study/comparison.hpp"

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "workloads/length.hpp"

namespace toroid::study {
namespace {

void check_distinct(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second) core::fail_input("'{}' is given twice", name);
}

/// Whether a word in a spec is a mapper that draws lots, unless its keys keep it from that.
bool draws_lots_by_default(const std::string& word) {
  if (!mapping::mappers().has(word)) return false;
  const auto& entry = mapping::mappers().entry(core::Spec::parse(word));
  return entry.argument.empty() && mapping::MapperChoice(word).make()->uses_seed();
}

}  // namespace

std::string_view name_of(Subject subject) {
  return subject == Subject::map ? "map" : subject == Subject::platform ? "platform" : "trace";
}

std::string_view plural_of(Subject subject) {
  return subject == Subject::map ? "mappers" : subject == Subject::platform ? "machines" : "programs";
}

Subject ComparisonSpec::subject() const {
  if (maps.size() == 1 && platforms.size() > 1) return Subject::platform;
  return maps.size() == 1 && traces.size() > 1 ? Subject::trace : Subject::map;
}

std::size_t contender_named(const ComparisonSpec& spec, const std::string& name, std::string_view what) {
  const auto subject = spec.subject();
  const auto names = spec.names().of(subject);
  if (names.size() < 2)
    core::fail_input("{} {}: expected several mappers, machines or traces to compare, found one of each", what,
                     core::excerpt(name));
  if (const auto exact = std::find(names.begin(), names.end(), name); exact != names.end())
    return static_cast<std::size_t>(exact - names.begin());
  const auto& labels = spec.labels.of(subject);
  const auto found = std::find(labels.begin(), labels.end(), name);
  if (found == labels.end())
    core::fail_input("{}: found '{}', expected one of the {}: {}", what, core::excerpt(name), plural_of(subject),
                     core::join(labels.empty() ? names : labels));
  if (std::find(found + 1, labels.end(), name) != labels.end())
    core::fail_input("{}: two {} are called '{}'; expected the name of one: {}", what, plural_of(subject),
                     core::excerpt(name), core::join(names));
  return static_cast<std::size_t>(found - labels.begin());
}

Comparison::Comparison(ComparisonSpec spec) : spec_(std::move(spec)) {
  const auto names = spec_.names();
  if (spec_.labels.platforms.empty()) spec_.labels.platforms = names.platforms;
  if (spec_.labels.traces.empty()) spec_.labels.traces = names.traces;
  if (spec_.labels.maps.empty()) spec_.labels.maps = names.maps;
  for (const auto* all : {&names.platforms, &names.traces, &names.maps}) check_distinct(*all);
  // What is wrong must not cost the study; so traces, which may take long to read, come last.
  netsim::load(spec_.engine);
  if (spec_.verify) netsim::load(netsim::reference_engine);
  for (const auto& opinion : spec_.opinions) netsim::load(opinion);
  for (const auto& map : spec_.maps) read_input(inputs_, map.text(), [&] { mappers_.push_back(map.make()); });
  for (const auto& platform : spec_.platforms)
    read_input(inputs_, platform, [&] { machines_.push_back(platforms::make_machine(platform)); });
  std::vector<ComparisonSpec::Slots> slots_on;
  for (const auto& machine : machines_) slots_on.push_back(spec_.slots(machine));
  for (const auto& trace : spec_.traces) {
    read_input(inputs_, trace.text(), [&] { traces_.push_back(trace.open()); });
    traffics_.push_back(std::make_unique<mapping::Traffic>(*traces_.back(), spec_.options.collectives, spec_.matrix));
  }
  for (const auto& slots_of : slots_on)
    for (auto& slots = slots_.emplace_back(); const auto& trace : traces_) slots.push_back(slots_of(trace->ranks()));
  std::vector<core::IdVector<workloads::Rank, workloads::RankComputation>> computed;
  for (const auto& trace : traces_) computed.push_back(workloads::computation_by_rank(*trace));
  for (const auto& machine : machines_)
    for (auto& uses = computations_.emplace_back(); const auto& by_rank : computed)
      uses.push_back(netsim::computation_use(*traces_[uses.size()], by_rank, machine, spec_.options));
  // Made here once, not in every worker.
  if (std::any_of(mappers_.begin(), mappers_.end(), [](const auto& mapper) { return mapper->uses_traffic(); }))
    for (const auto& traffic : traffics_) traffic->matrix();
  for (std::size_t p = 0; p < machines_.size(); ++p)
    for (std::size_t t = 0; t < traces_.size(); ++t)
      for (std::size_t m = 0; m < mappers_.size(); ++m) add_runs(p, t, m);
}

void Comparison::add_runs(std::size_t platform, std::size_t trace, std::size_t map) {
  if (static_cast<std::size_t>(traces_[trace]->ranks()) > slots_[platform][trace].size())
    core::fail_input("{}: {} ranks do not fit on {} slots of {}", spec_.traces[trace].text(), traces_[trace]->ranks(),
                     slots_[platform][trace].size(), spec_.platforms[platform]);
  // At once: what is wrong must not cost the study.
  const mapping::Program program{*traces_[trace], spec_.options};
  mappers_[map]->check({machines_[platform], slots_[platform][trace], *traffics_[trace], spec_.seed, &program});
  for (std::size_t r = 0; r < (draws_lots(map) ? spec_.repeats : 1); ++r) runs_.push_back({platform, trace, map, r});
}

std::set<std::string> Comparison::lots(std::size_t map) const {
  std::set<std::string> names;
  if (!draws_lots(map)) return names;
  const auto& text = spec_.maps[map].text();
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find_first_of(":,=()+", begin), text.size());
    if (const auto word = text.substr(begin, end - begin); draws_lots_by_default(word)) names.insert(word);
  }
  return names;
}

std::optional<std::uint64_t> Comparison::seed(const Run& run) const {
  return draws_lots(run.map) ? std::optional(spec_.seed + run.repetition) : std::nullopt;
}

mapping::Mapping Comparison::place(const Run& run) const {
  const mapping::Program program{*traces_[run.trace], spec_.options};
  return mapping::make_mapping(*mappers_[run.map], {machines_[run.platform], slots_[run.platform][run.trace],
                                                    *traffics_[run.trace], spec_.seed + run.repetition, &program});
}

std::optional<double> Comparison::equal_tokens() const {
  if (spec_.subject() != Subject::trace) return std::nullopt;
  double least = 0, most = 0;
  for (const auto& trace : traces_) {
    const auto work = trace->training();
    if (!work || work->tokens <= 0) return std::nullopt;
    least = most == 0 ? work->tokens : std::min(least, work->tokens);
    most = std::max(most, work->tokens);
  }
  return least < most ? std::optional(most) : std::nullopt;
}

double Comparison::time_factor(std::size_t trace) const {
  const auto tokens = equal_tokens();
  return tokens ? *tokens / traces_[trace]->training()->tokens : 1;
}

double Comparison::operations() const {
  std::vector<double> lengths;
  for (const auto& trace : traces_) lengths.push_back(workloads::about_length(*trace));
  double sum = 0;
  for (const auto& run : runs_) sum += lengths[run.trace];
  return sum;
}

const netsim::EngineChoice& Comparison::engine(std::size_t task) const {
  static const netsim::EngineChoice reference = netsim::reference_engine;
  const auto block = this->block(task);
  return block == verifying ? reference : block < first_opinion ? spec_.engine : spec_.opinions[block - first_opinion];
}

std::string Comparison::work(std::size_t task) const {
  const Run& run = runs_[task % runs_.size()];
  auto options = spec_.options;
  if (block(task) == with_computation) options.compute_scale = 1;
  return core::json_text(measures_json(measures_of(
      netsim::run_in_process({machines_[run.platform], *traces_[run.trace], place(run), options, engine(task)}))));
}

}  // namespace toroid::study
