#include "study/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "study/machine_changes.hpp"
#include "study/tasks.hpp"

namespace toroid::study {
namespace {

using core::Json;
using netsim::Machine;
using netsim::Result;
using netsim::RunRequest;
using platforms::LinkId;

std::vector<Cause> causes_of(const netsim::History& path) {
  return {{"compute", path.compute},
          {"latency", path.latency},
          {"bandwidth", path.bandwidth},
          {"sharing within the job", path.sharing - path.others},
          {"sharing with other jobs", path.others}};
}

/// Adds up what was in the way, by pair of ranks.
class Obstacles {
 public:
  void add(const netsim::Obstacle& one) { bytes_[{one.from, one.to}] += one.bytes_meanwhile; }
  std::vector<InTheWay> largest() const {
    constexpr std::size_t most = 4;
    std::vector<InTheWay> all;
    for (const auto& [pair, bytes] : bytes_) all.push_back({pair.first, pair.second, bytes});
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (all.size() > most) all.resize(most);
    return all;
  }

 private:
  std::map<std::pair<workloads::Rank, workloads::Rank>, double> bytes_;
};

std::vector<LinkCause> links_of(const Result& result, const netsim::CriticalLosses& losses) {
  std::map<LinkId, Obstacles> obstacles;
  for (const auto& one : result.obstacles)
    if (const auto link = losses.of_step[one.step]; link != LinkId::none()) obstacles[link].add(one);
  std::map<LinkId, double> use;
  for (const auto& link : result.links) use[link.link] = link.mean_utilization;
  std::vector<LinkCause> links;
  for (const auto& [link, seconds] : losses.links) {
    if (links.size() == Explanation::most_links) break;
    const auto messages = std::count(losses.of_step.begin(), losses.of_step.end(), link);
    links.push_back({link, seconds, use[link], static_cast<std::size_t>(messages), obstacles[link].largest()});
  }
  return links;
}

/// The positions of the longest steps, in the order of time.
std::vector<std::size_t> longest(const std::vector<netsim::CriticalStep>& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](std::size_t i) { return steps[i].end - steps[i].begin; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return seconds(a) > seconds(b); });
  order.resize(std::min(order.size(), Explanation::longest_steps));
  std::sort(order.begin(), order.end());
  return order;
}

/// All that is told of the steps from `first` until before `end`.
ChainPart part_of(const Result& result, const netsim::CriticalLosses& losses, std::size_t first, std::size_t end) {
  const auto& steps = result.critical_steps;
  ChainPart part{.first = first, .steps = end - first, .begin = steps[first].begin, .end = steps[end - 1].end};
  std::map<LinkId, double> lost;
  for (auto i = first; i < end; ++i) {
    part.messages += steps[i].is_message ? 1U : 0U;
    part.lost += steps[i].sharing;
    if (losses.of_step[i] != LinkId::none()) lost[losses.of_step[i]] += steps[i].sharing;
  }
  double most = 0;
  for (const auto& [link, seconds] : lost)
    if (seconds > most) {
      most = seconds;
      part.link = link;
    }
  const auto step_is_below = [](const netsim::Obstacle& one, std::size_t step) { return one.step < step; };
  Obstacles obstacles;
  for (auto one = std::lower_bound(result.obstacles.begin(), result.obstacles.end(), first, step_is_below);
       one != result.obstacles.end() && one->step < end; ++one)
    obstacles.add(*one);
  part.in_the_way = obstacles.largest();
  return part;
}

std::vector<ChainPart> chain_of(const Result& result, const netsim::CriticalLosses& losses) {
  std::vector<ChainPart> chain;
  std::size_t told = 0;
  const auto tell_until = [&](std::size_t end) {
    if (told < end) chain.push_back(part_of(result, losses, told, end));
    told = end;
  };
  for (const auto step : longest(result.critical_steps)) {
    tell_until(step);
    tell_until(step + 1);
  }
  tell_until(result.critical_steps.size());
  return chain;
}

