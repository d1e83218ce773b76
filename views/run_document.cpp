#include "views/run_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "netsim/critical_losses.hpp"

namespace toroid::views {
namespace {

using core::Json;
using netsim::Machine;
using netsim::Result;
using platforms::LinkId;
using platforms::RouterId;
using workloads::Rank;

constexpr std::uint32_t nothing = ~std::uint32_t{0};

std::uint32_t u4(auto id) {
  return static_cast<std::uint32_t>(id.value());
}

/// What `of` says of each, in their order.
template <class Range, class Of>
auto each(const Range& range, Of of) {
  std::vector<std::decay_t<std::invoke_result_t<Of, decltype(*std::begin(range))>>> column;
  for (const auto& one : range) column.push_back(std::invoke(of, one));
  return column;
}

/// 0 to 1 as 0 to 255; what is above 0 never becomes 0.
std::uint8_t byte_of(double share) {
  if (!(share > 0)) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::lround(255 * share), 1L, 255L));
}

class RunColumns {
 public:
  RunColumns(const Machine& machine, const netsim::Mapping& mapping, const Result& result,
             const workloads::CommunicationMatrix& matrix)
      : machine_(machine), mapping_(mapping), result_(result), matrix_(matrix) {}

  Columns make(const RunNames& names, std::size_t most_pairs, std::size_t most_steps) {
    add_meta(names);
    add_routers();
    add_links();
    add_link_windows();
    add_ranks();
    add_pairs(most_pairs);
    add_steps(most_steps);
    add_losses();
    return std::move(columns_);
  }

 private:
  void add_meta(const RunNames& names) {
    const auto& path = result_.critical_path;
    auto dimensions = Json::array();
    for (const auto& d : machine_.description().dimensions)
      dimensions.push_back({{"name", machine_.grid().name(dimensions.size())},
                            {"extent", d.extent},
                            {"wrap", to_string(d.wrap)},
                            {"shared", d.shared},
                            {"twisted", d.is_twisted()},
                            {"bandwidth", d.capacity()}});
    const auto& w = result_.link_windows;
    columns_.meta = {
        {"machine", machine_.name()},
        {"platform", names.platform},
        {"trace", names.trace},
        {"map", names.map},
        {"engine", names.engine},
        {"runtime_s", result_.runtime},
        {"parts_s",
         {{"compute", path.compute},
          {"latency", path.latency},
          {"bandwidth", path.bandwidth},
          {"sharing", path.sharing}}},
        {"messages", result_.network_messages},
        {"bytes", result_.network_bytes},
        {"hops_per_byte", result_.hops_per_byte()},
        {"window_s", w.window},
        {"windows", w.windows},
        {"dimensions", dimensions},
        {"nodes_per_router", machine_.description().nodes_per_router},
    };
  }

