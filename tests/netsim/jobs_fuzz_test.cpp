// Random programs beside each other on all engines: no crash, the same verdict, the same counters, the same times where
// the model is the same, and charges that can be. Times are compared even where ranks take what comes first: what comes
// at the same moment comes in an order that no engine decides.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"

using namespace toroid;
using netsim::JobOutcome;
using netsim::Result;
using netsim::Run;

namespace {

/// Two to four random programs on a small machine, with random protocols, lines and starts. Some cannot end.
class JobsCase {
 public:
  explicit JobsCase(std::uint64_t seed) : random_(seed, "jobs"), machine_(platforms::make_machine(any_machine())) {
    std::vector<platforms::NodeId> nodes(machine_.nodes().begin(), machine_.nodes().end());
    random_.shuffle(nodes);
    const auto common = any_options();
    for (std::size_t job = 0, count = 2 + random_.below(3); job < count; ++job) {
      add_trace();
      netsim::Mapping mapping;
      for (std::int32_t rank = 0; rank < traces_.back()->ranks(); ++rank) {
        mapping.add(nodes.back());
        nodes.pop_back();
      }
      jobs_.push_back({fmt::format("j{}", job), *traces_.back(), std::move(mapping), common,
                       random_.below(2) == 0 ? 0 : 1e-4 * random_.unit(),
                       1 + static_cast<std::uint32_t>(random_.below(2))});
    }
  }

  Result run(const std::string& engine) const { return netsim::run(request(engine, jobs_)); }
  /// The jobs, the last one first; results in the order of the jobs.
  Result run_backwards() const {
    auto result = netsim::run(request("fluid", {jobs_.rbegin(), jobs_.rend()}));
    std::reverse(result.jobs.begin(), result.jobs.end());
    for (auto& job : result.jobs) std::reverse(job.charges.begin(), job.charges.end());
    for (auto& load : result.job_loads) load.job = static_cast<std::uint32_t>(jobs_.size()) - 1 - load.job;
    return result;
  }
  /// Whether nodes are half way round a torus from each other, where packets take both ways.
  bool goes_half_way() const { return half_way_; }

 private:
  std::string any_machine() {
    static const std::vector<std::string> shapes{"mesh:16",   "mesh:4x4",   "torus:5x4",
                                                 "torus:3x7", "mesh:2x4x2", "torus:17"};
    auto text = shapes[random_.below(shapes.size())];
    half_way_ = text == "torus:5x4";
    if (random_.below(2) == 0) text += fmt::format(",bw={}MBps", 100 + random_.below(2000));
    if (random_.below(2) == 0) text += ",lat=0s";
    if (random_.below(4) == 0) text += fmt::format(",injection={}MBps", 300 + random_.below(2000));
    if (random_.below(3) == 0) text += fmt::format(",x.exceptions=(1 bandwidth={}MBps)", 100 + random_.below(1000));
    return text;
  }
  netsim::ReplayOptions any_options() {
    netsim::ReplayOptions options;
    const std::optional<netsim::Order> orders[] = {{}, netsim::Order::pair, netsim::Order::node, netsim::Order::shared};
    options.order = orders[random_.below(4)];
    const std::uint64_t thresholds[] = {0, 500, 65536, ~std::uint64_t{0}};
    options.eager_threshold = thresholds[random_.below(4)];
    if (random_.below(2) == 0) options.compute_scale = 1;
    if (random_.below(4) == 0) options.envelope = random_.below(100);
    return options;
  }
  void add_trace() {
    static const std::vector<std::string> broken{
        "0 recv 1 0 8 6\n1 recv 0 0 8 6\n",                                          // a deadlock
        "0 send 1 0 20000 6\n0 send 1 1 0 6\n1 recv 0 0 20000 6\n1 recv 0 2 0 6\n",  // another tag
        "0 isend 1 0 700 6\n0 compute 1000\n1 compute 5\n"};                         // nobody receives it
    if (random_.below(12) == 0) return traces_.push_back(test::trace_of(broken[random_.below(broken.size())])), void();
    workloads::RandomProgramOptions options;
    options.ranks = static_cast<std::int32_t>(2 + random_.below(3));
    options.events = static_cast<int>(5 + random_.below(30));
    options.collectives = random_.below(3) != 0;
    options.all_kinds = random_.below(3) == 0;
    options.uncertain = random_.below(3) == 0;
    options.puts = random_.below(4) == 0;
    options.empty = true;
    options.large = 5000;
    traces_.push_back(workloads::random_program(random_, options));
  }
  Run request(const std::string& engine, std::vector<netsim::PlacedJob> jobs) const {
    Run all{machine_, std::move(jobs), engine};
    all.on_failure = netsim::OnFailedJob::go_on;
    return all;
  }

