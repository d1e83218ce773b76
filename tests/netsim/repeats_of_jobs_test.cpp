// Jobs beside each other that pass over iterations which repeat together, against the same jobs simulated: jobs drawn
// by lot, again and again. Nothing that a result tells may differ, charges included, whatever happens meanwhile.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/random.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "netsim/simulation.hpp"
#include "tests/netsim/differences.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"

using namespace toroid;
using netsim::Repeats;
using netsim::Result;
using netsim::Run;
using netsim::StateWalk;

namespace {

/// Random programs, repeated, beside each other. Jobs with one program on nodes that lie alike go in step; others
/// hardly ever do, but for the last one that is left.
class JobsCase {
 public:
  JobsCase(std::uint64_t seed, bool packets)
      : random_(seed, "jobs that repeat"),
        is_ring_(random_.below(2) == 0),
        cards_(seed / 2 % 8 == 1 ? ",overhead=200ns,gap=300ns,copy=300ps,reduce=200ps,memcpy=100ps" : ""),
        machine_(platforms::make_machine(shape())) {
    if (packets) engine_ = random_.below(2) == 0 ? "packet:vcs=2,inject=1" : "packet:rings=bubble,vcs=2,inject=1";
    options_.compute_scale = random_.below(3) == 0 ? 0 : 1;
    const std::uint64_t thresholds[] = {0, 500, ~std::uint64_t{0}};
    options_.eager_threshold = thresholds[random_.below(3)];
    const std::optional<netsim::Order> orders[] = {{}, netsim::Order::pair, netsim::Order::node, netsim::Order::shared};
    options_.order = orders[random_.below(4)];
    are_alike_ = random_.below(4) != 0;
    const auto count = 2 + random_.below(2);
    for (std::size_t job = 0; job < count; ++job) add(job);
    if (random_.below(3) == 0) windows_ = 16;
    with_charges_ = random_.below(4) != 0;
  }

  /// Lets something happen at a time of a run that takes `runtime` seconds.
  void disturb(double runtime) {
    const auto time = [&] { return runtime * random_.unit(); };
    if (random_.below(3) == 0) kills_.push_back({time(), random_.below(jobs_.size())});
    if (engine_ == "fluid" && random_.below(3) == 0) {
      slower_ = platforms::make_machine(shape() + ",bw=100MBps");
      changes_.changes = {{time(), &*slower_}};
    }
    if (random_.below(4) == 0) jobs_.back().start = time();
    // Where jobs go in step, one that is to end with the others does what it does last in the instant of its end.
    if (!are_alike_ && random_.below(2) == 0) jobs_.back().rounds = netsim::until_end;
  }

  Result run(Repeats repeats) const {
    Run request{machine_, jobs_, engine_, windows_};
    request.on_failure = netsim::OnFailedJob::go_on;
    request.kills = kills_;
    request.changes = changes_;
    request.with_charges = with_charges_;
    for (auto& job : request.jobs) job.options.repeats = repeats;
    return netsim::run(request);
  }

 private:
  std::string shape() const { return (is_ring_ ? "torus:12,bw=300MBps" : "torus:4x6,bw=500MBps") + cards_; }

  /// On the same places of a ring as the first job, but further on; or on other rows.
  void add(std::size_t job) {
    if (job == 0 || !are_alike_) add_program();
    netsim::Mapping mapping;
    for (std::int32_t rank = 0; rank < traces_.back()->ranks(); ++rank) {
      const auto place = places_[static_cast<std::size_t>(rank)];
      const auto here = static_cast<std::int32_t>(job);
      mapping.add(is_ring_ ? 3 * place + here : 4 * (2 * here + place / 4) + place % 4);
    }
    jobs_.push_back({fmt::format("j{}", job), *traces_.back(), std::move(mapping), options_, 0, 1});
  }
  void add_program() {
    places_ = {0, 1, 2, 3, 4, 5, 6, 7};
    if (is_ring_) places_.resize(4);
    random_.shuffle(places_);
    workloads::RandomProgramOptions program;
    program.ranks = static_cast<std::int32_t>(2 + random_.below(is_ring_ ? 3 : 5));
    program.events = static_cast<int>(3 + random_.below(20));
    program.collectives = random_.below(3) != 0;
    program.all_kinds = random_.below(3) == 0;
    program.puts = random_.below(4) == 0;
    program.large = 50'000;
    once_.push_back(workloads::random_program(random_, program));
    traces_.push_back(std::make_unique<workloads::RepeatedTrace>(*once_.back(), 20 + random_.below(60)));
  }

