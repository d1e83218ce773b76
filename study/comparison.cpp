#include "toroid/study/comparison.hpp"

#include "study/draws.hpp"
#include "study/tasks/parts.hpp"
#include "toroid/netsim/run.hpp"
#include "workloads/amounts.hpp"

namespace toroid::study {

namespace {

/// Whether a word in a spec is a mapper that draws lots, unless its keys keep it from that.
bool draws_lots_by_default(const std::string& word) {
  if (!mapping::mappers().has(word)) return false;
  const auto& entry = mapping::mappers().entry(core::Spec::parse(word));
  return entry.argument.empty() && mapping::MapperChoice(word).make()->uses_seed();
}

using Slots = std::vector<mapping::NodeId>;

/// The slots of a trace. None where the allocator has no nodes for it, if others may have: its runs fail then, and the
/// study goes on.
Slots slots_if_any(const cosim::Placement::Slots& slots_of, const workloads::Trace& trace, const ComparisonSpec& spec) {
  try {
    return slots_of(trace.ranks());
  } catch (const core::InputError&) {
    if (spec.placements.size() == 1) throw;
    return {};
  }
}

/// What a run gave, or nothing if it failed. Throws InputError where a journal has something else.
std::optional<Measures> measures_in(const Json& result) {
  auto measures = measures_from(result);
  if (!measures && !result.is_null()) core::fail_input("found no measures of a run, expected those that toroid writes");
  return measures;
}

/// A row for each run of the part, in each of the blocks of tasks from `first` on, below `end`.
std::vector<std::vector<Row>> run_blocks(const Comparison& comparison, Executor& executor, Journal* journal,
                                         std::size_t first, std::size_t end, const Part& part) {
  const auto runs = comparison.runs().size();
  TOROID_ASSERT(first <= end && end <= Comparison::first_opinion + comparison.opinions());
  const auto [begin, end_of_part] = part.range(runs);
  std::vector<Row> rows;
  for (auto run = begin; run < end_of_part; ++run) rows.push_back({comparison.runs()[run]});
  std::vector<std::vector<Row>> blocks(end - first, rows);
  std::vector<std::size_t> tasks;
  for (auto block = first; block < end; ++block)
    for (auto run = begin; run < end_of_part; ++run) tasks.push_back(block * runs + run);
  do_tasks("simulating", tasks, task_names(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = blocks[comparison.block(task) - first][task % runs - begin];
             row.measures = measures_in(result);
             row.error = error;
           });
  return blocks;
}

/// Runs that some rows have besides their own: the block of their tasks, and what a row keeps of its run.
struct Again {
  const char* title;
  std::size_t block;
  std::optional<double> Row::*time;
  std::string Row::*error;
};
constexpr Again verifying_runs{"verifying", Comparison::verifying, &Row::verified_runtime, &Row::verification_error},
    whole_runs{"with computation", Comparison::with_computation, &Row::with_computation, &Row::with_computation_error};

/// Does the rows of these numbers again. The rows begin with that of run `begin`.
void run_again(const Again& again, const std::vector<std::size_t>& numbers, const Comparison& comparison,
               Executor& executor, Journal* journal, std::size_t begin, std::vector<Row>& rows) {
  const auto first = again.block * comparison.runs().size() + begin;
  std::vector<std::size_t> tasks;
  for (const auto number : numbers) tasks.push_back(first + number);
  do_tasks(again.title, tasks, task_names(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             TOROID_ASSERT(task >= first && task - first < rows.size());
             auto& row = rows[task - first];
             if (const auto measures = measures_in(result)) row.*again.time = measures->runtime;
             row.*again.error = error;
           });
}

}  // namespace

Factor ComparisonSpec::subject() const {
  if (maps.size() > 1) return Factor::map;
  if (placements.size() > 1) return Factor::alloc;
  if (collectives.size() > 1) return Factor::collectives;
  if (platforms.size() > 1 && !paired) return Factor::platform;
  return traces.size() > 1 ? Factor::trace : Factor::map;
}

Names ComparisonSpec::names() const {
  Names names{core::texts_of(platforms), core::texts_of(traces), core::texts_of(maps)};
  for (std::size_t i = 0; paired && i < traces.size(); ++i)
    names.traces[i] = fmt::format("{} {}", names.platforms[i], names.traces[i]);
  if (paired) names.platforms = {"paired"};
  if (placements.size() > 1 || placements.front().alloc) names.allocs = core::texts_of(placements);
  if (collectives.size() > 1) names.collectives = core::texts_of(collectives);
  return names;
}

std::size_t contender_named(const ComparisonSpec& spec, const std::string& name, std::string_view what) {
  const auto subject = spec.subject();
  const auto names = spec.names().of(subject);
  if (names.size() < 2)
    core::fail_input(
        "{} {}: expected several mappers, allocators, collectives, machines or traces to compare, found one of each",
        what, core::excerpt(name));
  if (const auto exact = std::ranges::find(names, name); exact != names.end())
    return static_cast<std::size_t>(exact - names.begin());
  const auto& labels = spec.labels.of(subject);
  const auto found = std::ranges::find(labels, name);
  if (found == labels.end())
    core::fail_input("{}: found '{}', expected one of the {}: {}", what, core::excerpt(name), plural_of(subject),
                     core::join(labels.empty() ? names : labels));
  if (std::find(found + 1, labels.end(), name) != labels.end())
    core::fail_input("{}: two {} are called '{}'; expected the name of one: {}", what, plural_of(subject),
                     core::excerpt(name), core::join(names));
  return static_cast<std::size_t>(found - labels.begin());
}

Comparison::~Comparison() = default;
Comparison::Comparison(Comparison&&) noexcept = default;

Comparison::Comparison(ComparisonSpec spec) : spec_(std::move(spec)) {
  if (spec_.collectives.empty()) spec_.collectives = {spec_.options.collectives};
  TOROID_ASSERT(!spec_.paired || spec_.platforms.size() == spec_.traces.size());
  const auto names = spec_.names();
  names.check_distinct();
  spec_.labels = spec_.labels.or_else(names);
  // What is wrong must not cost the study; so traces, which may take long to read, come last.
  netsim::load(spec_.engine);
  if (spec_.verify) netsim::load(netsim::reference_engine);
  for (const auto& opinion : spec_.opinions) netsim::load(opinion);
  for (const auto& map : spec_.maps) read_input(inputs_, map.text(), [&] { mappers_.push_back(map.make()); });
  for (const auto& platform : spec_.platforms)
    read_input(inputs_, platform.text(), [&] {
      draws_.push_back(spec_.draws > 0 ? draw_machines(platform, spec_.draws, spec_.seed) : Draws{});
      machines_.push_back(spec_.draws > 0 ? middle_machine(platform) : platform.machine());
    });
  if (spec_.draws > 0) check_intervals(draws_, core::join(core::texts_of(spec_.platforms)), spec_.engine);
  std::vector<netsim::EngineChoice> engines{spec_.engine};
  engines.insert(engines.end(), spec_.opinions.begin(), spec_.opinions.end());
  std::vector<platforms::Description> told_apart;
  for (std::size_t p = 0; p < machines_.size(); ++p)
    told_apart.push_back(spec_.draws > 0 ? draws_[p].machines.front() : machines_[p].description());
  if (!spec_.paired) netsim::expect_told_apart(told_apart, engines);
  for (const auto& engine : engines) {
    std::map<std::string, std::set<std::string>> told_of;  // machines by remark
    for (std::size_t p = 0; p < machines_.size(); ++p)
      for (const auto& remark : netsim::remarks(engine, machines_[p], draws_[p].properties()))
        told_of[remark].insert(machines_[p].name());
    for (const auto& [remark, on] : told_of)
      remarks_.push_back(fmt::format("{} on {}: {}", engine.text(), fmt::join(on, ", "), remark));
  }
  // Placements are judged before the traces are read.
  std::vector<std::vector<cosim::Placement::Slots>> slots_on;
  for (const auto& machine : machines_) {
    auto& lots = lots_of_nodes_.emplace_back();
    auto& slots = slots_on.emplace_back();
    for (const auto& placement : spec_.placements) {
      lots.push_back(spec_.placements.size() > 1 ? placement.lots(machine) : std::set<std::string>());
      slots.push_back(placement.slots_on(machine, spec_.seed));
    }
  }
  for (const auto& trace : spec_.traces) {
    read_input(inputs_, trace.text(), [&] { traces_.push_back(trace.open()); });
    for (auto& traffics = traffics_.emplace_back(); const auto& choice : spec_.collectives)
      traffics.push_back(std::make_unique<mapping::Traffic>(*traces_.back(), choice, spec_.matrix));
  }
  for (std::size_t p = 0; p < machines_.size(); ++p)
    for (auto& by_trace = slots_.emplace_back(); const auto& trace : traces_)
      for (auto& slots = by_trace.emplace_back(); const auto& slots_of : slots_on[p])
        if (!spec_.paired || p + 1 == by_trace.size())
          slots.push_back(lots_of_nodes_[p][slots.size()].empty() ? slots_if_any(slots_of, *trace, spec_) : Slots{});
  std::vector<core::IdVector<workloads::Rank, workloads::RankComputation>> computed;
  for (const auto& trace : traces_) computed.push_back(workloads::computation_by_rank(*trace));
  for (const auto& machine : machines_)
    for (auto& uses = computations_.emplace_back(); const auto& by_rank : computed)
      uses.push_back(netsim::computation_use(*traces_[uses.size()], by_rank, machine, spec_.options));
  // Made here once, not in every worker.
  if (std::ranges::any_of(mappers_, [](const auto& mapper) { return mapper->uses_traffic(); }))
    for (const auto& traffics : traffics_)
      for (const auto& traffic : traffics) traffic->matrix();
  for (const auto& run : names.combinations()) add_runs(run);
}

void Comparison::add_runs(Run run) {
  const auto& trace = *traces_[run.trace];
  if (const auto& slots = slots_[machine_of(run)][run.trace][run.alloc]; !slots.empty()) {
    if (static_cast<std::size_t>(trace.ranks()) > slots.size())
      core::fail_input("{}: {} ranks do not fit on {} slots of {}", spec_.traces[run.trace].text(), trace.ranks(),
                       slots.size(), spec_.platforms[machine_of(run)].text());
    // At once: what is wrong must not cost the study.
    const mapping::Program program{trace, options(run)};
    mappers_[run.map]->check(
        {machines_[machine_of(run)], slots, *traffics_[run.trace][run.collectives], spec_.seed, &program});
  }
  const auto repeats = draws_lots(run) ? spec_.repeats : 1;
  for (run.repetition = 0; run.repetition < repeats; ++run.repetition) runs_.push_back(run);
}

std::vector<mapping::NodeId> Comparison::slots(const Run& run) const {
  if (const auto& known = slots_[machine_of(run)][run.trace][run.alloc]; !known.empty()) return known;
  const auto slots_of = spec_.placements[run.alloc].slots_on(machines_[machine_of(run)], spec_.seed + run.repetition);
  return slots_of(traces_[run.trace]->ranks());
}

std::set<std::string> Comparison::lots(const Run& run) const {
  auto names = lots_of_nodes(run);
  if (!mappers_[run.map]->uses_seed()) return names;
  const auto& text = spec_.maps[run.map].text();
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find_first_of(":,=()+", begin), text.size());
    if (const auto word = text.substr(begin, end - begin); draws_lots_by_default(word)) names.insert(word);
  }
  return names;
}

