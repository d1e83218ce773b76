#include "study/advice/advice.hpp"

#include <cmath>

#include "netsim/network.hpp"
#include "study/documents/fields.hpp"
#include "toroid/netsim/result_json.hpp"
#include "workloads/amounts.hpp"

namespace toroid::study {
namespace {

using mapping::MapperChoice;
using mapping::Mapping;

// About how many steps a run takes for each thing that it handles.
constexpr double steps_of_message = 100, steps_of_packet_hop = 10;

const char* const lots = "random";

class Adviser {
 public:
  Adviser(const AdviceRequest& request, std::size_t workers) : request_(request), workers_(workers), left_(share()) {
    list_mappers();
  }

  /// Judges what can be judged before any search.
  void check() const {
    mapping::check_room(request_.machine, request_.trace.ranks(), request_.slots.size());
    const mapping::Program program{request_.trace, request_.options};
    for (const auto& maker : makers_) maker->check(problem(0, program, nullptr));
  }

  Advice advise() {
    check();
    advice_.computation = netsim::computation_use(request_.trace, workloads::computation_by_rank(request_.trace),
                                                  request_.machine, request_.options);
    advice_.is_idle = request_.traffic.matrix().total_messages() == 0;  // made here once, not in every worker
    note(netsim::fast_engine);
    search_baseline();
    if (advice_.is_idle) return std::move(advice_);
    search_all(false);
    choose();
    request_.first_answer(advice_);
    search_all(true);
    choose();
    if (advice_.computation.is_left_out())
      look(SecondLook::Kind::computation, netsim::fast_engine, steps_of_run());
    else if (advice_.computation.all_ranks_s > 0)
      look(SecondLook::Kind::communication, netsim::fast_engine, steps_of_run());
    find_limits();
    try_changes();
    look(SecondLook::Kind::engine, netsim::router_engine, steps_of_packets(advice_.taken().mapping));
    try_algorithms();
    look(SecondLook::Kind::reference, netsim::reference_engine, steps_of_reference(advice_.without().mapping));
    if (request_.machine.description().router.routing == platforms::Routing::dimension_order)
      look(SecondLook::Kind::engine, fmt::format("{}:routing=adaptive", netsim::router_engine),
           steps_of_packets(advice_.taken().mapping));
    const bool splits = request_.machine.description().router.ties == platforms::Ties::split;
    if (has_ties(request_.machine))
      look(SecondLook::Kind::engine, fmt::format("{}:ties={}", netsim::router_engine, splits ? "rule" : "split"),
           steps_of_packets(advice_.taken().mapping));
    TOROID_ASSERT(advice_.advised < advice_.tried.size() && !advice_.taken().mapping.empty());
    return std::move(advice_);
  }

 private:
  /// A search of a mapper, by its number in the advice.
  struct Search {
    std::size_t map, number;
  };
  struct Found {
    std::size_t number;
    double time;
    Mapping mapping;
    std::vector<std::string> notes;
    std::string algorithms;
  };

  void list_mappers() {
    add(request_.baseline);
    add(MapperChoice(std::string_view(lots)));
    for (const auto& map : request_.maps)
      if (std::ranges::none_of(advice_.tried, [&](const Tried& t) { return t.map == map; })) add(map);
    double searches = 0;
    for (const auto& one : advice_.tried)
      if (takes_budget(one.map)) searches += static_cast<double>(one.map.make()->uses_seed() ? request_.repeats : 1);
    constexpr double millions = 1e-6;
    const double each = std::max(1.0, std::floor(share() / std::max(1.0, searches) * millions));
    for (const auto& one : advice_.tried) takes_budget_.push_back(takes_budget(one.map));
    for (auto& one : advice_.tried)
      if (takes_budget(one.map)) one.map = mapping::with_key(one.map, "budget", fmt::format("{:.0f}", each));
    for (const auto& one : advice_.tried) makers_.push_back(one.map.make());
    found_.resize(makers_.size());
  }

  void add(const MapperChoice& map) { advice_.tried.push_back({.map = map}); }

  static bool takes_budget(const MapperChoice& map) {
    return map.takes("budget") && !map.arguments().spec().find("budget");
  }

  /// Steps that all searches may take, and all checks.
  double share() const { return request_.budget * steps_of_budget / 2; }

  mapping::MappingProblem problem(std::size_t number, const mapping::Program& program,
                                  std::vector<std::string>* notes) const {
    return {request_.machine, request_.slots, request_.traffic, request_.seed + number, &program, notes};
  }

  /// The first search of the baseline: without its run nothing is known, not even what runs cost.
  void search_baseline() {
    do_searches({{Advice::baseline, 0}});
    if (found_[Advice::baseline].empty()) throw core::SimulationError(advice_.tried[Advice::baseline].error);
    settle(Advice::baseline);
  }