  /// Coordinates of routers; which of their nodes are there.
  void add_routers() {
    const auto& grid = machine_.grid();
    std::vector<std::uint16_t> at;
    std::vector<std::uint32_t> first_node;
    std::vector<std::uint8_t> works;
    for (const RouterId router : grid.routers()) {
      const auto coordinates = grid.coordinates(router);
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) at.push_back(static_cast<std::uint16_t>(coordinates[d]));
      first_node.push_back(u4(machine_.first_node(router)));
      works.push_back(machine_.router_works(router) ? 1 : 0);
    }
    std::vector<std::uint8_t> states;
    for (const auto node : machine_.nodes()) states.push_back(static_cast<std::uint8_t>(machine_.state(node)));
    columns_.add("router_at", at);
    columns_.add("router_first_node", first_node);
    columns_.add("router_works", works);
    columns_.add("node_state", states);
  }

  /// All links, those that carried nothing and those that failed included; the lines that are drawn of them: one for
  /// each link, and for a shared line one for each two neighbours on it.
  void add_links() {
    std::vector<std::size_t> used(static_cast<std::size_t>(machine_.link_count()), result_.links.size());
    for (std::size_t i = 0; i < result_.links.size(); ++i) used[result_.links[i].link.index()] = i;
    std::vector<std::uint32_t> from, to, flows, segment_link, segment_from, segment_to;
    std::vector<std::uint8_t> kind, failed;
    std::vector<float> bandwidth, mean, peak, busy;
    std::vector<double> bytes;
    link_of_.assign(used.size(), nothing);
    for (const LinkId link : machine_.links()) {
      const bool is_of_grid = machine_.is_of_grid(link);
      const auto position = used[link.index()];
      const bool is_used = position < result_.links.size();
      if (!(is_of_grid ? machine_.grid().link_exists(link) : is_used)) continue;
      const auto number = static_cast<std::uint32_t>(from.size());
      link_of_[link.index()] = number;
      used_of_.push_back(is_used ? position : nothing);
      add_segments(link, number, segment_link, segment_from, segment_to);
      from.push_back(is_of_grid ? u4(machine_.grid().link_source(link)) : u4(machine_.node_of_port(link)));
      to.push_back(is_of_grid ? u4(end_of(link)) : u4(machine_.node_of_port(link)));
      kind.push_back(kind_of(link));
      failed.push_back(machine_.link_exists(link) ? 0 : 1);
      bandwidth.push_back(static_cast<float>(machine_.link_bandwidth(link)));
      const auto load = is_used ? result_.links[position] : netsim::LinkResult{};
      bytes.push_back(static_cast<double>(load.bytes));
      flows.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(load.flows, nothing)));
      mean.push_back(static_cast<float>(load.mean_utilization));
      peak.push_back(static_cast<float>(load.peak_utilization));
      busy.push_back(static_cast<float>(load.busy));
    }
    columns_.add("link_from", from);
    columns_.add("link_to", to);
    columns_.add("link_kind", kind);
    columns_.add("link_failed", failed);
    columns_.add("link_bandwidth", bandwidth);
    columns_.add("link_bytes", bytes);
    columns_.add("link_messages", flows);
    columns_.add("link_mean", mean);
    columns_.add("link_peak", peak);
    columns_.add("link_busy", busy);
    columns_.add("segment_link", segment_link);
    columns_.add("segment_from", segment_from);
    columns_.add("segment_to", segment_to);
  }

  RouterId end_of(LinkId link) const {
    const auto& grid = machine_.grid();
    return grid.dimension(grid.link_dimension(link)).shared ? grid.link_source(link) : grid.link_target(link);
  }

  /// Twice the dimension, plus 1 backward; 254 injection, 255 ejection.
  std::uint8_t kind_of(LinkId link) const {
    if (!machine_.is_of_grid(link)) return machine_.is_injection(link) ? 254 : 255;
    return static_cast<std::uint8_t>(2 * machine_.grid().link_dimension(link) +
                                     (machine_.grid().link_is_forward(link) ? 0 : 1));
  }

  void add_segments(LinkId link, std::uint32_t number, std::vector<std::uint32_t>& segment_link,
                    std::vector<std::uint32_t>& segment_from, std::vector<std::uint32_t>& segment_to) const {
    if (!machine_.is_of_grid(link)) return;
    const auto& grid = machine_.grid();
    const auto d = grid.link_dimension(link);
    const bool shared = grid.dimension(d).shared;
    auto here = grid.link_source(link);
    for (std::int32_t i = 0; i < (shared ? grid.dimension(d).extent : 1); ++i) {
      if (shared && !grid.has_neighbour(here, d, true)) break;
      const auto next = grid.neighbour(here, d, shared || grid.link_is_forward(link));
      segment_link.push_back(number);
      segment_from.push_back(u4(here));
      segment_to.push_back(u4(next));
      here = next;
    }
  }

  /// How much of its capacity each link used in each window, window by window.
  void add_link_windows() {
    const auto& w = result_.link_windows;
    std::vector<std::uint8_t> use;
    use.reserve(w.windows * used_of_.size());
    for (std::size_t window = 0; window < w.windows; ++window) {
      const double begin = static_cast<double>(window) * w.window;
      const double seconds = std::min(w.window, result_.runtime - begin);
      for (const auto link : core::ids<LinkId>(machine_.link_count())) {
        const auto number = link_of_[link.index()];
        if (number == nothing) continue;
        const auto position = used_of_[number];
        const double bytes = position == nothing ? 0 : w.bytes[position * w.windows + window];
        use.push_back(seconds > 0 ? byte_of(bytes / (machine_.link_bandwidth(link) * seconds)) : 0);
      }
    }
    columns_.add("link_use", use);
  }

  void add_ranks() {
    const auto& ranks = result_.ranks;
    columns_.add("rank_node", each(ranks, [](const auto& rank) { return u4(rank.node); }));
    columns_.add("rank_compute", each(ranks, &netsim::RankReport::compute));
    columns_.add("rank_transfer", each(ranks, &netsim::RankReport::transfer));
    columns_.add("rank_wait", each(ranks, &netsim::RankReport::wait));
    columns_.add("rank_finish", each(ranks, &netsim::RankReport::finish));
    columns_.add("rank_bytes", each(ranks, [](const auto& rank) { return static_cast<double>(rank.bytes); }));
    const auto& activity = result_.activity;
    columns_.meta["activity_window_s"] = activity.window;
    columns_.meta["activity_windows"] = activity.windows;
    std::vector<std::uint8_t> doing;
    doing.reserve(activity.seconds.size());
    for (std::size_t i = 0; i < activity.seconds.size(); ++i) {
      const auto window = i / netsim::doings % activity.windows;
      const double begin = static_cast<double>(window) * activity.window;
      doing.push_back(byte_of(activity.seconds[i] / std::min(activity.window, result_.runtime - begin)));
    }
    columns_.add("rank_doing", doing);
  }

  /// Who sends to whom, and of each link the pairs whose messages take it, those with the most bytes first. The matrix
  /// has no places of ranks: collectives along the grid of their members are one ring there, which the meta data says.
  void add_pairs(std::size_t most) {
    struct Pair {
      Rank from, to;
      std::uint64_t bytes, messages;
    };
    std::vector<Pair> pairs;
    for (const Rank from : matrix_.rows.ids())
      for (const auto& cell : matrix_.rows[from]) pairs.push_back({from, cell.to, cell.bytes, cell.messages});
    columns_.meta["pairs"] = pairs.size();
    columns_.meta["pairs_as_rings"] =
        std::ranges::any_of(result_.collectives, [](const auto& use) { return use.grid != platforms::Coordinates{}; });
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
    if (pairs.size() > most) pairs.resize(most);

    std::vector<std::uint32_t> from, to;
    std::vector<double> bytes, messages;
    std::vector<std::uint16_t> hops;
    std::vector<std::vector<std::uint32_t>> on_link(used_of_.size());
    constexpr std::size_t most_on_link = 8;
    for (const auto& pair : pairs) {
      const auto source = mapping_[pair.from], target = mapping_[pair.to];
      const auto number = static_cast<std::uint32_t>(from.size());
      from.push_back(u4(pair.from));
      to.push_back(u4(pair.to));
      bytes.push_back(static_cast<double>(pair.bytes));
      messages.push_back(static_cast<double>(pair.messages));
      hops.push_back(static_cast<std::uint16_t>(source == target ? 0 : machine_.hops(source, target)));
      machine_.for_each_link(source, target, [&](LinkId link) {
        const auto on = link_of_[link.index()];
        if (on != nothing && on_link[on].size() < most_on_link) on_link[on].push_back(number);
      });
    }
    std::vector<std::uint32_t> begin{0}, list;
    for (const auto& some : on_link) {
      list.insert(list.end(), some.begin(), some.end());
      begin.push_back(static_cast<std::uint32_t>(list.size()));
    }
    columns_.add("pair_from", from);
    columns_.add("pair_to", to);
    columns_.add("pair_bytes", bytes);
    columns_.add("pair_messages", messages);
    columns_.add("pair_hops", hops);
    columns_.add("link_pairs_begin", begin);
    columns_.add("link_pairs", list);
  }

  /// The critical path, step by step.
  void add_steps(std::size_t most) {
    const auto& steps = result_.critical_steps;
    columns_.meta["steps"] = steps.size();
    std::vector<std::size_t> kept(steps.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    if (kept.size() > most) {
      std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
        return steps[a].end - steps[a].begin > steps[b].end - steps[b].begin;
      });
      kept.resize(most);
      std::sort(kept.begin(), kept.end());
    }
    using Step = netsim::CriticalStep;
    const auto add = [&](std::string_view name, auto of) {
      columns_.add(name, each(kept, [&](std::size_t i) { return of(steps[i]); }));
    };
    add("step_is_message", [](const Step& step) { return std::uint8_t{step.is_message}; });
    add("step_rank", [](const Step& step) { return u4(step.rank); });
    add("step_receiver", [](const Step& step) { return u4(step.is_message ? step.receiver : step.rank); });
    add("step_bytes", [](const Step& step) { return static_cast<double>(step.bytes); });
    add("step_begin", [](const Step& step) { return step.begin; });
    add("step_end", [](const Step& step) { return step.end; });
    add("step_latency", [](const Step& step) { return static_cast<float>(step.latency); });
    add("step_bandwidth", [](const Step& step) { return static_cast<float>(step.bandwidth); });
    add("step_lost", [](const Step& step) { return static_cast<float>(step.sharing); });
  }

  void add_losses() {
    const auto losses = netsim::critical_losses(machine_, mapping_, result_);
    columns_.meta["lost_s"] = losses.total;
    using netsim::LinkLoss;
    using netsim::PairLoss;
    columns_.add("loss_link", each(losses.links, [&](const LinkLoss& loss) { return link_of_[loss.link.index()]; }));
    columns_.add("loss_link_s", each(losses.links, &LinkLoss::seconds));
    columns_.add("loss_pair_from", each(losses.pairs, [](const PairLoss& loss) { return u4(loss.from); }));
    columns_.add("loss_pair_to", each(losses.pairs, [](const PairLoss& loss) { return u4(loss.to); }));
    columns_.add("loss_pair_s", each(losses.pairs, &PairLoss::seconds));
  }

  const Machine& machine_;
  const netsim::Mapping& mapping_;
  const Result& result_;
  const workloads::CommunicationMatrix& matrix_;
  Columns columns_;
  std::vector<std::uint32_t> link_of_;  ///< by link id: its number among the columns' links
  std::vector<std::size_t> used_of_;    ///< by that number: its position in the result's links
};

}  // namespace

Columns run_columns(const Machine& machine, const netsim::Mapping& mapping, const Result& result,
                    const workloads::CommunicationMatrix& matrix, const RunNames& names, std::size_t most_pairs,
                    std::size_t most_steps) {
  return RunColumns(machine, mapping, result, matrix).make(names, most_pairs, most_steps);
}

}  // namespace toroid::views
