#include "study/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.hpp"
#include "mapping/slots.hpp"
#include "mapping/with_key.hpp"
#include "netsim/critical_losses.hpp"
#include "netsim/result_json.hpp"
#include "netsim/router_engine.hpp"
#include "netsim/run.hpp"
#include "study/tasks.hpp"

namespace toroid::study {
namespace {

using core::Json;
using mapping::MapperChoice;
using mapping::Mapping;

constexpr double steps_of_budget = 1e8;

// About how many steps a run takes for each thing that it handles.
constexpr double steps_of_message = 100, steps_of_reference_message = 500, steps_of_packet_hop = 10;

const char* const lots = "random";

/// A run of the program that is asked of a worker.
struct Probe {
  const platforms::Machine* machine;
  netsim::EngineChoice engine;
  const Mapping* mapping;
  bool with_computation = false;
  bool with_losses = false;
};

class Adviser {
 public:
  Adviser(const AdviceRequest& request, std::size_t workers) : request_(request), workers_(workers), left_(share()) {}

  Advice advise() {
    mapping::check_room(request_.machine, request_.trace.ranks(), request_.slots.size());
    advice_.computation = netsim::computation_use(request_.trace, workloads::computation_by_rank(request_.trace),
                                                  request_.machine, request_.options);
    list_mappers();
    search();
    choose();
    if (advice_.computation.is_left_out()) look(SecondLook::Kind::computation, netsim::fast_engine, 2 * steps_of_run());
    find_limits();
    try_changes();
    const double by_packets =
        steps_of_packets(advice_.tried[Advice::baseline].mapping) + steps_of_packets(advice_.taken().mapping);
    look(SecondLook::Kind::engine, netsim::router_engine, by_packets);
    look(SecondLook::Kind::reference, netsim::reference_engine, 2 * steps_of_reference_message * messages_);
    if (request_.machine.description().router.routing != platforms::Routing::adaptive)
      look(SecondLook::Kind::engine, fmt::format("{}:routing=adaptive", netsim::router_engine), by_packets);
    return std::move(advice_);
  }

 private:
  struct Search {
    std::size_t map, number;
  };

  void list_mappers() {
    add(request_.baseline);
    add(MapperChoice(std::string_view(lots)));
    for (const auto& map : request_.maps)
      if (std::none_of(advice_.tried.begin(), advice_.tried.end(), [&](const Tried& t) { return t.map == map; }))
        add(map);
    double searches = 0;
    for (const auto& one : advice_.tried)
      if (takes_budget(one.map)) searches += static_cast<double>(searches_of(one.map));
    constexpr double millions = 1e-6;
    const double each = std::max(1.0, std::floor(share() / std::max(1.0, searches) * millions));
    for (auto& one : advice_.tried)
      if (takes_budget(one.map)) one.map = mapping::with_key(one.map, "budget", fmt::format("{:.0f}", each));
    for (const auto& one : advice_.tried) makers_.push_back(one.map.make());
  }

  void add(const MapperChoice& map) { advice_.tried.push_back({.map = map}); }

  static bool takes_budget(const MapperChoice& map) {
    return map.takes("budget") && !map.arguments().spec().find("budget");
  }
  std::size_t searches_of(const MapperChoice& map) const { return map.make()->uses_seed() ? request_.repeats : 1; }

  /// Steps that all searches may take, and all checks.
  double share() const { return request_.budget * steps_of_budget / 2; }

  mapping::MappingProblem problem(const Search& search, const mapping::Program& program,
                                  std::vector<std::string>* notes) const {
    return {request_.machine, request_.slots, request_.traffic, request_.seed + search.number, &program, notes};
  }

  /// Every mapper maps as often as it draws lots, and each mapping is simulated.
  void search() {
    const mapping::Program program{request_.trace, request_.options};
    std::vector<Search> searches;
    for (std::size_t m = 0; m < makers_.size(); ++m) {
      makers_[m]->check(problem({m, 0}, program, nullptr));
      const auto count = makers_[m]->uses_seed() ? request_.repeats : 1;
      for (std::size_t r = 0; r < count; ++r) searches.push_back({m, r});
    }
    std::vector<Json> found(searches.size());
    run_all(
        "mapping", searches.size(), workers_,
        [&](std::size_t task) {
          std::vector<std::string> notes;
          const auto& search = searches[task];
          const auto mapping = mapping::make_mapping(*makers_[search.map], problem(search, program, &notes));
          const auto result = netsim::run_in_process(
              {request_.machine, request_.trace, mapping, request_.options, netsim::fast_engine});
          return Json{{"runtime_s", result.runtime},
                      {"mapping", mapping},
                      {"notes", notes},
                      {"messages", simulated_messages(result)}};
        },
        [&](std::size_t task, const Json& result, const std::string& error) {
          found[task] = result.is_null() ? Json(error) : result;
        });
    for (std::size_t i = 0; i < searches.size(); ++i)
      take(advice_.tried[searches[i].map], searches[i].number, found[i]);
    if (advice_.tried[Advice::baseline].times.empty())
      throw core::SimulationError(advice_.tried[Advice::baseline].error);
    messages_ = found[0]["messages"];  // of the baseline
  }

