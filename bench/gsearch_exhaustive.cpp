// How many swaps GSEARCH makes (Balzuweit et al. 2014, section IV-B and IV-C), for each of its variants.
//
//   gsearch_exhaustive [--job 4x2x1] [--machine 4x4x2] [--sample N]
//   gsearch_exhaustive --random N [--run MEAN] [--machine 16x24x24] [--jobs 4x4x4,...]
//
// The first tries all allocations of a small job on a small mesh, or N drawn at random, and prints how many of them
// take how many swaps. The second draws N allocations for each of several jobs, of single nodes or of runs
// along a snake, the more like those of a machine in use, and prints what the paper says about
// them: the mean number of swaps against the job's size n, how many stay below 0.35 n + 20, and the variants against
// each other. Ranks exchange one byte with each neighbour, so the cost is the paper's average hops but for a factor.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "core/table.hpp"
#include "mapping/geometric/geom.hpp"
#include "mapping/geometric/swap_search.hpp"
#include "mapping/mapper.hpp"
#include "workloads/trace.hpp"

namespace {

using namespace toroid;
using mapping::SwapChoice;
using Nodes = std::vector<platforms::NodeId>;

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
  core::Random random(1, "gsearch_exhaustive");
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

void compare_variants(const std::vector<std::string>& jobs, const platforms::Machine& machine, std::int64_t samples,
                      std::uint64_t run) {
  core::Table table({"job", "variant", "ranks n", "mean/n", "max/n", "<= 0.35n+20", "swaps to first", "cost to first",
                     "time to first", "cost to geom"});
  for (const auto& extents : jobs) {
    const Job job(extents);
    const double n = job.ranks();
    struct Sums {
      double swaps = 0, most = 0, within = 0, cost = 0, geom = 0, seconds = 0;
    };
    std::array<Sums, choices.size()> all;
    for_each_random_allocation(machine, static_cast<std::size_t>(job.ranks()), samples, run, [&](const Nodes& nodes) {
      const mapping::SlotHops hops(machine, nodes);
      const auto start = geom(job, hops);
      for (std::size_t c = 0; c < choices.size(); ++c) {
        const auto outcome = search(job, hops, start, choices[c].first);
        const auto swaps = static_cast<double>(outcome.swaps);
        all[c].swaps += swaps;
        all[c].most = std::max(all[c].most, swaps);
        all[c].within += swaps <= 0.35 * n + 20 ? 1 : 0;
        all[c].cost += outcome.cost;
        all[c].geom += outcome.geom;
        all[c].seconds += outcome.seconds;
      }
    });
    const auto count = static_cast<double>(samples);
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const auto& sums = all[c];
      table.add({extents, choices[c].second, std::to_string(job.ranks()), fmt::format("{:.3f}", sums.swaps / count / n),
                 fmt::format("{:.3f}", sums.most / n), fmt::format("{:.2f} %", 100 * sums.within / count),
                 fmt::format("{:.3f}", sums.swaps / all[0].swaps), fmt::format("{:.4f}", sums.cost / all[0].cost),
                 fmt::format("{:.2f}", sums.seconds / all[0].seconds), fmt::format("{:.4f}", sums.cost / sums.geom)});
    }
  }
  fmt::print("{}", table.text());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"swaps of GSEARCH"};
  std::string job = "4x2x1", machine;
  std::vector<std::string> jobs{"4x4x4", "8x8x4", "8x8x8", "12x12x12"};
  std::int64_t sample = 0, random = 0;
  std::uint64_t run = 0;
  app.add_option("--job", job, "grid of the small job (4x2x1)");
  app.add_option("--machine", machine, "mesh (4x4x2; 16x24x24 with --random)");
  app.add_option("--sample", sample, "so many allocations at random instead of all");
  app.add_option("--random", random, "so many allocations at random of each of --jobs");
  app.add_option("--jobs", jobs, "grids (4x4x4,8x8x4,8x8x8,12x12x12)")->delimiter(',');
  app.add_option("--run", run, "with --random: nodes in runs of so many on average along a snake")
      ->check(CLI::Range(0, 100000));
  CLI11_PARSE(app, argc, argv);
  try {
    if (machine.empty()) machine = random > 0 ? "16x24x24" : "4x4x2";
    const auto mesh = platforms::make_machine("mesh:" + machine);
    if (random > 0)
      compare_variants(jobs, mesh, random, run);
    else
      count_swaps(Job(job), mesh, sample);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gsearch_exhaustive: {}\n", error.what());
    return 1;
  }
}