  /// All other searches, by mappers that take a budget or by those that do not. The runs of all mappings by lot
  /// together may cost a tenth of the budget, those of another mapper that draws lots a quarter, but there is always
  /// one. Each search has the budget that it has where there are as many as asked: runs take the rest.
  void search_all(bool with_budget) {
    const auto affordable = [&](double steps) {
      const auto runs = static_cast<std::size_t>(std::max(1.0, steps / std::max(1.0, steps_of_run())));
      return std::min(request_.repeats, runs);
    };
    std::vector<Search> searches;
    for (std::size_t m = 0; m < makers_.size(); ++m) {
      if (takes_budget_[m] != with_budget) continue;
      const auto wanted = makers_[m]->uses_seed() ? affordable(share() / (m == Advice::by_lot ? 5 : 2)) : 1;
      for (std::size_t r = m == Advice::baseline ? 1 : 0; r < wanted; ++r) searches.push_back({m, r});
    }
    do_searches(searches);
    for (std::size_t m = 0; m < makers_.size(); ++m) settle(m);
  }

  /// Maps, and simulates what was found.
  void do_searches(const std::vector<Search>& searches) {
    const mapping::Program program{request_.trace, request_.options};
    const auto done = run_all("mapping", searches.size(), workers_, [&](std::size_t task) {
      std::vector<std::string> notes;
      const auto [map, number] = searches[task];
      const auto mapping = mapping::make_mapping(*makers_[map], problem(number, program, &notes));
      const auto result =
          netsim::run_in_process({request_.machine, request_.trace, mapping, request_.options, netsim::fast_engine});
      auto kinds = Json::array();
      double calls = 0;
      for (const auto& use : result.collectives) {
        kinds.push_back(workloads::collective_algorithms()[use.algorithm].kind);
        calls += static_cast<double>(use.calls);
      }
      return Json{{"runtime_s", result.runtime},
                  {"mapping", mapping},
                  {"notes", notes},
                  {"algorithms", netsim::collectives_in_words(result.collectives)},
                  {"kinds", kinds},
                  {"calls", calls * ratio(static_cast<double>(simulated_messages(result)),
                                          static_cast<double>(result.messages))},
                  {"messages", simulated_messages(result)}};
    });
    for (std::size_t i = 0; i < searches.size(); ++i) take(searches[i], done[i]);
  }

  /// The messages of a run, but those of iterations that were passed over.
  static std::uint64_t simulated_messages(const netsim::Result& result) {
    auto messages = result.messages;
    for (const auto& repeated : result.repeated) messages -= repeated.messages;
    return messages;
  }

  void take(const Search& search, const Done& done) {
    auto& tried = advice_.tried[search.map];
    const auto& result = done.result;
    if (result.is_null()) {
      if (tried.error.empty()) tried.error = done.error;
      return;
    }
    messages_ = std::max(messages_, result["messages"].get<double>());
    calls_ = std::max(calls_, result["calls"].get<double>());
    for (const workloads::OpKind kind : result["kinds"]) kinds_.insert(kind);
    tried.times.push_back(result["runtime_s"]);
    found_[search.map].push_back({search.number, result["runtime_s"],
                                  Mapping(result["mapping"].get<std::vector<platforms::NodeId>>()),
                                  result["notes"].get<std::vector<std::string>>(), result["algorithms"]});
  }

  /// Chooses the search that stands for a mapper. A user who takes the advice takes the fastest; what a baseline that
  /// draws lots gives without advice is its median, the lower one of two.
  void settle(std::size_t map) {
    auto all = found_[map];
    if (all.empty()) return;
    std::ranges::stable_sort(all, [](const Found& a, const Found& b) { return a.time < b.time; });
    const auto& one = all[map == Advice::baseline ? (all.size() - 1) / 2 : 0];
    auto& tried = advice_.tried[map];
    tried.search = one.number;
    tried.time = one.time;
    tried.mapping = one.mapping;
    tried.notes = one.notes;
    tried.algorithms = one.algorithms;
  }

  void choose() {
    advice_.advised = Advice::baseline;
    double least = advice_.without().time * (1 - Advice::margin);
    for (std::size_t i = 1; i < advice_.tried.size(); ++i)
      if (const auto& one = advice_.tried[i]; !one.times.empty() && one.time < least) {
        least = one.time;
        advice_.advised = i;
      }
  }

  /// Takes that much work off what is left for checks, if that is enough. If not, returns the reason.
  std::string spend(double steps) {
    advice_.needed_budget += 2 * steps / steps_of_budget;
    if (steps > left_)
      return fmt::format("not asked: would take about {:.0f} s, more than is left of the budget",
                         std::ceil(steps / steps_of_budget));
    left_ -= steps;
    return {};
  }

