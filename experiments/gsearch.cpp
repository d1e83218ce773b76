// How many swaps GSEARCH makes (Balzuweit et al. 2014, section IV-B and IV-C), for each of its variants.
//
//   gsearch [--job 4x2x1] [--machine 4x4x2] [--sample N]
//   gsearch --random N [--run MEAN] [--machine 16x24x24] [--jobs 4x4x4,...]
//   gsearch --log FILE [--machine 24x24x16] [--shapes usual|compact] [--only-first]
//
// The first tries all allocations of a small job on a small mesh, or N drawn at random, and prints how many of them
// take how many swaps. The second draws N allocations for each of several jobs, of single nodes or of runs
// along a snake, the more like those of a machine in use. What the paper says about allocations is printed: the mean
// number of swaps against the job's size n, how many stay below 0.35 n + 20, and the variants against each other. The
// third takes the allocations that the jobs of a log get where each starts when it did then: along a snake, best fit.
// Ranks exchange one byte with each neighbour, so the cost is the paper's average hops but for a factor.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "core/table.hpp"
#include "cosim/record.hpp"
#include "mapping/geometric/geometric_mapper.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/trace.hpp"

namespace {

using namespace toroid;
using mapping::SwapChoice;
using Nodes = std::vector<platforms::NodeId>;

/// The grid in space of least surface for so many ranks, the longest axis first.
mapping::JobGrid compact_grid(std::int32_t ranks) {
  mapping::JobGrid best{ranks, 1, 1};
  const auto surface = [](const mapping::JobGrid& g) {
    return static_cast<std::int64_t>(g[0]) * g[1] + static_cast<std::int64_t>(g[0]) * g[2] +
           static_cast<std::int64_t>(g[1]) * g[2];
  };
  for (std::int32_t z = 1; static_cast<std::int64_t>(z) * z * z <= ranks; ++z) {
    if (ranks % z != 0) continue;
    for (std::int32_t y = z; static_cast<std::int64_t>(y) * y <= ranks / z; ++y) {
      if (ranks / z % y != 0) continue;
      const mapping::JobGrid grid{ranks / z / y, y, z};
      if (surface(grid) < surface(best)) best = grid;
    }
  }
  return best;
}

/// For 4 to 4,096 ranks, powers of two, the grids of the miniGhost runs of Balzuweit et al. 2014, figure 3; otherwise
/// compact_grid.
mapping::JobGrid usual_grid(std::int32_t ranks) {
  static const std::vector<mapping::JobGrid> mini_ghost{{1, 4, 1},  {2, 4, 1},  {2, 4, 2},  {2, 8, 2},
                                                        {4, 8, 2},  {4, 8, 4},  {4, 16, 4}, {8, 16, 4},
                                                        {8, 16, 8}, {8, 32, 8}, {16, 32, 8}};
  for (const auto& grid : mini_ghost)
    if (grid[0] * grid[1] * grid[2] == ranks) return grid;
  return compact_grid(ranks);
}

constexpr std::array choices{std::pair{SwapChoice::first, "first"},
                             std::pair{SwapChoice::best_per_rank, "best-per-rank"},
                             std::pair{SwapChoice::best, "best"}};

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A stencil job: its grid, and one byte between neighbours each way.
struct Job {
  mapping::JobGrid grid;
  mapping::TrafficGraph graph;

  explicit Job(const std::string& extents) : grid(*grid_of(extents)), graph(matrix(extents)) {}

  std::int32_t ranks() const { return graph.rank_count(); }

