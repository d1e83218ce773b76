#include "study/advice/explanation.hpp"

#include <cmath>
#include <numeric>
#include <tuple>

#include "core/units.hpp"

namespace toroid::study {
namespace {

using netsim::Machine;
using netsim::Result;
using platforms::LinkId;

/// How far the engine tells whose messages a run time is lost to.
enum class Sharing : std::uint8_t { by_job, of_any_job };

std::vector<Cause> causes_of(const netsim::ReplayReport& report, Sharing sharing) {
  const auto& path = report.critical_path;
  double at_cores = 0;
  for (const auto& step : report.critical_steps) at_cores += step.at_core;
  std::vector<Cause> causes{{"compute", path.compute}, {"latency", path.latency}, {"bandwidth", path.bandwidth}};
  if (sharing == Sharing::of_any_job) {
    causes.push_back({"sharing with any job", path.sharing - at_cores});
  } else {
    causes.push_back({"sharing within the job", path.sharing - path.others - at_cores});
    causes.push_back({"sharing with other jobs", path.others});
  }
  causes.push_back({"waiting for cores", at_cores});
  return causes;
}

/// Adds up what was in the way, by job and pair of ranks.
class Obstacles {
 public:
  void add(const netsim::Obstacle& one) { bytes_[{one.job, one.from, one.to}] += one.bytes_meanwhile; }
  std::vector<InTheWay> largest() const {
    constexpr std::size_t most = 4;
    std::vector<InTheWay> all;
    for (const auto& [key, bytes] : bytes_)
      all.push_back({std::get<1>(key), std::get<2>(key), bytes, std::get<0>(key)});
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (all.size() > most) all.resize(most);
    return all;
  }

 private:
  std::map<std::tuple<std::uint32_t, workloads::Rank, workloads::Rank>, double> bytes_;
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
    const auto messages = std::ranges::count(losses.of_step, link);
    links.push_back({link, seconds, use[link], static_cast<std::size_t>(messages), obstacles[link].largest()});
  }
  return links;
}

/// The positions of the longest steps, in the order of time.
std::vector<std::size_t> longest(const std::vector<netsim::CriticalStep>& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](std::size_t i) { return steps[i].end - steps[i].begin; };
  std::ranges::stable_sort(order, [&](auto a, auto b) { return seconds(a) > seconds(b); });
  order.resize(std::min(order.size(), Explanation::longest_steps));
  std::ranges::sort(order);
  return order;
}