  double steps_of_run() const { return steps_of_message * messages_; }
  /// About the steps of a run that passes over nothing.
  double steps_of_whole_run() const {
    return steps_of_message * static_cast<double>(request_.traffic.matrix().total_messages());
  }
  /// The sum over all pairs of ranks that have messages of the hops between them times what weight(cell) says.
  template <class Weight>
  double hops(const Mapping& mapping, Weight weight) const {
    const auto& matrix = request_.traffic.matrix();
    double sum = 0;
    for (const auto from : matrix.rows.ids())
      for (const auto& cell : matrix.rows[from])
        sum += request_.machine.hops(mapping[from], mapping[cell.to]) * weight(cell);
    return sum;
  }
  double steps_of_packets(const Mapping& mapping) const {
    const auto packet = static_cast<double>(request_.machine.description().router.packet_bytes);
    const auto packets = [&](const auto& cell) {
      return static_cast<double>(cell.messages) + static_cast<double>(cell.bytes) / packet;
    };
    return steps_of_whole_run() + steps_of_packet_hop * hops(mapping, packets);
  }
  /// SimGrid passes over nothing, and where a message begins or ends it looks at the links of many others: about four
  /// steps for each hop of a message, times the ranks, or up to ten times as many or as few.
  double steps_of_reference(const Mapping& mapping) const {
    constexpr double messages_of_fluid = 5, steps_of_link = 4;
    const double all_hops = hops(mapping, [](const auto& cell) { return static_cast<double>(cell.messages); });
    return messages_of_fluid * steps_of_whole_run() + steps_of_link * request_.trace.ranks() * all_hops;
  }

  /// Runs the baseline and the advice, once where they are the same, in another way, which takes so many steps each.
  /// Computation hides what mappings do to messages, so without it all that were tried stand beside a baseline that
  /// stays.
  void look(SecondLook::Kind kind, std::string_view engine, double steps) {
    SecondLook look{.kind = kind, .engine = std::string(engine), .map = advice_.advised};
    std::optional<double> scale;
    if (kind == SecondLook::Kind::computation) scale = 1;
    if (kind == SecondLook::Kind::communication) scale = 0;
    std::vector<std::size_t> maps{Advice::baseline};
    for (std::size_t i = 1; i < advice_.tried.size(); ++i)
      if (i == look.map || (scale == 0 && advice_.keeps_baseline() && !advice_.tried[i].times.empty()))
        maps.push_back(i);
    std::vector<netsim::Run> probes;
    for (const auto map : maps) probes.push_back(probe(request_.machine, engine, advice_.tried[map].mapping, scale));
    look.left_out = spend(steps * static_cast<double>(probes.size()));
    if (look.left_out.empty()) take(look, probes, maps);
    advice_.looks.push_back(std::move(look));
  }

  void note(const netsim::EngineChoice& engine) {
    for (const auto& remark : netsim::remarks(engine, request_.machine))
      if (std::ranges::find(advice_.remarks, remark) == advice_.remarks.end()) advice_.remarks.push_back(remark);
  }

  void take(SecondLook& look, const std::vector<netsim::Run>& probes, const std::vector<std::size_t>& maps) {
    try {
      netsim::load(std::string_view(look.engine));
      note(std::string_view(look.engine));
    } catch (const core::InputError& error) {  // the engine is not there, or cannot have such a machine
      look.left_out = fmt::format("not possible: {}", error.what());
      return;
    }
    const auto results = run(probes, "checking");
    for (const auto& result : results)
      if (result.result.is_null() && look.left_out.empty()) look.left_out = "failed: " + result.error;
    if (!look.left_out.empty()) return;
    look.baseline = look.advised = results.front().result["runtime_s"];
    for (std::size_t i = 1; i < results.size(); ++i)
      if (const double time = results[i].result["runtime_s"]; i == 1 || time < look.advised) {
        look.advised = time;
        look.map = maps[i];
      }
  }

