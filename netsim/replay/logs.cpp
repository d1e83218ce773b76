#include "netsim/replay/logs.hpp"

#include <bit>

namespace toroid::netsim {

namespace {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

constexpr std::size_t most_steps = 2000, most_obstacles = 4;

/// A message of the critical path that lost time, and what was in its way so far, the largest first.
struct Watched {
  std::size_t step = 0;
  double begin = 0, end = 0;
  std::vector<LinkId> route;  ///< sorted
  std::vector<Obstacle> obstacles;

  void add(const Obstacle& obstacle) {
    const auto is_smaller = [&](double bytes) { return bytes < obstacle.bytes_meanwhile; };
    obstacles.insert(std::ranges::find_if(obstacles, is_smaller, &Obstacle::bytes_meanwhile), obstacle);
    if (obstacles.size() > most_obstacles) obstacles.pop_back();
  }
};

/// The steps that lost most, in the order of the path. They follow each other in time, as all its steps do.
std::vector<Watched> watched(const Machine& machine, const ReplayReport& report) {
  const auto& steps = report.critical_steps;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].is_message && steps[i].lost_on_the_way() > 0) kept.push_back(i);
  if (kept.size() > most_steps) {
    std::ranges::stable_sort(kept, std::greater(), [&](std::size_t i) { return steps[i].lost_on_the_way(); });
    kept.resize(most_steps);
    std::sort(kept.begin(), kept.end());
  }
  std::vector<Watched> all;
  for (const auto i : kept) {
    auto& one = all.emplace_back(Watched{i, steps[i].begin, steps[i].end, {}, {}});
    machine.for_each_link(report.ranks[steps[i].rank].node, report.ranks[steps[i].receiver].node,
                          [&](LinkId link) { one.route.push_back(link); });
    std::sort(one.route.begin(), one.route.end());
  }
  return all;
}

bool is_same(const CriticalStep& a, const CriticalStep& b) {
  return a.rank == b.rank && a.receiver == b.receiver && a.operation == b.operation && a.begin == b.begin &&
         a.end == b.end;
}

/// The first link of a message's route that is among `links`, none() if there is none.
LinkId first_among(const Machine& machine, NodeId from, NodeId to, const std::vector<LinkId>& links) {
  LinkId found = LinkId::none();
  machine.for_each_link(from, to, [&](LinkId link) {
    if (found == LinkId::none() && std::binary_search(links.begin(), links.end(), link)) found = link;
  });
  return found;
}

/// The messages of a critical path, and what else travels beside them.
class Path {
 public:
  Path(const Machine& machine, const ReplayReport& report)
      : machine_(machine), report_(report), critical_(watched(machine, report)) {}

  /// Looks at a message between two nodes: one of the path's own replay, or of another, with its times as the path has
  /// them.
  void see(const CriticalStep& message, NodeId from, NodeId to, std::uint32_t job, bool is_own) {
    if (message.bytes == 0 || !(message.end > message.begin)) return;  // it was in nobody's way
    auto beside = std::partition_point(critical_.begin(), critical_.end(),
                                       [&](const Watched& one) { return one.end <= message.begin; });
    for (; beside != critical_.end() && beside->begin < message.end; ++beside) {
      if (is_own && is_same(message, report_.critical_steps[beside->step])) continue;
      const auto link = first_among(machine_, from, to, beside->route);
      if (link == LinkId::none()) continue;
      const double both = std::min(message.end, beside->end) - std::max(message.begin, beside->begin);
      const double part = both / (message.end - message.begin);
      beside->add({beside->step, message.rank, message.receiver, message.bytes, message.begin, message.end,
                   part * static_cast<double>(message.bytes), link, job});
    }
  }

  std::vector<Obstacle> obstacles() const {
    std::vector<Obstacle> all;
    for (const auto& one : critical_) all.insert(all.end(), one.obstacles.begin(), one.obstacles.end());
    return all;
  }

 private:
  const Machine& machine_;
  const ReplayReport& report_;
  std::vector<Watched> critical_;
};

}  // namespace

void tell_messages(const Machine& machine, const CauseLog& causes, ReplayReport& report) {
  if (!causes.wanted()) return;
  Path path(machine, report);
  std::map<std::pair<std::uint32_t, std::int32_t>, MessageClass> classes;
  causes.for_each_message([&](const CriticalStep& message) {
    const auto from = report.ranks[message.rank].node, to = report.ranks[message.receiver].node;
    if (from == to) return;
    const auto size = static_cast<std::uint32_t>(std::bit_width(message.bytes));
    const auto hops = machine.hops(from, to);
    auto& alike = classes.try_emplace({size, hops}, MessageClass{size, hops, 0, 0}).first->second;
    ++alike.messages;
    alike.bytes += message.bytes;
    path.see(message, from, to, 0, true);
  });
  for (const auto& [key, alike] : classes) report.message_classes.push_back(alike);
  report.obstacles = path.obstacles();
}

void keep_several_cores(std::vector<CoreSpan>& spans) {
  std::map<workloads::Rank, std::set<std::uint32_t>> cores;
  for (const auto& span : spans) cores[span.rank].insert(span.core);
  std::erase_if(spans, [&](const CoreSpan& span) { return cores[span.rank].size() == 1; });
  std::ranges::sort(spans, {}, [](const CoreSpan& span) { return std::tuple(span.rank, span.core, span.begin); });
}

void tell_obstacles(const Machine& machine, std::vector<LoggedRound>& rounds, std::size_t of) {
  auto& report = rounds[of].report;
  Path path(machine, report);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto& [job, other] = rounds[i];
    const double later = (other.start - report.start).seconds();
    for (auto message : other.messages_sent) {
      const auto from = other.ranks[message.rank].node, to = other.ranks[message.receiver].node;
      if (from == to) continue;
      if (i != of) {  // times of the round itself stay as they are, to the last bit
        message.begin += later;
        message.end += later;
      }
      path.see(message, from, to, job, i == of);
    }
  }
  report.obstacles = path.obstacles();
}

}  // namespace toroid::netsim