  /// The messages of a run, but those of iterations that were passed over.
  static std::uint64_t simulated_messages(const netsim::Result& result) {
    auto messages = result.messages;
    for (const auto& repeated : result.repeated) messages -= repeated.messages;
    return messages;
  }

  /// What a search found, or the text that says why it found nothing.
  static void take(Tried& tried, std::size_t number, const Json& found) {
    if (found.is_string()) {
      if (tried.error.empty()) tried.error = found.get<std::string>();
      return;
    }
    const double time = found["runtime_s"];
    const bool is_best = tried.times.empty() || time < tried.best();
    tried.times.push_back(time);
    if (!is_best) return;
    tried.search = number;
    tried.mapping = Mapping(found["mapping"].get<std::vector<platforms::NodeId>>());
    tried.notes = found["notes"].get<std::vector<std::string>>();
  }

  void choose() {
    const double without = advice_.tried[Advice::baseline].best();
    double least = without * (1 - Advice::margin);
    for (std::size_t i = Advice::by_lot + 1; i < advice_.tried.size(); ++i)
      if (const auto& one = advice_.tried[i]; !one.times.empty() && one.best() < least) {
        least = one.best();
        advice_.advised = i;
      }
  }

  /// Takes that much work off what is left for checks, if that is enough.
  bool affords(double steps) {
    advice_.needed_budget += 2 * steps / steps_of_budget;
    if (steps > left_) return false;
    left_ -= steps;
    return true;
  }

  double steps_of_run() const { return steps_of_message * messages_; }

  /// About the steps of a run by packets, which passes over nothing.
  double steps_of_packets(const Mapping& mapping) const {
    const auto packet = static_cast<double>(request_.machine.description().router.packet_bytes);
    const auto& matrix = request_.traffic.matrix();
    double hops = 0;
    for (const auto from : matrix.rows.ids())
      for (const auto& [to, bytes, messages] : matrix.rows[from])
        hops += request_.machine.hops(mapping[from], mapping[to]) *
                (static_cast<double>(messages) + static_cast<double>(bytes) / packet);
    return steps_of_message * static_cast<double>(matrix.total_messages()) + steps_of_packet_hop * hops;
  }

  /// Runs the baseline and the advice in another way.
  void look(SecondLook::Kind kind, std::string_view engine, double steps) {
    SecondLook look{.kind = kind, .engine = std::string(engine)};
    if (affords(steps)) {
      netsim::load(engine);
      std::vector<Probe> probes;
      for (const auto number : {Advice::baseline, advice_.advised})
        if (probes.empty() || number != Advice::baseline)
          probes.push_back(
              {&request_.machine, engine, &advice_.tried[number].mapping, kind == SecondLook::Kind::computation});
      const auto results = run(probes, "checking");
      for (const auto& result : results)
        if (result.is_string() && look.left_out.empty()) look.left_out = result.get<std::string>();
      if (look.left_out.empty()) {
        look.baseline = results.front()["runtime_s"];
        look.advised = results.back()["runtime_s"];
      }
    } else {
      look.left_out =
          fmt::format("would take about {:.0f} s, more than is left of the budget", steps / steps_of_budget);
    }
    advice_.looks.push_back(std::move(look));
  }

  void find_limits() {
    // Nothing is passed over, and the log of causes doubles the time.
    if (!affords(2 * steps_of_message * static_cast<double>(request_.traffic.matrix().total_messages()))) return;
    const auto result =
        run({{&request_.machine, netsim::fast_engine, &advice_.taken().mapping, false, true}}, "looking");
    if (result[0].is_string()) return;
    const auto measures = measures_from(result[0]);
    if (!measures) return;
    Limits limits{.measures = *measures, .waiting_for_partners = result[0]["waiting"], .losses = {}};
    for (const auto& [links, seconds] : result[0]["losses"].items()) limits.losses.push_back({links, seconds});
    std::stable_sort(limits.losses.begin(), limits.losses.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    advice_.limits = std::move(limits);
  }

  void try_changes() {
    const auto changes = usual_changes(request_.machine);
    if (!affords(static_cast<double>(changes.size()) * steps_of_run())) return;
    std::vector<std::optional<platforms::Machine>> machines;
    std::vector<Probe> probes;
    for (const auto& change : changes) {
      advice_.effects.push_back({change, std::nullopt});
      try {
        machines.emplace_back(change.apply(request_.machine));
      } catch (const core::InputError&) {  // such as a wrap across a twist: not a change that this machine can have
        machines.emplace_back();
      }
    }
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!machines[i]) continue;
      probes.push_back({&*machines[i], netsim::fast_engine, &advice_.taken().mapping});
      asked.push_back(i);
    }
    const auto results = run(probes, "changing the machine");
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (!results[i].is_string()) advice_.effects[asked[i]].time = results[i]["runtime_s"].get<double>();
  }