  core::Random random_;
  bool is_ring_;
  std::string cards_;
  platforms::Machine machine_;
  std::optional<platforms::Machine> slower_;
  netsim::ReplayOptions options_;
  bool are_alike_ = false, with_charges_ = true;
  std::size_t windows_ = 0;
  std::vector<std::int32_t> places_;
  std::vector<std::unique_ptr<workloads::CompactTrace>> once_;
  std::vector<std::unique_ptr<workloads::RepeatedTrace>> traces_;
  std::vector<netsim::PlacedJob> jobs_;
  std::vector<netsim::Kill> kills_;
  netsim::MachineChanges changes_;
  std::string engine_ = "fluid";
};

std::string difference(const netsim::JobResult& a, const netsim::JobResult& b, const test::Differences& differences) {
  if (a.how != b.how || a.complaint != b.complaint) return fmt::format("end '{}' '{}'", a.complaint, b.complaint);
  if (!differences.are_near(a.start, b.start) || !differences.are_near(a.end, b.end))
    return fmt::format("end {} {}", a.end, b.end);
  const auto near = [&](double x, double y) { return differences.are_near(x, y); };
  if (!std::equal(a.rounds.begin(), a.rounds.end(), b.rounds.begin(), b.rounds.end(), near)) return "rounds";
  if (!std::equal(a.charges.begin(), a.charges.end(), b.charges.begin(), b.charges.end(), near) ||
      !near(a.changes, b.changes))
    return fmt::format("charges {} {}", fmt::join(a.charges, ", "), fmt::join(b.charges, ", "));
  for (const auto& found : {differences.of_messages(a, b), differences.of_histories(a.critical_path, b.critical_path)})
    if (!found.empty()) return found;
  return {};
}

/// The first thing that differs in what two results tell; empty if nothing does.
std::string difference_of_jobs(const Result& a, const Result& b) {
  const test::Differences differences(std::max(a.runtime, b.runtime));
  if (!differences.are_near(a.runtime, b.runtime)) return fmt::format("run time {} {}", a.runtime, b.runtime);
  for (std::size_t job = 0; job < a.jobs.size(); ++job)
    if (const auto found = difference(a.jobs[job], b.jobs[job], differences); !found.empty())
      return fmt::format("job {}: {}", job, found);
  const bool same_loads = std::equal(a.job_loads.begin(), a.job_loads.end(), b.job_loads.begin(), b.job_loads.end(),
                                     [](const auto& x, const auto& y) {
                                       return std::tie(x.link, x.job, x.bytes) == std::tie(y.link, y.job, y.bytes);
                                     });
  if (!same_loads) return "loads of jobs";
  for (const auto& found : {differences.of_ranks(a.ranks, b.ranks), differences.of_links(a.links, b.links)})
    if (!found.empty()) return found;
  return a.utilization_window == b.utilization_window ? "" : "windows";
}

/// Adds a job at a time: not when its timer ends, but at the end of that instant, as schedulers do.
class Arrival final : netsim::TimerClient {
 public:
  Arrival(netsim::Clock& clock, double time, std::function<void()> add) {
    clock.start_timer_at(netsim::Time(time), *this, 0);
    clock.after_instant([this, add = std::move(add)] {
      if (std::exchange(is_due_, false)) add();
    });
  }

 private:
  void timer_ended(std::uint32_t) override { is_due_ = true; }
  bool keeps_appointments() const override { return true; }

  bool is_due_ = false;
};

struct Count {
  std::uint64_t all = 0, passed = 0, cases = 0, together = 0, charged = 0;

