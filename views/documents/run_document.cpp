#include "views/documents/run_document.hpp"

#include <tuple>

#include "netsim/results/critical_losses.hpp"
#include "views/documents/machine_columns.hpp"
#include "views/documents/page.hpp"
#include "views/machines/holds.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::views {
namespace {

using netsim::Machine;
using netsim::Result;
using platforms::LinkId;
using workloads::Rank;

class RunColumns {
 public:
  RunColumns(const Machine& machine, const netsim::Mapping& mapping, const Result& result,
             const workloads::CommunicationMatrix& matrix, bool by_job = false)
      : machine_(machine),
        mapping_(mapping),
        result_(result),
        matrix_(matrix),
        by_job_(by_job),
        used_(positions(machine, result)),
        drawn_(machine, [this](LinkId port) { return used_[port.index()] != no_number; }) {}

  const MachineColumns& drawn() const { return drawn_; }

  Columns make(const RunNames& names, std::size_t most_pairs, std::size_t most_steps) {
    const auto& [links, activity] = std::tie(result_.link_windows, result_.activity);
    TOROID_ASSERT(mapping_.size() == result_.ranks.size());
    TOROID_ASSERT(links.bytes.size() == links.windows * result_.links.size());
    TOROID_ASSERT(activity.seconds.size() == activity.windows * result_.ranks.size() * netsim::doings);
    add_meta(names);
    drawn_.add_to(columns_);
    add_loads();
    add_link_windows();
    add_ranks();
    add_pairs(most_pairs);
    add_steps(most_steps);
    add_losses();
    // How many messages of which size went how far.
    using netsim::MessageClass;
    const auto& classes = result_.message_classes;
    columns_.add<u4>("class_size", classes, &MessageClass::size);
    columns_.add<i4>("class_hops", classes, &MessageClass::hops);
    columns_.add<f8>("class_messages", classes, &MessageClass::messages);
    columns_.add<f8>("class_bytes", classes, &MessageClass::bytes);
    return std::move(columns_);
  }

 private:
  /// For each link of the machine, its position among the links of the result; no_number where it carried nothing.
  static std::vector<u4> positions(const Machine& machine, const Result& result) {
    std::vector<u4> used(static_cast<std::size_t>(machine.link_count()), no_number);
    for (std::size_t i = 0; i < result.links.size(); ++i) {
      TOROID_ASSERT(result.links[i].link.index() < used.size());
      used[result.links[i].link.index()] = static_cast<u4>(i);
    }
    return used;
  }

  void add_meta(const RunNames& names) {
    const auto& path = result_.critical_path;
    const auto& w = result_.link_windows;
    columns_.meta = {
        {"platform", names.platform},
        {"trace", names.trace},
        {"map", names.map},
        {"engine", names.engine},
        {"runtime_s", result_.runtime},
        {"computation_is_left_out", names.computation_is_left_out},
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
    };
  }

  void add_loads() {
    using netsim::LinkResult;
    static const LinkResult nothing{};
    const auto add = [&]<class Number>(Number, std::string_view name, auto of) {
      columns_.add<Number>(name, drawn_.links(), [&](LinkId link) {
        const auto position = used_[link.index()];
        return std::invoke(of, position == no_number ? nothing : result_.links[position]);
      });
    };
    add(f8{}, "link_bytes", &LinkResult::bytes);
    add(u4{}, "link_messages", [](const LinkResult& load) { return std::min<std::uint64_t>(load.flows, no_number); });
    add(f4{}, "link_mean", &LinkResult::mean_utilization);
    add(f4{}, "link_peak", &LinkResult::peak_utilization);
    add(f4{}, "link_busy", &LinkResult::busy);
  }

  /// How much of its capacity each link used in each window, window by window.
  void add_link_windows() {
    const auto& w = result_.link_windows;
    std::vector<u1> use;
    use.reserve(w.windows * drawn_.links().size());
    for (std::size_t window = 0; window < w.windows; ++window) {
      const double begin = static_cast<double>(window) * w.window;
      const double seconds = std::min(w.window, result_.runtime - begin);
      for (const LinkId link : drawn_.links()) {
        const auto position = used_[link.index()];
        const double bytes = position == no_number ? 0 : w.bytes[position * w.windows + window];
        use.push_back(seconds > 0 ? byte_of(bytes / (machine_.link_bandwidth(link) * seconds)) : 0);
      }
    }
    columns_.add("link_use", use);
  }

