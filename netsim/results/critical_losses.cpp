#include "netsim/results/critical_losses.hpp"

namespace toroid::netsim {
namespace {

/// How much of its capacity a link used in a part of the run.
class Use {
 public:
  Use(const Machine& machine, const Result& result) : machine_(machine), result_(result) {
    position_.resize(static_cast<std::size_t>(machine.link_count()), none);
    for (std::size_t i = 0; i < result.links.size(); ++i) position_[result.links[i].link.index()] = i;
  }

  double between(LinkId link, double begin, double end) const {
    const auto position = position_[link.index()];
    if (position == none) return 0;
    const auto& w = result_.link_windows;
    if (w.windows == 0) return result_.links[position].mean_utilization;
    const auto window_of = [&](double time) {
      return std::min(static_cast<std::size_t>(std::max(0.0, time) / w.window), w.windows - 1);
    };
    const auto first = window_of(begin), last = window_of(end);
    double bytes = 0;
    for (auto i = first; i <= last; ++i) bytes += static_cast<double>(w.bytes[position * w.windows + i]);
    return bytes / (machine_.link_bandwidth(link) * w.window * static_cast<double>(last - first + 1));
  }

 private:
  static constexpr auto none = ~std::size_t{0};
  const Machine& machine_;
  const Result& result_;
  std::vector<std::size_t> position_;  ///< positions in Result::links
};

/// The name of the dimension that a link is of, or of the ports that it is one of.
std::string kind_of(const Machine& machine, LinkId link) {
  if (machine.is_of_grid(link)) return machine.grid().name(machine.grid().link_dimension(link));
  return machine.is_injection(link) ? "injection" : "ejection";
}

}  // namespace

CriticalLosses critical_losses(const Machine& machine, const Mapping& mapping, const Result& result) {
  const Use use(machine, result);
  std::map<LinkId, double> links;
  std::map<std::pair<workloads::Rank, workloads::Rank>, double> pairs;
  std::map<std::string, double> kinds;
  CriticalLosses losses;
  double at_cores = 0;
  for (const auto& step : result.critical_steps) {
    auto& where = losses.of_step.emplace_back(LinkId::none());
    at_cores += step.at_core;
    const double lost = step.lost_on_the_way();
    if (!step.is_message || !(lost > 0)) continue;
    LinkId busiest = LinkId::none();
    double most = -1;
    machine.for_each_link(mapping[step.rank], mapping[step.receiver], [&](LinkId link) {
      if (const double used = use.between(link, step.begin, step.end); used > most) {
        most = used;
        busiest = link;
      }
    });
    if (busiest == LinkId::none()) continue;
    where = busiest;
    losses.total += lost;
    kinds[kind_of(machine, busiest)] += lost;
    links[busiest] += lost;
    pairs[{step.rank, step.receiver}] += lost;
  }
  if (at_cores > 0) kinds["cores"] = at_cores;
  for (const auto& [kind, seconds] : kinds) losses.kinds.push_back({kind, seconds});
  for (const auto& [link, seconds] : links) losses.links.push_back({link, seconds});
  for (const auto& [pair, seconds] : pairs) losses.pairs.push_back({pair.first, pair.second, seconds});
  const auto larger = [](const auto& a, const auto& b) { return a.seconds > b.seconds; };
  std::stable_sort(losses.kinds.begin(), losses.kinds.end(), larger);
  std::stable_sort(losses.links.begin(), losses.links.end(), larger);
  std::stable_sort(losses.pairs.begin(), losses.pairs.end(), larger);
  return losses;
}

std::vector<std::uint32_t> losses_by_job(const Result& result, const CriticalLosses& losses,
                                         std::vector<LinkLoss>& links) {
  std::map<std::pair<LinkId, std::uint32_t>, double> sums;
  for (std::size_t i = 0; i < losses.of_step.size(); ++i) {
    const auto& step = result.critical_steps[i];
    if (losses.of_step[i] != LinkId::none())
      sums[{losses.of_step[i], result.job_of(step.rank)}] += step.lost_on_the_way();
  }
  std::vector<std::pair<std::pair<LinkId, std::uint32_t>, double>> all(sums.begin(), sums.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::uint32_t> jobs;
  for (const auto& [of, seconds] : all) {
    links.push_back({of.first, seconds});
    jobs.push_back(of.second);
  }
  return jobs;
}

}  // namespace toroid::netsim