/// Runs the same program with one thing changed each time.
class Trials {
 public:
  Trials(const RunRequest& request, const std::vector<OtherMapping>& others) : request_(request) {
    for (const auto& change : changes_by_dimension(request.machine)) add(change);
    for (const auto& change : usual_changes(request.machine)) add(change);
    for (const auto& other : others)
      if (other.mapping != request.mapping) add({.change = "--map " + other.name}, request.machine, other.mapping);
  }

  std::vector<Trial> run(std::size_t workers) {
    run_all(
        "changing one thing", runs_.size(), workers,
        [&](std::size_t i) {
          return Json{{"runtime_s", netsim::run_in_process(runs_[i].request).runtime}};
        },
        [&](std::size_t i, const Json& result, const std::string&) {
          if (!result.is_null()) trials_[runs_[i].trial].runtime = result["runtime_s"];
        });
    return std::move(trials_);
  }

 private:
  struct Run {
    std::size_t trial;
    RunRequest request;
  };

  void add(const MachineChange& change) {
    Trial trial{.change = "--set " + change.text()};
    try {
      auto machine = std::make_unique<Machine>(change.apply(request_.machine));
      const auto& description = machine->description();
      if (std::ranges::any_of(machines_, [&](const auto& other) { return other->description() == description; }))
        return;
      machines_.push_back(std::move(machine));
    } catch (const core::InputError&) {  // such as a wrap across a twist: not a change that this machine can have
      trials_.push_back(std::move(trial));
      return;
    }
    add(std::move(trial), *machines_.back(), request_.mapping);
  }

  void add(Trial trial, const Machine& machine, const netsim::Mapping& mapping) {
    RunRequest run{machine, request_.trace, mapping, request_.options, request_.engine};
    run.options.log_causes = false;
    run.options.activity_windows = 0;
    run.options.keep_timeline = false;
    run.options.progress = {};
    runs_.push_back({trials_.size(), std::move(run)});
    trials_.push_back(std::move(trial));
  }

  const RunRequest& request_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<Run> runs_;
  std::vector<Trial> trials_;
};

std::string main_cause(const std::vector<Cause>& causes, double runtime) {
  static constexpr std::array meanings{
      "what ranks compute; the network has no part in that",
      "the time until first bytes arrive: fewer messages, shorter ways or lower latencies make it shorter",
      "the bytes of each rank's own messages at full speed, one after the other: faster links or fewer bytes make it "
      "shorter, another mapping does not",
      "messages that share links, pairs of nodes or cards with others: another mapping, other routes or faster links "
      "make it shorter",
      "messages of other jobs on the same links"};
  std::size_t most = 0;
  for (std::size_t i = 1; i < causes.size(); ++i)
    if (causes[i].seconds > causes[most].seconds) most = i;
  if (!(causes[most].seconds > 0)) return "nothing takes any time";
  return fmt::format("{} is {:.1f} % of the run time: {}", causes[most].name,
                     100 * netsim::share(causes[most].seconds, runtime), meanings[most]);
}

/// `--map quick: 4.4 ms instead of 10.3 ms (-56.8 %)`.
std::string in_words(const Trial& trial, double before) {
  return fmt::format("{}: {} instead of {} ({})", trial.change, core::format_duration(*trial.runtime),
                     core::format_duration(before), core::format_percent(-trial.saves(before), 1));
}

/// What helps most, and what does not help.
std::vector<std::string> what_to_change(const Explanation& e) {
  std::vector<const Trial*> helps, useless;
  for (const auto& trial : e.trials)
    if (trial.runtime) (trial.saves(e.runtime) >= Explanation::margin ? helps : useless).push_back(&trial);
  std::stable_sort(helps.begin(), helps.end(), [&](auto* a, auto* b) { return *a->runtime < *b->runtime; });
  const std::size_t lines = useless.empty() ? 3 : 2;
  std::vector<std::string> said;
  for (const auto* trial : helps)
    if (said.size() < lines) said.push_back(in_words(*trial, e.runtime));
  std::vector<std::string> names;
  for (const auto* trial : useless) names.push_back(trial->change);
  if (!names.empty())
    said.push_back(
        fmt::format("no help (less than {:.0f} % of the run time): {}", 100 * Explanation::margin, core::join(names)));
  return said;
}

