// The mapping to take where one does not want to choose a mapper: several are tried, and the best is taken.

#include "core/units.hpp"
#include "mapping/portfolio/candidates.hpp"
#include "netsim/network.hpp"

namespace toroid::mapping {
namespace {

/// How many swaps of two ranks in a row may run no faster before a descent ends.
constexpr std::size_t descent_patience = 100;

const core::Parameter<std::int64_t> budget{"budget", "work at most, in millions of steps, about 10 ms each",
                                           core::whole<std::int64_t>(1, 1'000'000), "300"};
/// The share of the steps that finding candidates may take where they are simulated, too. Simulations have the others,
/// and what the candidates leave.
constexpr double for_candidates = 0.7;
/// Where load and hops judge, a search is not worth its time if it could lower their product by so little.
constexpr double worth_no_search = 0.05;
/// Where fewer simulations by the machine's own packets than that would fit into the steps, packets are so much larger:
/// they tell good mappings from bad ones nearly as well, and more mappings can be simulated.
constexpr double enough_simulations = 8;
constexpr std::int32_t larger_packets = 8;

/// An engine, or nothing: no simulations.
using MaybeEngine = std::optional<netsim::EngineChoice>;
using Engines = std::vector<netsim::EngineChoice>;

const core::OptionalParameter<MaybeEngine> auto_engine{
    "engine",
    "what simulates the candidates, or none",
    {"none, or an engine, in parentheses if it has keys",
     [](std::string_view text, const core::Place& place) -> std::optional<MaybeEngine> {
       return text == "none" ? MaybeEngine{} : MaybeEngine(engine_in_parentheses().read(text, place));
     }},
    fmt::format("{}, or {} with adaptive routes", netsim::fast_engine, netsim::router_engine)};

class Auto final : public KeyedMapper {
 public:
  explicit Auto(const core::Arguments& arguments) : KeyedMapper(arguments) {
    if (const auto& engine = value(auto_engine); engine && *engine) netsim::load(**engine);
  }

  Mapping map(const MappingProblem& given) const override {
    auto problem = given;
    problem.seed = seed(given);
    const auto routing = value(routing_parameter).value_or(usual_routing(problem.machine));
    const auto judges = problem.program == nullptr ? Engines{} : engines(problem.machine, routing);
    const bool has_steps = !judges.empty() && enough_steps(problem);
    const auto found = candidates(
        problem, has_steps ? Effort{for_candidates * steps(), routing} : Effort{steps(), routing, worth_no_search});
    const auto& all = found.all;
    const auto choice = all.size() < 2   ? Choice{0, why_alone(found), {}, {}}
                        : has_steps      ? by_simulation(problem, found, judges, routing)
                        : judges.empty() ? by_load("")
                                         : by_load("; its budget is not enough to simulate two of them");
    for (std::size_t i = 0; i < all.size(); ++i) problem.note(description(all[i], choice.runtimes, i));
    problem.note(fmt::format("auto takes {}: {}", all[choice.index].name, choice.reason));
    return choice.better.value_or(all[choice.index].mapping);
  }

 private:
  Engines engines(const Machine& machine, Routing routing) const {
    const auto& engine = value(auto_engine);
    if (!engine) return usual_engines(machine, routing);
    return *engine ? Engines{**engine} : Engines{};
  }

  /// The first one that is not too dear is taken.
  static Engines usual_engines(const Machine& machine, Routing routing) {
    if (routing == Routing::dimension_order) return {netsim::EngineChoice(netsim::fast_engine)};
    const auto& router = machine.description().router;
    const auto own = fmt::format("{}:routing={}", netsim::router_engine, platforms::to_word(routing));
    return {netsim::EngineChoice(own),
            netsim::EngineChoice(fmt::format(
                "{},packet={},header={}", own, larger_packets * router.packet_bytes,
                std::min<std::int64_t>(larger_packets * router.header_bytes, platforms::most_header_bytes)))};
  }

  struct Choice {
    std::size_t index = 0;
    std::string reason;
    std::vector<double> runtimes;   ///< the run times of the first ones, which were simulated
    std::optional<Mapping> better;  ///< what swaps of ranks made of it
  };