  void add_ranks() {
    using netsim::RankReport;
    const auto& ranks = result_.ranks;
    columns_.add<u4>("rank_node", ranks, &RankReport::node);
    columns_.add<f8>("rank_compute", ranks, &RankReport::compute);
    columns_.add<f8>("rank_transfer", ranks, &RankReport::transfer);
    columns_.add<f8>("rank_wait", ranks, &RankReport::wait);
    columns_.add<f8>("rank_finish", ranks, &RankReport::finish);
    columns_.add<f8>("rank_bytes", ranks, &RankReport::bytes);
    const auto& activity = result_.activity;
    columns_.meta["activity_window_s"] = activity.window;
    columns_.meta["activity_windows"] = activity.windows;
    columns_.add("rank_doing", shares_of_windows(activity.seconds, netsim::doings));
    add_collectives();
    add_cores();
  }

  /// Which share of each window each core computed, of ranks on which several do.
  void add_cores() {
    const auto& activity = result_.activity;
    std::vector<netsim::CoreSpan> rows;
    std::vector<float> seconds;
    for (const auto& span : result_.core_spans) {
      if (rows.empty() || rows.back().rank != span.rank || rows.back().core != span.core) rows.push_back(span);
      seconds.resize(rows.size() * activity.windows);
      auto* row = &seconds[(rows.size() - 1) * activity.windows];
      for (auto w = static_cast<std::size_t>(span.begin / activity.window); w < activity.windows; ++w) {
        const double begin = static_cast<double>(w) * activity.window;
        if (begin >= span.end) break;
        row[w] += static_cast<float>(std::min(span.end, begin + activity.window) - std::max(span.begin, begin));
      }
    }
    columns_.add<u4>("core_rank", rows, &netsim::CoreSpan::rank);
    columns_.add<u4>("core_number", rows, &netsim::CoreSpan::core);
    columns_.add("core_computing", shares_of_windows(seconds, 1));
  }

  /// In which collectives ranks waited: in all, and window by window.
  void add_collectives() {
    const auto& activity = result_.activity;
    auto names = Json::array();
    std::vector<float> seconds;
    std::vector<u1> shares;
    for (const auto& waits : activity.collectives) {
      TOROID_ASSERT(waits.seconds.size() == activity.windows * result_.ranks.size());
      const auto& algorithm = workloads::collective_algorithms()[waits.algorithm];
      names.push_back({{"collective", to_string(algorithm.kind)}, {"algorithm", algorithm.name}});
      for (auto of_rank = waits.seconds.begin(); of_rank != waits.seconds.end();) {
        const auto next = of_rank + static_cast<std::ptrdiff_t>(activity.windows);
        seconds.push_back(static_cast<f4>(std::accumulate(of_rank, next, 0.0)));
        of_rank = next;
      }
      const auto by_window = shares_of_windows(waits.seconds, 1);
      shares.insert(shares.end(), by_window.begin(), by_window.end());
    }
    columns_.meta["collectives"] = names;
    columns_.add("rank_collective_wait", seconds);
    columns_.add("rank_in_collective", shares);
  }

  /// Seconds of ranks as shares of the windows of their activity, which have so many numbers each.
  std::vector<u1> shares_of_windows(const std::vector<float>& seconds, std::size_t kinds) const {
    const auto& activity = result_.activity;
    TOROID_ASSERT(seconds.empty() || seconds.size() % (kinds * activity.windows) == 0);
    std::vector<u1> shares;
    shares.reserve(seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const double begin = static_cast<double>(i / kinds % activity.windows) * activity.window;
      shares.push_back(byte_of(seconds[i] / std::min(activity.window, result_.runtime - begin)));
    }
    return shares;
  }

  /// Adds who sends to whom, and for each link the pairs whose messages take it, the most bytes first. The matrix
  /// has no places of ranks: collectives along the grid of their members are one ring there, which the meta data says.
  void add_pairs(std::size_t most) {
    struct Pair {
      Rank from, to;
      std::uint64_t bytes, messages;
    };
    TOROID_ASSERT(matrix_.rows.size() == mapping_.size());
    std::vector<Pair> pairs;
    for (const Rank from : matrix_.rows.ids())
      for (const auto& cell : matrix_.rows[from]) pairs.push_back({from, cell.to, cell.bytes, cell.messages});
    columns_.meta["pairs"] = pairs.size();
    columns_.meta["pairs_as_rings"] =
        std::ranges::any_of(result_.collectives, [](const auto& use) { return use.grid != platforms::Coordinates{}; });
    std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
    if (pairs.size() > most) pairs.resize(most);

    std::vector<std::vector<u4>> on_link(drawn_.links().size());
    constexpr std::size_t most_on_link = 8;
    for (std::size_t number = 0; number < pairs.size(); ++number)
      machine_.for_each_link(mapping_[pairs[number].from], mapping_[pairs[number].to], [&](LinkId link) {
        const auto on = drawn_.number(link);
        if (on != no_number && on_link[on].size() < most_on_link) on_link[on].push_back(static_cast<u4>(number));
      });
    std::vector<u4> begin{0}, list;
    for (const auto& some : on_link) {
      list.insert(list.end(), some.begin(), some.end());
      begin.push_back(static_cast<u4>(list.size()));
    }
    columns_.add<u4>("pair_from", pairs, &Pair::from);
    columns_.add<u4>("pair_to", pairs, &Pair::to);
    columns_.add<f8>("pair_bytes", pairs, &Pair::bytes);
    columns_.add<f8>("pair_messages", pairs, &Pair::messages);
    columns_.add<u2>("pair_hops", pairs, [&](const Pair& pair) {
      const auto source = mapping_[pair.from], target = mapping_[pair.to];
      return source == target ? 0 : machine_.hops(source, target);
    });
    columns_.add("link_pairs_begin", begin);
    columns_.add("link_pairs", list);
  }