 private:
  static std::optional<mapping::JobGrid> grid_of(const std::string& extents) {
    return core::Arguments(core::Spec::parse("geom:grid=" + extents),
                           {mapping::grid_parameter})[mapping::grid_parameter];
  }
  static workloads::CommunicationMatrix matrix(const std::string& extents) {
    return workloads::point_to_point_matrix(*workloads::generators().make("stencil:steps=1,bytes=1,grid=" + extents));
  }
};

struct Outcome {
  std::int64_t swaps;
  double geom, cost;  ///< hop-bytes before and after
  double seconds;     ///< of the search
};

Outcome search(const Job& job, const mapping::SlotHops& hops, const mapping::Assignment& geom, SwapChoice choice) {
  auto slot_of = geom;
  const double before = cpu_seconds();
  const auto swaps = mapping::swap_search(job.graph, hops, slot_of, choice);
  const double seconds = cpu_seconds() - before;
  return {swaps, mapping::hop_bytes(job.graph, hops, geom), mapping::hop_bytes(job.graph, hops, slot_of), seconds};
}

mapping::Assignment geom(const Job& job, const mapping::SlotHops& hops) {
  return mapping::geometric_mapping(job.grid, hops, mapping::compact_slots(hops, job.ranks()));
}

/// Calls visit(nodes) for every set of `count` nodes, in lexicographic order.
void for_each_allocation(const platforms::Machine& machine, std::size_t count,
                         const std::function<void(const Nodes&)>& visit) {
  Nodes nodes(count);
  for (std::size_t i = 0; i < count; ++i) nodes[i] = platforms::NodeId(i);
  for (;;) {
    visit(nodes);
    std::size_t last = count;
    while (last > 0 && nodes[last - 1].value() == machine.node_count() - static_cast<std::int32_t>(count - last + 1))
      --last;
    if (last == 0) return;
    ++nodes[last - 1];
    for (std::size_t i = last; i < count; ++i) nodes[i] = nodes[i - 1] + 1;
  }
}

/// The nodes along a curve that goes to and fro along the shortest dimension, then along the next longer.
Nodes snake(const platforms::Machine& machine) {
  const auto& grid = machine.grid();
  std::vector<std::size_t> dimensions(grid.dimension_count());
  std::iota(dimensions.begin(), dimensions.end(), 0U);
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](auto a, auto b) { return grid.dimension(a).extent < grid.dimension(b).extent; });
  Nodes nodes;
  for (std::int32_t step = 0; step < grid.size(); ++step) {
    platforms::Coordinates place{};
    auto rest = step;
    for (const auto d : dimensions) {
      const auto extent = grid.dimension(d).extent;
      place[d] = rest % extent;
      rest /= extent;
      if (rest % 2 == 1) place[d] = extent - 1 - place[d];
    }
    nodes.push_back(machine.first_node(grid.router_at(place)));
  }
  return nodes;
}

/// Calls visit(nodes) for `samples` allocations: every one equally likely; or, if `run` is not 0, free nodes along a
/// snake from a random node on, where free and busy runs take turns, all lengths up to 2 `run` - 1 equally likely.
void for_each_random_allocation(const platforms::Machine& machine, std::size_t count, std::int64_t samples,
                                std::uint64_t run, const std::function<void(const Nodes&)>& visit) {
  core::Random random(1, "gsearch");
  auto all = run > 0 ? snake(machine) : mapping::all_nodes(machine);
  for (std::int64_t i = 0; i < samples; ++i) {
    Nodes nodes;
    if (run > 0) {
      std::set<platforms::NodeId> taken;
      for (std::size_t at = random.below(all.size()); taken.size() < count; at += random.below(2 * run - 1) + 1)
        for (std::uint64_t left = random.below(2 * run - 1) + 1; left > 0 && taken.size() < count; --left)
          taken.insert(all[at++ % all.size()]);
      nodes.assign(taken.begin(), taken.end());
    } else {
      for (std::size_t k = 0; k < count; ++k) std::swap(all[k], all[k + random.below(all.size() - k)]);
      nodes.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      std::sort(nodes.begin(), nodes.end());
    }
    visit(nodes);
  }
}