  /// What the run of the advice is made of; with its computation, too, where that is left out.
  void find_limits() {
    // Nothing is passed over, and the log of causes doubles the time.
    advice_.no_limits = spend(2 * steps_of_whole_run());
    if (!advice_.no_limits.empty()) return;
    const auto& mapping = advice_.taken().mapping;
    std::vector<netsim::Run> probes{probe(request_.machine, netsim::fast_engine, mapping)};
    constexpr std::size_t windows = 64;
    probes[0].job().options.log_causes = true;
    probes[0].windows = windows;
    probes[0].keep_windows = true;
    if (advice_.computation.is_left_out()) probes.push_back(probe(request_.machine, netsim::fast_engine, mapping, 1));
    const auto results = run(probes, "looking");
    const auto& first = results[0].result;
    if (first.is_null()) {
      advice_.no_limits = "failed: " + results[0].error;
      return;
    }
    Limits limits{.measures = *measures_from(first), .waiting_for_partners = first["waiting"], .losses = {}};
    for (const auto& [links, seconds] : first["losses"].items()) limits.losses.push_back({links, seconds});
    std::ranges::stable_sort(limits.losses, [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    if (results.size() > 1) limits.whole = measures_from(results[1].result);
    advice_.limits = std::move(limits);
  }

  void try_changes() {
    const auto changes = usual_changes(request_.machine);
    const std::size_t ways = advice_.computation.is_left_out() ? 2 : 1;
    advice_.no_effects = spend(static_cast<double>(changes.size() * ways) * steps_of_run());
    if (!advice_.no_effects.empty()) return;
    std::vector<std::shared_ptr<const platforms::Machine>> machines;
    std::vector<netsim::Run> probes;
    std::vector<std::optional<double>*> times;
    advice_.effects.reserve(changes.size());
    for (const auto& change : changes) {
      auto& effect = advice_.effects.emplace_back(Effect{.change = change});
      const auto& machine = machines.emplace_back(changed(request_.machine, change));
      for (std::size_t way = 0; machine && way < ways; ++way) {
        probes.push_back(probe(*machine, netsim::fast_engine, advice_.taken().mapping,
                               way == 1 ? std::optional(1.0) : std::nullopt));
        times.push_back(way == 0 ? &effect.time : &effect.whole);
      }
    }
    const auto results = run(probes, "changing the machine");
    for (std::size_t i = 0; i < probes.size(); ++i)
      if (const auto& result = results[i].result; !result.is_null()) *times[i] = result["runtime_s"].get<double>();
  }

  /// Which algorithms of collectives are best with the advised mapping. Others may send more messages, up to one from
  /// each rank to each other in a call.
  void try_algorithms() {
    if (kinds_.empty()) return;
    const auto& taken = advice_.taken();
    const double ranks = request_.trace.ranks();
    advice_.algorithms = best_algorithms(
        {.base = probe(request_.machine, netsim::fast_engine, taken.mapping),
         .now = {request_.options.collectives.for_program(request_.trace), taken.algorithms, taken.time},
         .kinds = {kinds_.begin(), kinds_.end()},
         .margin = Advice::margin,
         .steps = steps_of_run() + steps_of_message * calls_ * ranks * ranks,
         .steps_of_packets = steps_of_packets(taken.mapping),
         .spend = [this](double steps) { return spend(steps); },
         .run = [this](const auto& probes, const char* title) { return run(probes, title); }});
  }

  /// A run of the program in another way, or on another machine.
  netsim::Run probe(const platforms::Machine& machine, const netsim::EngineChoice& engine, const Mapping& mapping,
                    std::optional<double> compute_scale = {}) const {
    netsim::Run run{machine, request_.trace, mapping, request_.options, engine};
    if (compute_scale) run.job().options.compute_scale = compute_scale;
    return run;
  }

  std::vector<Done> run(const std::vector<netsim::Run>& probes, const char* title) const {
    return run_all(title, probes.size(), workers_, [&](std::size_t i) { return work(probes[i]); });
  }

  /// The measures of a run; with waits and losses where it keeps its windows.
  static Json work(const netsim::Run& run) {
    const auto result = netsim::run_in_process(run);
    auto json = measures_json(measures_of(result));
    if (!run.keep_windows) return json;
    double waiting = 0;
    for (const auto& rank : result.ranks) waiting += netsim::share(rank.wait, result.runtime);
    json["waiting"] = netsim::share(waiting, static_cast<double>(result.ranks.size()));
    json["losses"] = Json::object();
    for (const auto& [links, seconds] : netsim::critical_losses(run.machine, run.job().mapping, result).kinds)
      json["losses"][links] = seconds;
    return json;
  }

  const AdviceRequest& request_;
  std::size_t workers_;
  double left_;                                           ///< steps that checks may still take
  double messages_ = 0;                                   ///< the most messages that a run handles
  double calls_ = 0;                                      ///< the most calls of collectives
  std::set<workloads::OpKind> kinds_;                     ///< the kinds of these
  std::vector<std::unique_ptr<mapping::Mapper>> makers_;  ///< the mappers of advice_.tried
  std::vector<bool> takes_budget_;                        ///< whether they take a share of the budget
  std::vector<std::vector<Found>> found_;                 ///< what searches have found, by mapper
  Advice advice_;
};

}  // namespace

Advice advise(const AdviceRequest& request, std::size_t workers) {
  return Adviser(request, workers).advise();
}

void check(const AdviceRequest& request) {
  Adviser(request, 1).check();
}

}  // namespace toroid::study