  void add_steps(std::size_t most) {
    const auto& steps = result_.critical_steps;
    columns_.meta["steps"] = steps.size();
    std::vector<std::size_t> kept(steps.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    if (kept.size() > most) {
      std::ranges::stable_sort(kept, [&](std::size_t a, std::size_t b) {
        return steps[a].end - steps[a].begin > steps[b].end - steps[b].begin;
      });
      kept.resize(most);
      std::ranges::sort(kept);
    }
    using Step = netsim::CriticalStep;
    const auto add = [&]<class Number>(Number, std::string_view name, auto of) {
      columns_.add<Number>(name, kept, [&](std::size_t i) { return std::invoke(of, steps[i]); });
    };
    add(u1{}, "step_is_message", &Step::is_message);
    add_collectives_of(kept);
    add(u4{}, "step_rank", &Step::rank);
    add(u4{}, "step_receiver", [](const Step& step) { return step.is_message ? step.receiver : step.rank; });
    add(f8{}, "step_bytes", &Step::bytes);
    add(f8{}, "step_begin", &Step::begin);
    add(f8{}, "step_end", &Step::end);
    add(f4{}, "step_latency", &Step::latency);
    add(f4{}, "step_bandwidth", &Step::bandwidth);
    add(f4{}, "step_lost", &Step::sharing);
    add_obstacles(kept);
  }

  /// Adds the collectives whose messages the kept steps are: 0 is none, n is the n-th collective of the meta data.
  void add_collectives_of(const std::vector<std::size_t>& kept) {
    std::map<workloads::OpKind, u1> numbers;
    for (const auto i : kept)
      if (const auto kind = result_.critical_steps[i].collective) numbers.try_emplace(*kind, 0);
    auto names = Json::array();
    for (auto& [kind, number] : numbers) {
      names.push_back(to_string(kind));
      number = static_cast<u1>(names.size());
    }
    TOROID_ASSERT(names.size() <= std::numeric_limits<u1>::max());
    columns_.meta["step_collectives"] = names;
    columns_.add<u1>("step_collective", kept, [&](std::size_t i) {
      const auto kind = result_.critical_steps[i].collective;
      return kind ? numbers.at(*kind) : u1{0};
    });
  }

  void add_obstacles(const std::vector<std::size_t>& kept) {
    std::vector<netsim::Obstacle> shown;
    std::vector<u4> step;
    for (const auto& obstacle : result_.obstacles) {
      const auto at = std::lower_bound(kept.begin(), kept.end(), obstacle.step);
      if (at == kept.end() || *at != obstacle.step) continue;
      step.push_back(static_cast<u4>(at - kept.begin()));
      shown.push_back(obstacle);
    }
    using netsim::Obstacle;
    columns_.add("obstacle_step", step);
    columns_.add<u4>("obstacle_from", shown, &Obstacle::from);
    columns_.add<u4>("obstacle_to", shown, &Obstacle::to);
    columns_.add<u4>("obstacle_link", shown, [&](const Obstacle& one) { return drawn_.number(one.link); });
    columns_.add<f8>("obstacle_bytes", shown, &Obstacle::bytes);
    columns_.add<f8>("obstacle_bytes_meanwhile", shown, &Obstacle::bytes_meanwhile);
  }

  /// Adds on which links, and between which ranks, the critical path lost time; and on which links each job did.
  void add_losses() {
    const auto losses = netsim::critical_losses(machine_, mapping_, result_);
    columns_.meta["lost_s"] = losses.total;
    using netsim::LinkLoss;
    using netsim::PairLoss;
    std::vector<LinkLoss> of_jobs;
    if (by_job_) columns_.add("loss_link_job", netsim::losses_by_job(result_, losses, of_jobs));
    const auto& links = by_job_ ? of_jobs : losses.links;
    columns_.add<u4>("loss_link", links, [&](const LinkLoss& loss) { return drawn_.number(loss.link); });
    columns_.add<f8>("loss_link_s", links, &LinkLoss::seconds);
    columns_.add<u4>("loss_pair_from", losses.pairs, &PairLoss::from);
    columns_.add<u4>("loss_pair_to", losses.pairs, &PairLoss::to);
    columns_.add<f8>("loss_pair_s", losses.pairs, &PairLoss::seconds);
  }

  const Machine& machine_;
  const netsim::Mapping& mapping_;
  const Result& result_;
  const workloads::CommunicationMatrix& matrix_;
  bool by_job_;  ///< whether losses are told of each job
  Columns columns_;
  std::vector<u4> used_;
  MachineColumns drawn_;
};

void add_job_loads(const Result& result, const MachineColumns& drawn, Columns& columns) {
  std::vector<u4> begin{0};
  std::vector<netsim::JobLoad> all;
  for (const LinkId link : drawn.links()) {
    const auto loads = result.loads_of(link);
    all.insert(all.end(), loads.begin(), loads.end());
    begin.push_back(static_cast<u4>(all.size()));
  }
  columns.add("link_jobs_begin", begin);
  columns.add<u4>("link_job", all, &netsim::JobLoad::job);
  columns.add<f8>("link_job_bytes", all, &netsim::JobLoad::bytes);
}

Json jobs_meta(const netsim::Run& run, const Result& result, const Json& told) {
  const auto colours = colours_of(run);
  auto all = told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& job = all[i];
    const auto* last = result.last_report(i);
    job["first_rank"] = result.jobs[i].first_rank.value();
    job["ranks"] = result.jobs[i].rank_count;
    job["colour"] = colours[i];
    job["last_round_begin_s"] = last != nullptr ? Json(last->start.seconds()) : Json();
    job["last_round_s"] = last != nullptr ? Json(last->runtime) : Json();
    job["steps"] = last != nullptr ? last->critical_steps.size() : 0;
  }
  return all;
}

/// The messages of all ranks of a run, from those of each job.
workloads::CommunicationMatrix joined(const Result& result,
                                      const std::vector<workloads::CommunicationMatrix>& matrices) {
  TOROID_ASSERT(matrices.size() == result.jobs.size());
  workloads::CommunicationMatrix all;
  for (std::size_t job = 0; job < matrices.size(); ++job)
    for (const auto& row : matrices[job].rows) {
      auto& cells = all.rows[all.rows.add()];
      for (const auto& [to, bytes, messages] : row)
        cells.push_back({Rank(result.jobs[job].first_rank.value() + to.value()), bytes, messages});
    }
  return all;
}

}  // namespace