void count_swaps(const Job& job, const platforms::Machine& machine, std::int64_t samples) {
  std::array<std::map<std::int64_t, std::int64_t>, choices.size()> counts;
  const auto visit = [&](const Nodes& nodes) {
    const mapping::SlotHops hops(machine, nodes);
    const auto start = geom(job, hops);
    for (std::size_t c = 0; c < choices.size(); ++c) {
      auto slot_of = start;
      ++counts[c][mapping::swap_search(job.graph, hops, slot_of, choices[c].first)];
    }
  };
  const auto size = static_cast<std::size_t>(job.ranks());
  samples > 0 ? for_each_random_allocation(machine, size, samples, 0, visit)
              : for_each_allocation(machine, size, visit);
  std::int64_t most = 0;
  for (const auto& count : counts) most = std::max(most, count.rbegin()->first);
  core::Table table({"swaps", choices[0].second, choices[1].second, choices[2].second});
  for (std::int64_t swaps = 0; swaps <= most; ++swaps) {
    std::vector<std::string> row{std::to_string(swaps)};
    for (auto& count : counts) row.push_back(std::to_string(count[swaps]));
    table.add(row);
  }
  fmt::print("{}", table.text());
}

/// Of the first variants.
using Outcomes = std::vector<Outcome>;

Outcomes search_all(const Job& job, const platforms::Machine& machine, const Nodes& nodes, std::size_t variants) {
  const mapping::SlotHops hops(machine, nodes);
  const auto start = geom(job, hops);
  Outcomes all;
  for (std::size_t c = 0; c < variants; ++c) all.push_back(search(job, hops, start, choices[c].first));
  return all;
}

/// The variants on the same allocations, in rows of a table.
class Comparison {
 public:
  void add(std::int32_t ranks, const Outcomes& outcomes) {
    ++jobs_;
    variants_ = outcomes.size();
    for (std::size_t c = 0; c < variants_; ++c) {
      const auto& outcome = outcomes[c];
      const auto swaps = static_cast<double>(outcome.swaps);
      auto& sums = all_[c];
      sums.swaps += swaps;
      sums.share += swaps / ranks;
      sums.most = std::max(sums.most, swaps / ranks);
      sums.within += swaps <= 0.35 * ranks + 20 ? 1 : 0;
      sums.better += outcome.cost < outcome.geom ? 1 : 0;
      sums.worse += outcome.cost > outcome.geom ? 1 : 0;
      sums.cost += outcome.cost;
      sums.geom += outcome.geom;
      sums.seconds += outcome.seconds;
    }
  }

  static core::Table table() {
    return core::Table({"job", "number", "variant", "mean/n", "max/n", "<= 0.35n+20", "swaps to first", "cost to first",
                        "time to first", "cost to geom", "better", "worse"});
  }

  void print_to(core::Table& table, const std::string& name) const {
    const auto percent = [&](double jobs) { return fmt::format("{:.2f} %", 100 * jobs / jobs_); };
    for (std::size_t c = 0; c < variants_; ++c) {
      const auto &sums = all_[c], &first = all_[0];
      table.add({name, fmt::format("{}", jobs_), choices[c].second, fmt::format("{:.3f}", sums.share / jobs_),
                 fmt::format("{:.3f}", sums.most), percent(sums.within),
                 fmt::format("{:.3f}", first.swaps > 0 ? sums.swaps / first.swaps : 1),
                 fmt::format("{:.4f}", sums.cost / first.cost), fmt::format("{:.2f}", sums.seconds / first.seconds),
                 fmt::format("{:.4f}", sums.cost / sums.geom), percent(sums.better), percent(sums.worse)});
    }
  }

 private:
  struct Sums {
    double swaps = 0, share = 0, most = 0, within = 0, better = 0, worse = 0, cost = 0, geom = 0, seconds = 0;
  };
  double jobs_ = 0;
  std::size_t variants_ = 0;
  std::array<Sums, choices.size()> all_;
};

void compare_on_random(const std::vector<std::string>& jobs, const platforms::Machine& machine, std::int64_t samples,
                       std::uint64_t run) {
  auto table = Comparison::table();
  for (const auto& extents : jobs) {
    const Job job(extents);
    Comparison comparison;
    for_each_random_allocation(machine, static_cast<std::size_t>(job.ranks()), samples, run, [&](const Nodes& nodes) {
      comparison.add(job.ranks(), search_all(job, machine, nodes, choices.size()));
    });
    comparison.print_to(table, extents);
  }
  fmt::print("{}", table.text());
}