std::optional<std::uint64_t> Comparison::seed(const Run& run) const {
  return draws_lots(run) ? std::optional(spec_.seed + run.repetition) : std::nullopt;
}

netsim::ReplayOptions Comparison::options(const Run& run) const {
  auto options = spec_.options;
  options.collectives = spec_.collectives[run.collectives];
  return options;
}

mapping::Mapping Comparison::place(const Run& run) const {
  const mapping::Program program{*traces_[run.trace], options(run)};
  return mapping::make_mapping(*mappers_[run.map],
                               {machines_[machine_of(run)], slots(run), *traffics_[run.trace][run.collectives],
                                spec_.seed + run.repetition, &program});
}

bool Comparison::is_of_communication() const {
  return std::ranges::all_of(computations_, [](const auto& by_trace) {
    return std::ranges::all_of(by_trace, &netsim::ComputationUse::is_left_out);
  });
}

bool Comparison::compares_trainings() const {
  return traces_.size() > 1 && std::ranges::all_of(traces_, [](const auto& trace) {
           const auto work = trace->training();
           return work && work->tokens > 0;
         });
}

std::optional<double> Comparison::equal_tokens() const {
  if (!compares_trainings()) return std::nullopt;
  double least = traces_.front()->training()->tokens, most = least;
  for (const auto& trace : traces_) {
    least = std::min(least, trace->training()->tokens);
    most = std::max(most, trace->training()->tokens);
  }
  return least < most ? std::optional(most) : std::nullopt;
}