  static std::string why_alone(const Candidates& found) {
    if (found.gain_at_most == 0) return "nothing can be better";
    if (found.gain_at_most > worth_no_search)
      return core::is_interrupted() ? "the user did not wait for another" : "no other was found";
    return fmt::format("another mapping could have {:.2g} % less load times hops, at most", 100 * found.gain_at_most);
  }

  /// The candidates come in that order.
  static Choice by_load(const std::string& why_not_simulated) {
    return {0, "the least product of load and hops" + why_not_simulated, {}, {}};
  }

  double steps() const { return 1e6 * static_cast<double>(value(budget)); }
  double steps_for_simulations() const { return (1 - for_candidates) * steps(); }

  /// Whether there may be enough steps to simulate two mappings, if nothing in them repeats.
  bool enough_steps(const MappingProblem& problem) const {
    return 2 * netsim::least_work(problem.traffic.matrix().total_messages()) <= steps_for_simulations();
  }

  /// The fastest, and what swaps that are simulated make of it.
  Choice by_simulation(const MappingProblem& problem, const Candidates& found, const Engines& engines,
                       Routing routing) const {
    if (core::is_interrupted()) return by_load("; the user did not wait for simulations");
    try {
      return by_first(engines, problem, found.all, std::max(steps_for_simulations(), steps() - found.steps), routing);
    } catch (const core::SimulationError& error) {
      return by_load(fmt::format("; it cannot be simulated ({})", error.what()));
    } catch (const core::InputError& error) {
      if (value(auto_engine)) throw;  // the user asked for an engine that cannot simulate this machine
      return by_load(fmt::format("; it cannot be simulated ({})", error.what()));
    }
  }

  /// Chooses among the candidates by the first engine that is not too dear.
  static Choice by_first(const Engines& engines, const MappingProblem& problem, const std::vector<Candidate>& all,
                         double steps, Routing routing) {
    for (auto engine = engines.begin();; ++engine) {
      const bool is_last = engine + 1 == engines.end();
      SimulationJudge judge(problem, *engine, {.steps = steps, .least_runs = is_last ? 2 : enough_simulations});
      try {
        return by_judge(judge, engine->text(), problem, all, routing);
      } catch (const core::SimulationError&) {
        steps -= judge.steps();
        if (is_last || steps <= 0) throw;
      }
    }
  }

  static Choice by_judge(SimulationJudge& judge, const std::string& engine, const MappingProblem& problem,
                         const std::vector<Candidate>& all, Routing routing) {
    Choice choice;
    for (const auto& candidate : all) {
      if (judge.exhausted()) break;
      choice.runtimes.push_back(judge(candidate.mapping).runtime);
      if (choice.runtimes.back() < choice.runtimes[choice.index]) choice.index = choice.runtimes.size() - 1;
    }
    choice.reason = fmt::format("the fastest of {} by {}", choice.runtimes.size(), engine);
    improve(problem, judge, all[choice.index].mapping, routing, choice);
    return choice;
  }

  static void improve(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing,
                      Choice& choice) {
    if (judge.exhausted()) return;
    auto better = simulated_descent(problem, judge, start, routing, descent_patience);
    if (better == start) return;
    choice.reason += fmt::format("; swaps of ranks, simulated one by one, take its run time to {}",
                                 core::format_duration(judge(better).runtime));
    choice.better = std::move(better);
  }

  static std::string description(const Candidate& candidate, const std::vector<double>& runtimes, std::size_t index) {
    return fmt::format("{}: {:.3f} hops per byte, busiest link {}{}", candidate.name, candidate.hops_per_byte,
                       core::format_duration(candidate.peak_seconds),
                       index < runtimes.size() ? ", run time " + core::format_duration(runtimes[index]) : "");
  }
};

}  // namespace

core::Entry<MakeMapper> auto_mapper() {
  return {"auto",
          "the best of several mappers, annealed, and with less load on the busiest links",
          make<Auto>,
          {budget, routing_parameter, auto_engine, seed_parameter}};
}

}  // namespace toroid::mapping