/// Compares the variants on the nodes of each job as it starts.
class LogComparison final : public cosim::Observer {
 public:
  using Grid = mapping::JobGrid (*)(std::int32_t ranks);
  LogComparison(const platforms::Machine& machine, Grid grid, std::size_t variants)
      : machine_(machine), grid_(grid), variants_(variants) {}

  void started(const cosim::Record& record) override {
    const auto ranks = static_cast<std::int32_t>(record.nodes.size());
    auto& job = jobs_[ranks];
    if (!job) job = std::make_unique<Job>(fmt::format("{}", fmt::join(grid_(ranks), "x")));
    const auto [found, is_new] = known_.try_emplace(Nodes(record.nodes.begin(), record.nodes.end()));
    auto& outcomes = found->second;
    if (is_new) outcomes = search_all(*job, machine_, found->first, variants_);
    all_.add(ranks, outcomes);
    by_size_[*std::lower_bound(bounds.begin(), bounds.end(), ranks)].add(ranks, outcomes);
  }

  void print() const {
    auto table = Comparison::table();
    all_.print_to(table, "all");
    for (const auto& [most, comparison] : by_size_)
      comparison.print_to(table, most == bounds.back() ? "larger" : fmt::format("<= {}", most));
    fmt::print("{}", table.text());
  }

 private:
  static constexpr std::array<std::int32_t, 5> bounds{8, 64, 512, 4096, std::numeric_limits<std::int32_t>::max()};
  const platforms::Machine& machine_;
  Grid grid_;
  std::size_t variants_;
  std::map<Nodes, Outcomes> known_;                    ///< jobs come again and get the same nodes
  std::map<std::int32_t, std::unique_ptr<Job>> jobs_;  ///< by ranks
  Comparison all_;
  std::map<std::int32_t, Comparison> by_size_;  ///< by the most ranks
};

void compare_on_log(const std::string& log, const platforms::Machine& machine, bool compact, std::size_t variants) {
  const auto jobs = jobs::open_jobs(log);
  LogComparison comparison(machine, compact ? compact_grid : usual_grid, variants);
  cosim::ScheduleRequest request(machine, *jobs, "as-logged", "curve:order=snake,run=short,fit=best");
  request.observers = {&comparison};
  cosim::run_schedule(request);
  comparison.print();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"swaps of GSEARCH"};
  std::string job = "4x2x1", machine, log, shapes = "usual";
  std::vector<std::string> jobs{"4x4x4", "8x8x4", "8x8x8", "12x12x12"};
  std::int64_t sample = 0, random = 0;
  std::uint64_t run = 0;
  bool only_first = false;
  app.add_option("--job", job, "grid of the small job (4x2x1)");
  app.add_option("--machine", machine, "mesh (4x4x2; 16x24x24 with --random, 24x24x16 with --log)");
  app.add_option("--sample", sample, "so many allocations at random instead of all");
  app.add_option("--random", random, "so many allocations at random of each of --jobs");
  app.add_option("--jobs", jobs, "grids (4x4x4,8x8x4,8x8x8,12x12x12)")->delimiter(',');
  app.add_option("--run", run, "with --random: nodes in runs of so many on average along a snake")
      ->check(CLI::Range(0, 100000));
  app.add_option("--log", log, "the allocations of its jobs, as toroid schedule takes it");
  app.add_flag("--only-first", only_first, "with --log: leave out the other variants");
  app.add_option("--shapes", shapes, "with --log: grids of miniGhost where there are such (usual), or compact ones")
      ->check(CLI::IsMember({"usual", "compact"}));
  CLI11_PARSE(app, argc, argv);
  try {
    if (machine.empty()) machine = !log.empty() ? "24x24x16" : random > 0 ? "16x24x24" : "4x4x2";
    const auto mesh = platforms::make_machine("mesh:" + machine);
    if (!log.empty())
      compare_on_log(log, mesh, shapes == "compact", only_first ? 1 : choices.size());
    else if (random > 0)
      compare_on_random(jobs, mesh, random, run);
    else
      count_swaps(Job(job), mesh, sample);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gsearch: {}\n", error.what());
    return 1;
  }
}