Json causes_json(const std::vector<Cause>& causes, double runtime) {
  auto all = Json::array();
  for (const auto& [name, seconds] : causes)
    all.push_back({{"cause", name}, {"seconds", seconds}, {"share", netsim::share(seconds, runtime)}});
  return all;
}

Json in_the_way_json(const std::vector<InTheWay>& some) {
  auto all = Json::array();
  for (const auto& [from, to, bytes] : some) all.push_back({{"from", from}, {"to", to}, {"bytes", bytes}});
  return all;
}

Json chain_json(const ChainPart& part, const Machine& machine, const Result& result) {
  Json json{{"steps", part.steps},
            {"messages", part.messages},
            {"begin_s", part.begin},
            {"end_s", part.end},
            {"lost_s", part.lost},
            {"rank", Json()},
            {"receiver", Json()},
            {"bytes", Json()},
            {"link", part.link == LinkId::none() ? Json() : Json(machine.link_name(part.link))},
            {"in_the_way", in_the_way_json(part.in_the_way)}};
  if (part.steps > 1) return json;
  const auto& step = result.critical_steps[part.first];
  json["rank"] = step.rank;
  if (step.is_message) {
    json["receiver"] = step.receiver;
    json["bytes"] = step.bytes;
  }
  return json;
}

}  // namespace

std::vector<Cause> means_of_ranks(const Result& result) {
  double compute = 0, transfer = 0, wait = 0;
  for (const auto& rank : result.ranks) {
    compute += rank.compute;
    transfer += rank.transfer;
    wait += rank.wait + result.runtime - rank.finish;
  }
  const auto mean = [&](double sum) { return netsim::share(sum, static_cast<double>(result.ranks.size())); };
  return {{"computing", mean(compute)},
          {"waiting for messages on their way", mean(transfer)},
          {"waiting for a partner", mean(wait)}};
}

void record_for_explanation(RunRequest& request) {
  request.options.log_causes = true;
  request.keep_windows = true;
}

Explanation explain(const RunRequest& request, const Result& result, const std::vector<OtherMapping>& others,
                    std::size_t workers) {
  Explanation e;
  e.runtime = result.runtime;
  e.causes = causes_of(result.critical_path);
  e.main_cause = main_cause(e.causes, e.runtime);
  e.ranks = means_of_ranks(result);
  e.losses = netsim::critical_losses(request.machine, request.mapping, result);
  e.links = links_of(result, e.losses);
  e.chain = chain_of(result, e.losses);
  if (request.changes.changes.empty())
    e.trials = Trials(request, others).run(workers);
  else
    e.no_trials = "the machine changes during the run";
  e.what_to_change = what_to_change(e);
  return e;
}

Json explanation_json(const Explanation& e, const Machine& machine, const Result& result) {
  Json json{{"main_cause", e.main_cause},
            {"causes", causes_json(e.causes, e.runtime)},
            {"ranks", causes_json(e.ranks, e.runtime)},
            {"losses", Json::array()},
            {"links", Json::array()},
            {"chain", Json::array()},
            {"trials", Json::array()},
            {"what_to_change", e.what_to_change}};
  for (const auto& [links, seconds] : e.losses.kinds)
    json["losses"].push_back({{"links", links}, {"seconds", seconds}, {"share", netsim::share(seconds, e.runtime)}});
  for (const auto& link : e.links)
    json["links"].push_back({{"link", machine.link_name(link.link)},
                             {"lost_s", link.lost},
                             {"share", netsim::share(link.lost, e.runtime)},
                             {"mean_utilization", link.mean_utilization},
                             {"messages", link.messages},
                             {"in_the_way", in_the_way_json(link.in_the_way)}});
  for (const auto& part : e.chain) json["chain"].push_back(chain_json(part, machine, result));
  for (const auto& trial : e.trials)
    json["trials"].push_back({{"change", trial.change},
                              {"runtime_s", trial.runtime ? Json(*trial.runtime) : Json()},
                              {"saves_s", trial.runtime ? Json(e.runtime - *trial.runtime) : Json()}});
  if (!e.no_trials.empty()) json["no_trials"] = e.no_trials;
  return json;
}

}  // namespace toroid::study