double Comparison::chips(const Run& run) const {
  const auto& machine = machines_[machine_of(run)];
  double cores = 1;  // a chip has so many; slices may follow as one more dimension
  for (const auto& dimension : machine.description().dimensions)
    if (dimension.name == "core") cores = dimension.extent;
  return static_cast<double>(machine.compute_nodes().size()) / cores;
}

std::optional<double> Comparison::equal_chips() const {
  if (!spec_.paired || !compares_trainings()) return std::nullopt;
  std::set<double> all;
  for (std::size_t i = 0; i < traces_.size(); ++i) all.insert(chips({.trace = i}));
  return all.size() > 1 ? std::optional(*all.rbegin()) : std::nullopt;
}

double Comparison::time_factor(std::size_t trace) const {
  const auto tokens = equal_tokens(), most_chips = equal_chips();
  return (tokens ? *tokens / traces_[trace]->training()->tokens : 1) *
         (most_chips ? chips({.trace = trace}) / *most_chips : 1);
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
  if (block == verifying) return reference;
  return block < first_opinion || draw(task) ? spec_.engine : spec_.opinions[block - first_opinion];
}

std::optional<std::size_t> Comparison::draw(std::size_t task) const {
  const auto block = this->block(task), first = first_opinion + first_draw();
  return block < first ? std::nullopt : std::optional(block - first);
}