  /// The results of probes; of one that failed, the text that says why.
  std::vector<Json> run(const std::vector<Probe>& probes, const char* title) const {
    std::vector<Json> results(probes.size());
    run_all(
        title, probes.size(), workers_, [&](std::size_t i) { return work(probes[i]); },
        [&](std::size_t i, const Json& result, const std::string& error) {
          results[i] = result.is_null() ? Json(error) : result;
        });
    return results;
  }

  /// Does a probe, in a process of its own.
  Json work(const Probe& probe) const {
    netsim::RunRequest run{*probe.machine, request_.trace, *probe.mapping, request_.options, probe.engine};
    if (probe.with_computation) run.options.compute_scale = 1;
    if (probe.with_losses) {
      constexpr std::size_t windows = 64;
      run.options.log_causes = true;
      run.windows = windows;
      run.keep_windows = true;
    }
    const auto result = netsim::run_in_process(run);
    auto json = measures_json(measures_of(result));
    if (!probe.with_losses) return json;
    double waiting = 0;
    for (const auto& rank : result.ranks) waiting += netsim::share(rank.wait, result.runtime);
    json["waiting"] = netsim::share(waiting, static_cast<double>(result.ranks.size()));
    json["losses"] = Json::object();
    for (const auto& loss : netsim::critical_losses(*probe.machine, *probe.mapping, result).links) {
      auto& sum = json["losses"][kind_of(*probe.machine, loss.link)];
      sum = (sum.is_null() ? 0.0 : sum.get<double>()) + loss.seconds;
    }
    return json;
  }

  /// The name of the dimension that a link is of, or of the ports that it is one of.
  static std::string kind_of(const platforms::Machine& machine, platforms::LinkId link) {
    if (machine.is_of_grid(link)) return machine.grid().name(machine.grid().link_dimension(link));
    return machine.is_injection(link) ? "injection" : "ejection";
  }

  const AdviceRequest& request_;
  std::size_t workers_;
  double left_;                                           ///< steps that checks may still take
  double messages_ = 0;                                   ///< that the run of the baseline handles
  std::vector<std::unique_ptr<mapping::Mapper>> makers_;  ///< of advice_.tried
  Advice advice_;
};

Json tried_json(const Tried& tried) {
  Json json{{"map", tried.map.text()}, {"runs", tried.times.size()}};
  if (!tried.times.empty())
    json.update({{"runtime_min_s", tried.best()}, {"runtime_max_s", tried.worst()}, {"search", tried.search}});
  if (!tried.notes.empty()) json["notes"] = tried.notes;
  if (!tried.error.empty()) json["error"] = tried.error;
  return json;
}

Json look_json(const SecondLook& look) {
  static constexpr const char* kinds[] = {"computation", "engine", "reference"};
  Json json{{"kind", kinds[static_cast<std::size_t>(look.kind)]}, {"engine", look.engine}};
  if (look.left_out.empty())
    json.update({{"baseline_s", look.baseline}, {"advised_s", look.advised}, {"gain", look.gain()}});
  else
    json["left_out"] = look.left_out;
  return json;
}

}  // namespace

Advice advise(const AdviceRequest& request, std::size_t workers) {
  return Adviser(request, workers).advise();
}

Json advice_json(const Advice& advice, const AdviceRequest& request) {
  Json json{{"advised", advice.taken().map.text()},
            {"seed", request.seed + advice.taken().search},
            {"gain", advice.gain()},
            {"computation", netsim::computation_json(advice.computation, advice.tried[Advice::baseline].best())},
            {"tried", Json::array()},
            {"looks", Json::array()},
            {"limits", nullptr},
            {"changes", Json::array()},
            {"needed_budget", advice.needed_budget},
            {"mapping", advice.taken().mapping}};
  for (const auto& tried : advice.tried) json["tried"].push_back(tried_json(tried));
  for (const auto& look : advice.looks) json["looks"].push_back(look_json(look));
  if (const auto& limits = advice.limits) {
    json["limits"] = measures_json(limits->measures);
    json["limits"]["waiting_for_partners"] = limits->waiting_for_partners;
    json["limits"]["losses_s"] = Json::object();
    for (const auto& loss : limits->losses) json["limits"]["losses_s"][loss.links] = loss.seconds;
  }
  for (const auto& effect : advice.effects)
    json["changes"].push_back(
        {{"set", effect.change.text()}, {"runtime_s", effect.time ? Json(*effect.time) : Json()}});
  return json;
}

}  // namespace toroid::study