/// All that is told of the steps from `first` until before `end`.
ChainPart part_of(const Result& result, const netsim::CriticalLosses& losses, std::size_t first, std::size_t end) {
  const auto& steps = result.critical_steps;
  TOROID_ASSERT(first < end && end <= steps.size());
  ChainPart part{.first = first, .steps = end - first, .begin = steps[first].begin, .end = steps[end - 1].end};
  std::map<LinkId, double> lost;
  for (auto i = first; i < end; ++i) {
    part.messages += steps[i].is_message ? 1U : 0U;
    part.lost += steps[i].sharing;
    if (losses.of_step[i] != LinkId::none()) lost[losses.of_step[i]] += steps[i].lost_on_the_way();
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
  TOROID_ASSERT(told == result.critical_steps.size());
  return chain;
}

std::string main_cause(const std::vector<Cause>& causes, double runtime) {
  static const std::map<std::string_view, std::string_view> meanings{
      {"compute", "what ranks compute; the network has no part in that"},
      {"latency", "the time until first bytes arrive: fewer messages, shorter ways or lower latencies make it shorter"},
      {"bandwidth",
       "the bytes of each rank's own messages at full speed, one after the other: faster links or fewer bytes make it "
       "shorter, another mapping does not"},
      {"sharing within the job",
       "messages that share links, pairs of nodes or cards with others: another mapping, other routes or faster links "
       "make it shorter"},
      {"sharing with other jobs",
       "messages of other jobs on the same links: other nodes, another time or faster links make it shorter"},
      {"sharing with any job",
       "messages that share links, pairs of nodes or cards with others of this job or of another one: another mapping, "
       "other nodes or faster links make it shorter"},
      {"waiting for cores",
       "messages whose receiver's core sees to those before: a smaller overhead or fewer messages make it shorter"}};
  std::size_t most = 0;
  for (std::size_t i = 1; i < causes.size(); ++i)
    if (causes[i].seconds > causes[most].seconds) most = i;
  if (!(causes[most].seconds > 0)) return "nothing takes any time";
  return fmt::format("{} is {:.1f} % of the run time: {}", causes[most].name,
                     100 * netsim::share(causes[most].seconds, runtime), meanings.at(causes[most].name));
}

/// `; stencil takes 2.0 % longer, cg 3.1 % less, and more`; nothing where no other job changes.
std::string others_in_words(const Trial& trial, const std::vector<std::string>& jobs) {
  constexpr std::size_t most = 2;
  std::vector<std::string> said;
  for (const auto& [job, saves] : trial.others) {
    if (said.size() == most) {
      said.emplace_back("and more");
      break;
    }
    said.push_back(fmt::format("{} {}{:.1f} % {}", jobs[job], said.empty() ? "takes " : "", 100 * std::abs(saves),
                               saves > 0 ? "less" : "longer"));
  }
  return said.empty() ? std::string() : "; " + core::join(said);
}

/// `--map quick: 4.4 ms instead of 10.3 ms (-56.8 %)`, and what becomes of other jobs.
std::string in_words(const Trial& trial, double before, const std::vector<std::string>& jobs) {
  return fmt::format("{}: {} instead of {} ({}){}", trial.change, core::format_duration(*trial.runtime),
                     core::format_duration(before), core::format_percent(-trial.saves(before), 1),
                     others_in_words(trial, jobs));
}

/// What helps most, and what does not help. `jobs` are the names of all jobs.
std::vector<std::string> what_to_change(const Explanation& e, const std::vector<std::string>& jobs) {
  std::vector<const Trial*> helps, useless;
  for (const auto& trial : e.trials)
    if (trial.runtime) (trial.saves(e.runtime) >= Explanation::margin ? helps : useless).push_back(&trial);
  std::ranges::stable_sort(helps, [&](auto* a, auto* b) { return *a->runtime < *b->runtime; });
  const std::size_t lines = useless.empty() ? 3 : 2;
  std::vector<std::string> said;
  for (const auto* trial : helps)
    if (said.size() < lines) said.push_back(in_words(*trial, e.runtime, jobs));
  std::vector<std::string> names;
  for (const auto* trial : useless) names.push_back(trial->change);
  if (!names.empty())
    said.push_back(
        fmt::format("no help (less than {:.0f} % of the run time): {}", 100 * Explanation::margin, core::join(names)));
  return said;
}

/// All that needs no other run.
Explanation explained(const Machine& machine, const netsim::Mapping& mapping, const Result& result, Sharing sharing) {
  Explanation e;
  e.runtime = result.runtime;
  e.causes = causes_of(result, sharing);
  const auto sum_of = [](const std::vector<Cause>& causes) {
    return std::accumulate(causes.begin(), causes.end(), 0.0,
                           [](double sum, const Cause& c) { return sum + c.seconds; });
  };
  TOROID_ASSERT(std::abs(sum_of(e.causes) - e.runtime) <= 1e-6 * e.runtime);
  e.main_cause = main_cause(e.causes, e.runtime);
  e.ranks = means_of_ranks(result);
  TOROID_ASSERT(std::abs(sum_of(e.ranks) - e.runtime) <= 1e-6 * e.runtime);
  e.losses = netsim::critical_losses(machine, mapping, result);
  e.links = links_of(result, e.losses);
  e.chain = chain_of(result, e.losses);
  return e;
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

void record_for_explanation(netsim::Run& request) {
  for (auto& job : request.jobs) job.options.log_causes = true;
  request.keep_windows = true;
}

std::vector<std::optional<Explanation>> explain(const netsim::Run& request, const netsim::Result& result,
                                                const std::vector<std::vector<OtherMapping>>& others,
                                                std::size_t workers) {
  const bool can_try = request.changes.changes.empty();
  auto trials =
      can_try ? trials_of(request, result, others, workers) : std::vector<std::vector<Trial>>(request.jobs.size());
  const bool is_one = is_one_program(request);
  const auto sharing = is_one || result.why_not_shared.empty() ? Sharing::by_job : Sharing::of_any_job;
  std::vector<std::string> names;
  for (const auto& job : request.jobs)
    if (!is_one) names.push_back(job.name);
  std::vector<std::optional<Explanation>> all;
  for (std::size_t job = 0; job < request.jobs.size(); ++job) {
    auto& e = all.emplace_back();
    if (result.last_report(job) == nullptr) continue;
    e = explained(request.machine, request.jobs[job].mapping, result.last_round(job), sharing);
    e->trials = std::move(trials[job]);
    if (!can_try) e->no_trials = "the machine changes during the run";
    e->what_to_change = what_to_change(*e, names);
  }
  return all;
}

}  // namespace toroid::study