std::string Comparison::work(std::size_t task) const {
  TOROID_ASSERT(block(task) < first_opinion + opinions());
  const Run& run = runs_[task % runs_.size()];
  auto options = this->options(run);
  if (block(task) == with_computation) options.compute_scale = 1;
  const bool has_no_interval = block(task) == verifying || block(task) == with_computation;
  if (has_no_interval && options.repeats == netsim::Repeats::sample) options.repeats = netsim::Repeats::exact;
  const auto run_on = [&](const platforms::Machine& machine) {
    return core::json_text(measures_json(
        measures_of(netsim::run_in_process({machine, *traces_[run.trace], place(run), options, engine(task)}))));
  };
  const auto number = draw(task);
  return number ? run_on(platforms::Machine(draws_[machine_of(run)].machines[*number]))
                : run_on(machines_[machine_of(run)]);
}

NameTask task_names(const Comparison& comparison) {
  return [&comparison](std::size_t task) -> Json {
    const auto& spec = comparison.spec();
    const auto& run = comparison.runs()[task % comparison.runs().size()];
    const auto seed = comparison.seed(run);
    Json name{{"platform", spec.platforms[comparison.machine_of(run)].text()},
              {"trace", spec.traces[run.trace].text()},
              {"map", spec.maps[run.map].text()},
              {"seed", seed ? Json(*seed) : Json()},
              {"engine", comparison.engine(task).text()}};
    if (const auto& placement = spec.placements[run.alloc]; placement.alloc) name["alloc"] = placement.text();
    if (spec.collectives.size() > 1) name["collectives"] = spec.collectives[run.collectives].text();
    if (comparison.block(task) == Comparison::with_computation) name["with_computation"] = true;
    if (const auto draw = comparison.draw(task)) {
      name["draw"] = *draw;
      name["draws_seed"] = spec.seed;
    }
    return name;
  };
}

std::vector<std::vector<Row>> run_opinions(const Comparison& comparison, Executor& executor, Journal* journal,
                                           std::size_t first, std::size_t end, const Part& part) {
  return run_blocks(comparison, executor, journal, Comparison::first_opinion + first, Comparison::first_opinion + end,
                    part);
}

std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal, const Part& part) {
  auto rows = run_blocks(comparison, executor, journal, 0, 1, part).front();
  const auto begin = part.range(comparison.runs().size()).first;
  std::vector<std::size_t> best, typical;
  for (const auto& group : groups_of(rows)) {
    if (group.best) best.push_back(*group.best);
    if (group.typical && comparison.computation(group.run.platform, group.run.trace).is_left_out())
      typical.push_back(*group.typical);
  }
  if (comparison.spec().verify) run_again(verifying_runs, best, comparison, executor, journal, begin, rows);
  if (part.of == 1) run_again(whole_runs, typical, comparison, executor, journal, begin, rows);
  return rows;
}

void add_failures(const Comparison& comparison, const std::vector<Row>& rows, const Part& part,
                  std::optional<std::size_t> opinion, Journal& journal) {
  const auto name = task_names(comparison);
  const auto count = comparison.runs().size(), begin = part.range(count).first;
  const auto add = [&](std::size_t block, std::size_t row, const std::string& error) {
    if (!error.empty()) journal.add_failure(name(block * count + begin + row), error);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(opinion ? Comparison::first_opinion + *opinion : 0, i, rows[i].error);
    add(Comparison::verifying, i, rows[i].verification_error);
  }
}

std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal) {
  return run_study(comparison, executor, journal, {});
}

}  // namespace toroid::study