  void add(const Result& result) {
    ++cases;
    std::size_t jobs = 0;
    for (const auto& job : result.jobs) {
      all += job.messages;
      passed += job.repeated;
      jobs += job.repeated > 0 ? 1 : 0;
    }
    together += jobs > 1 ? 1 : 0;
    for (std::size_t job = 0; job < result.jobs.size(); ++job) {
      const auto& charges = result.jobs[job].charges;
      for (std::size_t other = 0; other < charges.size(); ++other)
        if (other != job && charges[other] > 0 && jobs > 1) return void(++charged);
    }
  }
};

}  // namespace

TEST_CASE("Jobs that would be charged something else later on do not repeat", "[netsim][repeats][slow]") {
  bool is_missed = false;
  for (std::uint64_t seed = 1; seed < 1000 && !is_missed; ++seed) {
    const JobsCase some(seed, false);
    const auto full = some.run(Repeats::off);
    StateWalk::unseen = StateWalk::Part::charges;
    is_missed = difference_of_jobs(full, some.run(Repeats::exact)) != "";
    StateWalk::unseen = StateWalk::Part::none;
  }
  CHECK(is_missed);
}

TEST_CASE("Jobs that repeat together are told as if they had been simulated", "[netsim][repeats][slow]") {
  const bool packets = GENERATE(false, true);
  const std::uint64_t cases = test::is_sanitized ? 60 : 600;
  Count count;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed << (packets ? ", packets" : ", fluid"));
    JobsCase some(seed, packets);
    auto full = some.run(Repeats::off);
    if (seed % 2 == 0) {
      some.disturb(full.runtime);
      full = some.run(Repeats::off);
    }
    const auto short_cut = some.run(Repeats::exact);
    CHECK(difference_of_jobs(full, short_cut) == "");
    count.add(short_cut);
  }
  INFO(count.together << " cases in which jobs repeat together, " << count.charged << " with charges, " << count.passed
                      << " messages of " << count.all);
  CHECK(5 * count.together > count.cases);
  if (!packets) CHECK(20 * count.charged > count.cases);
  CHECK((test::is_sanitized ? 6 : 4) * count.passed > count.all);  // of few cases, more are charged and have overheads
}

TEST_CASE("A job that comes as another one begins an iteration begins at that time", "[netsim][repeats]") {
  const auto machine = platforms::make_machine("mesh:8,lat=0s");
  const auto once = test::trace_of("0 compute 1e6\n1 compute 1e6\n1 send 0 0 8 6\n0 recv 1 0 8 6\n");
  const workloads::RepeatedTrace trace(*once, 100);
  const auto ends_of = [&](Repeats repeats, double arrival) {
    netsim::Clock clock;
    const auto network = netsim::engines().make("fluid", machine, clock);
    netsim::Simulation simulation(*network);
    std::vector<double> ends;
    std::uint64_t passed = 0;
    simulation.on_end([&](const netsim::Simulation::JobEnd& end) {
      ends.push_back(clock.now().seconds());
      for (const auto& iterations : end.report.repeated) passed += iterations.count;
    });
    simulation.pass_over_repeats();
    const netsim::ReplayOptions options{.compute_scale = 1, .repeats = repeats};
    const Arrival second(clock, arrival, [&] { simulation.add({&trace, {4, 5}, options, clock.now()}); });
    simulation.add({&trace, {0, 1}, options});
    simulation.run();
    CHECK((passed > 80) == (repeats == Repeats::exact));
    return ends;
  };
  // Rank 1, which keeps time, begins an iteration every millisecond. One of these is the first at which it is clear
  // that they repeat.
  for (int begun = 1; begun <= 8; ++begun) {
    const auto full = ends_of(Repeats::off, begun * 1e-3), short_cut = ends_of(Repeats::exact, begun * 1e-3);
    REQUIRE(full.size() == 2);
    for (const auto job : {0, 1}) CHECK(short_cut[job] == Approx(full[job]).epsilon(1e-12));
  }
}