void record_for_columns(netsim::Run& run) {
  constexpr std::size_t most = 64'000'000 / (netsim::doings * sizeof(float));  // 64 MB of what ranks do
  std::size_t ranks = 0;
  for (const auto& job : run.jobs) ranks += job.mapping.size();
  const auto windows = std::clamp<std::size_t>(most / std::max<std::size_t>(1, ranks), 1, run.windows);
  for (auto& job : run.jobs) {
    job.options.log_causes = true;
    job.options.activity_windows = windows;
  }
  run.keep_windows = true;
}

Columns run_columns(const Machine& machine, const netsim::Mapping& mapping, const Result& result,
                    const workloads::CommunicationMatrix& matrix, const RunNames& names, std::size_t most_pairs,
                    std::size_t most_steps) {
  return RunColumns(machine, mapping, result, matrix).make(names, most_pairs, most_steps);
}

Columns jobs_columns(const netsim::Run& run, const Result& result,
                     const std::vector<workloads::CommunicationMatrix>& matrices, const Json& told,
                     const RunNames& names, std::size_t most_pairs, std::size_t most_steps) {
  netsim::Mapping mapping;
  for (const auto& rank : result.ranks) mapping.add(rank.node);
  const auto matrix = joined(result, matrices);
  RunColumns drawn(run.machine, mapping, result, matrix, true);
  auto columns = drawn.make(names, most_pairs, most_steps);
  add_job_loads(result, drawn.drawn(), columns);
  columns.meta["jobs"] = jobs_meta(run, result, told["jobs"]);
  columns.meta["contention"] = told["contention"];
  columns.meta["no_contention_because"] = told["no_contention_because"];
  return columns;
}

std::string run_page(const Columns& run) {
  const auto title =
      fmt::format("{} on {}", run.meta["trace"].get<std::string>(), run.meta["platform"].get<std::string>());
  return page(title, run, web::run);
}

}  // namespace toroid::views