  core::Random random_;
  bool half_way_ = false;
  platforms::Machine machine_;
  std::vector<std::unique_ptr<workloads::CompactTrace>> traces_;
  std::vector<netsim::PlacedJob> jobs_;
};

/// By link; messages without bytes are nothing to a fluid, and packets without data.
std::map<netsim::LinkId, std::uint64_t> bytes_of(const Result& result) {
  std::map<netsim::LinkId, std::uint64_t> bytes;
  for (const auto& link : result.links)
    if (link.bytes > 0) bytes[link.link] = link.bytes;
  return bytes;
}

void check_counters(const Result& a, const Result& b, bool same_routes = true) {
  bool all_done = true;
  for (std::size_t job = 0; job < a.jobs.size(); ++job) {
    const auto &x = a.jobs[job], &y = b.jobs[job];
    CHECK(x.how == y.how);
    CHECK(x.complaint == y.complaint);
    all_done = all_done && x.how == JobOutcome::done;
    CHECK(x.rounds.size() == y.rounds.size());
    CHECK(x.messages == y.messages);
    CHECK(x.bytes == y.bytes);
    CHECK(x.network_messages == y.network_messages);
    CHECK(x.hop_bytes == y.hop_bytes);
  }
  if (all_done && same_routes) CHECK(bytes_of(a) == bytes_of(b));
}

/// Charges that can be: not negative, and no more than the critical path lost.
void check_charges(const Result& result) {
  for (std::size_t number = 0; number < result.jobs.size(); ++number) {
    const auto& job = result.jobs[number];
    REQUIRE(job.charges.size() == result.jobs.size());
    double sum = 0;
    for (std::size_t other = 0; other < job.charges.size(); ++other) {
      CHECK(job.charges[other] >= 0);
      if (other != number) sum += job.charges[other];  // its own may be of one rank, whose messages are bandwidth
    }
    CHECK(job.changes == 0);
    const auto& path = job.critical_path;
    CHECK(sum <= path.sharing * (1 + 1e-9) + 1e-15);
  }
  for (std::size_t a = 0; a < result.jobs.size(); ++a)
    for (std::size_t b = 0; b < result.jobs.size(); ++b) {
      if (a == b || result.jobs[a].charges[b] == 0) continue;
      INFO("job " << a << " is charged " << result.jobs[a].charges[b] << " s by " << b << ", "
                  << result.jobs[b].complaint);
      const auto load_of = [&](std::size_t job, netsim::LinkId link) {
        return std::any_of(result.job_loads.begin(), result.job_loads.end(),
                           [&](const auto& load) { return load.job == job && load.link == link; });
      };
      // Who charges another shares a link with it.
      CHECK(std::any_of(result.links.begin(), result.links.end(),
                        [&](const auto& link) { return load_of(a, link.link) && load_of(b, link.link); }));
    }
}

double most_apart(const Result& a, const Result& b) {
  double most = 0;
  for (std::size_t job = 0; job < a.jobs.size(); ++job)
    for (std::size_t round = 0; round < std::min(a.jobs[job].rounds.size(), b.jobs[job].rounds.size()); ++round)
      if (const double time = a.jobs[job].rounds[round]; time > 0)
        most = std::max(most, std::abs(b.jobs[job].rounds[round] / time - 1));
  return most;
}

/// How many cases were run, and of what kind they were.
struct Tally {
  std::size_t cases = 0, charged = 0, failed = 0;
};

void run_case(std::uint64_t seed, bool with_simgrid, Tally& tally) {
  INFO("case " << seed);
  const JobsCase all(seed);
  const auto fluid = all.run("fluid");
  check_charges(fluid);
  check_counters(fluid, all.run("packet"), !all.goes_half_way());
  const auto backwards = all.run_backwards();
  check_counters(fluid, backwards);
  check_charges(backwards);
  ++tally.cases;
  tally.failed +=
      std::any_of(fluid.jobs.begin(), fluid.jobs.end(), [](const auto& j) { return j.how == JobOutcome::failed; });
  tally.charged += std::any_of(fluid.jobs.begin(), fluid.jobs.end(),
                               [](const auto& j) { return *std::max_element(j.charges.begin(), j.charges.end()) > 0; });
  CHECK(most_apart(fluid, backwards) < 1e-6);
  if (!with_simgrid) return;
  const auto simgrid = all.run("simgrid");
  check_counters(fluid, simgrid);
  check_charges(simgrid);
  CHECK(most_apart(fluid, simgrid) < 1e-6);
}

}  // namespace

TEST_CASE("random jobs on three engines") {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) run_case(seed, seed % 3 == 0, tally);
  CHECK(tally.charged > 50);
  CHECK(tally.failed > 10);
  run_case(492, true, tally);  // messages to two ranks that end at one moment, whose answers share a line
}

TEST_CASE("ten thousand of them", "[.fuzz]") {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) run_case(seed, true, tally);
  WARN(fmt::format("{} cases, {} with a job that fails, {} in which somebody is charged", tally.cases, tally.failed,
                   tally.charged));
}
