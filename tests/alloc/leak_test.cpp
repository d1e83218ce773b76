#include <set>

#include "alloc/leak/manager.hpp"
#include "netsim/network.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

double figure(const Allocator& allocator, const std::string& name) {
  for (const auto& figure : allocator.figures())
    if (figure.name == name) return figure.value;
  FAIL("no figure " << name);
  return 0;
}

std::optional<Allocation> answer_of(Allocator& allocator, const Request& request) {
  std::optional<std::optional<Allocation>> answer;
  allocator.allocate(request, [&](auto nodes) { answer = std::move(nodes); });
  REQUIRE(answer);
  return *answer;
}

/// The parts of some nodes that hang together, by size, the largest last.
std::vector<std::size_t> parts(const Machine& machine, const std::vector<NodeId>& nodes) {
  const leak::Topology topology(machine);
  std::set<NodeId> left(nodes.begin(), nodes.end());
  std::vector<std::size_t> sizes;
  while (!left.empty()) {
    std::vector<NodeId> part{*left.begin()};
    left.erase(left.begin());
    for (std::size_t i = 0; i < part.size(); ++i)
      for (const NodeId next : topology.neighbours(part[i]))
        if (left.erase(next) != 0) part.push_back(next);
    sizes.push_back(part.size());
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::size_t largest_part(const FreeNodes& free) {
  const auto sizes = parts(free.machine(), free.all());
  return sizes.empty() ? 0 : sizes.back();
}

TEST_CASE("Leak enters by each corner in turn") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  const auto leak = allocators().make("leak", Site{free});
  CHECK(answer_of(*leak, {1, 1}) == Allocation{0});
  CHECK(answer_of(*leak, {2, 1}) == Allocation{3});
  CHECK(answer_of(*leak, {3, 1}) == Allocation{12});
  CHECK(answer_of(*leak, {4, 1}) == Allocation{15});
  CHECK(answer_of(*leak, {5, 1}) == Allocation{1});
}

TEST_CASE("Leak counts its messages and their bytes") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  const auto leak = allocators().make("leak", Site{free});
  const auto nodes = answer_of(*leak, {1, 4});
  REQUIRE(nodes == Allocation{0, 4, 1, 2});  // as in the test of the managers
  leak->release(1, *nodes);
  CHECK(figure(*leak, "question_messages") == 4);
  CHECK(figure(*leak, "reply_messages") == 4);
  CHECK(figure(*leak, "flow_messages") == 3);
  CHECK(figure(*leak, "confirmation_messages") == 3);
  CHECK(figure(*leak, "release_messages") == 3);
  CHECK(figure(*leak, "search_messages") == 0);
  CHECK(figure(*leak, "answer_messages") == 0);
  CHECK(figure(*leak, "messages") == 17);
  // 4 bytes for each node in confirmations (1 + 1 + 2) and in the halves of the release (1 + 0 + 0).
  CHECK(figure(*leak, "mean_message_bytes") == Approx(32 + 4 * 5 / 17.0));
  CHECK_FALSE(answer_of(*leak, {2, 17}));  // the host knows
  CHECK(figure(*leak, "messages") == 17);
  CHECK(figure(*leak, "requests") == 1);
  CHECK(figure(*leak, "granted") == 1);
  CHECK(figure(*leak, "messages_per_allocation") == 14);  // without the release
}

TEST_CASE("A job grows by the free nodes nearest to where it asks") {
  const auto machine = platforms::make_machine("mesh:5x5");
  FreeNodes free(machine);
  free.take(std::vector<NodeId>{7, 11, 13, 17, 12, 8});  // the job is on 12, with neighbours all round but 16, 6, 18
  const auto leak = allocators().make("leak:contiguous=yes", Site{free});
  const Allocation held{12};
  Request request{1, 1};
  request.held = held;
  CHECK(answer_of(*leak, request) == Allocation{18});
  CHECK(figure(*leak, "search_messages") == 2);  // 12 > 13 > 18
  CHECK(answer_of(*leak, request) == Allocation{16});
  request.nodes = 25;
  CHECK_FALSE(answer_of(*leak, request));
  CHECK(free.count() == 25 - 8);
}

TEST_CASE(
    "On any state of any machine Leak finds what there is: contiguous if a part is large enough, else enough free") {
  core::Random random(1, "test");
  for (const auto& text : machines_of_all_kinds()) {
    const auto machine = platforms::make_machine(text);
    for (int round = 0; round < 40; ++round) {
      FreeNodes free(machine);
      const auto busy = random.below(101);
      for (const NodeId node : machine.compute_nodes())
        if (random.below(100) < busy) free.take(std::vector<NodeId>{node});
      const auto before = free.all();
      const auto largest = largest_part(free);
      const auto yes = allocators().make("leak:contiguous=yes", Site{free}), no = allocators().make("leak", Site{free}),
                 first = allocators().make("leak:contiguous=first", Site{free});
      for (const auto wanted : {std::size_t{1}, largest, largest + 1, before.size(), before.size() + 1}) {
        if (wanted == 0) continue;
        CAPTURE(text, wanted);
        const Request request{1, static_cast<std::int32_t>(wanted)};
        for (auto* allocator : {yes.get(), no.get(), first.get()}) {
          const auto nodes = answer_of(*allocator, request);
          REQUIRE(nodes.has_value() == (wanted <= (allocator == yes.get() ? largest : before.size())));
          if (nodes) {
            CHECK(nodes->size() == wanted);
            if (wanted <= largest && allocator != no.get()) CHECK(parts(machine, *nodes).size() == 1);
            allocator->release(1, *nodes);
          }
          CHECK(free.all() == before);  // take() and give_back() check that each node is free, or not, and given once
        }
      }
    }
  }
}

TEST_CASE("Leak says what fits an empty machine") {
  const auto cut = platforms::make_machine("mesh:5x2,service-nodes=2 7");
  FreeNodes free(cut);
  CHECK(allocators().make("leak:contiguous=yes", Site{free})->fits({1, 4}));
  CHECK_FALSE(allocators().make("leak:contiguous=yes", Site{free})->fits({1, 5}));
  CHECK(allocators().make("leak:contiguous=first", Site{free})->fits({1, 8}));
  CHECK_FALSE(allocators().make("leak", Site{free})->fits({1, 9}));
}

TEST_CASE("With a fixed time per message an allocation lasts as long as its longest chain of messages") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  netsim::Clock clock;
  const auto leak = allocators().make("leak:handling=1ms", Site{.free = free, .clock = &clock});
  netsim::Time answered;
  leak->allocate({1, 4}, [&](auto nodes) {
    CHECK(nodes == Allocation{0, 4, 1, 2});
    answered = clock.now();
  });
  clock.run();
  // 0 asks, hears two replies one after the other, and sends flows; so does 1; confirmations from 2 and from 1.
  CHECK(answered.seconds() == Approx((1 + 2 + 1) * 2e-3 + 2e-3));
  CHECK(figure(*leak, "mean_allocation_s") == Approx(10e-3));
  CHECK(figure(*leak, "initial_mean_allocation_s") == Approx(10e-3));
}

TEST_CASE("A manager handles one message at a time") {
  const auto machine = platforms::make_machine("mesh:3x3");
  FreeNodes free(machine);
  free.take(std::vector<NodeId>{0, 2, 6, 8});
  netsim::Clock clock;
  const auto leak = allocators().make("leak:handling=1ms", Site{.free = free, .clock = &clock});
  netsim::Time answered;
  leak->allocate({1, 4}, [&](auto nodes) {
    CHECK(nodes == Allocation{1, 4, 5, 3});
    answered = clock.now();
  });
  clock.run();
  // A search to 1. It asks three neighbours at once, hears their replies one after the other, and sends a flow to 4,
  // which does the same with two flows at once and two confirmations one after the other; a confirmation to 1, the
  // answer to 0.
  CHECK(answered.seconds() == Approx((1 + (1 + 3 + 1) + (1 + 3 + 1) + 2 + 1 + 1) * 1e-3));
}

TEST_CASE("Over a network a message takes the time of its route") {
  const auto machine = platforms::make_machine("ring:3,bw=100MBps,lat=1us,service-nodes=2");
  FreeNodes free(machine);
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  const auto leak = allocators().make("leak", Site{.free = free, .network = network.get(), .clock = &clock});
  netsim::Time answered;
  leak->allocate({1, 2}, [&](auto) { answered = clock.now(); });
  clock.run();
  // Question, reply, flow and confirmation: there one hop, back two round the ring.
  CHECK(answered.seconds() == Approx(6e-6 + (32 + 32 + 32 + 36) / 100e6));
}

// Random jobs over simulated time: they ask, perhaps grow and shrink, and end, many at once. The clock stops when no
// message is under way and no job runs.
class Storm final : netsim::TimerClient {
 public:
  Storm(const std::string& platform, const std::string& spec, bool with_network, std::uint64_t seed, int jobs)
      : random_(seed, "storm"), machine_(platforms::make_machine(platform)), free_(machine_), jobs_left_(jobs) {
    if (with_network) network_ = netsim::engines().make("fluid", machine_, clock_);
    contiguous_ = spec.find("contiguous=yes") != std::string::npos;
    leak_ = allocators().make(spec, Site{.free = free_, .network = network_.get(), .clock = &clock_});
    clock_.start_timer(netsim::Time(), *this, arrival);
    clock_.run();
  }

  void check_that_all_is_over() const {
    CHECK(asked_ == answered_);
    CHECK(running_.empty());
    CHECK(free_.count() == static_cast<std::int32_t>(machine_.compute_nodes().size()));
    CHECK(clock_.timers() == 0);
  }
  int granted() const { return granted_; }
  int refused() const { return refused_; }
  std::string log() const { return log_; }

 private:
  static constexpr std::uint32_t arrival = 0;

  void timer_ended(std::uint32_t job) override {
    if (job == arrival) {
      if (jobs_left_-- == 0) return;
      ask(next_job_++, {});
      clock_.start_timer(netsim::Time(random_.unit() * 2e-4), *this, arrival);
    } else {
      change(job);
    }
  }

  void ask(std::uint32_t job, const Allocation& held) {
    Request request{job,
                    static_cast<std::int32_t>(1 + random_.below(1 + random_.below(machine_.compute_nodes().size())))};
    request.held = held;
    ++asked_;
    const bool grows = !held.empty();
    leak_->allocate(request, [this, job, grows, wanted = request.nodes](std::optional<Allocation> nodes) {
      ++answered_;
      log_ += fmt::format("{} {} {}\n", clock_.now().seconds(), job,
                          nodes ? fmt::format("{}", fmt::join(*nodes, " ")) : "-");
      if (nodes) {
        ++granted_;
        auto& all = running_[job];
        if (contiguous_ && !grows) REQUIRE(parts(machine_, *nodes).size() == 1);
        all.insert(all.end(), nodes->begin(), nodes->end());
      } else {
        ++refused_;  // and rightly
        REQUIRE(static_cast<std::size_t>(wanted) >
                (contiguous_ && !grows ? largest_part(free_) : static_cast<std::size_t>(free_.count())));
      }
      if (running_.count(job) != 0) clock_.start_timer(netsim::Time(random_.unit() * 1e-3), *this, job);
    });
  }

  void change(std::uint32_t job) {
    auto& nodes = running_[job];
    if (random_.below(3) == 0) return ask(job, {nodes.front()});
    const auto kept = random_.below(2) == 0 ? std::size_t{0} : random_.below(nodes.size());
    const Allocation going(nodes.begin() + static_cast<std::ptrdiff_t>(kept), nodes.end());
    nodes.resize(kept);
    if (kept == 0)
      running_.erase(job);
    else
      clock_.start_timer(netsim::Time(random_.unit() * 1e-3), *this, job);
    leak_->release(job, going);
  }

  core::Random random_;
  Machine machine_;
  FreeNodes free_;
  netsim::Clock clock_;
  std::unique_ptr<netsim::Network> network_;
  std::unique_ptr<Allocator> leak_;
  bool contiguous_ = false;
  std::map<std::uint32_t, Allocation> running_;
  std::uint32_t next_job_ = 1;
  int jobs_left_, asked_ = 0, answered_ = 0, granted_ = 0, refused_ = 0;
  std::string log_;
};

TEST_CASE("Storms of requests at once: each is answered once and rightly, and in the end all nodes are free") {
  std::uint64_t seed = 1;
  int granted = 0, refused = 0;
  for (const std::string spec : {"leak", "leak:contiguous=yes", "leak:contiguous=first", "leak:handling=20us",
                                 "leak:contiguous=yes,handling=100us"})
    for (const auto& platform : machines_of_all_kinds())
      for (const bool with_network : {false, true}) {
        CAPTURE(spec, platform, with_network);
        const Storm storm(platform, spec, with_network, seed++, 60);
        storm.check_that_all_is_over();
        granted += storm.granted();
        refused += storm.refused();
      }
  CHECK(granted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("The same storm twice is the same to the bit") {
  const auto log = [] { return Storm("hpcline", "leak:handling=10us", true, 7, 100).log(); };
  CHECK(log() == log());
}

TEST_CASE("An allocator that goes in the middle of a search leaves nothing behind on clock and network") {
  const auto machine = platforms::make_machine("hpcline");
  FreeNodes free(machine);
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  {
    const auto leak =
        allocators().make("leak:handling=10us", Site{.free = free, .network = network.get(), .clock = &clock});
    leak->allocate({1, 50}, [&](auto) { FAIL("stopped before"); });
    struct Stop final : netsim::TimerClient {
      explicit Stop(netsim::Clock& c) : clock(c) { clock.start_timer(netsim::Time(1e-4), *this, 0); }
      void timer_ended(std::uint32_t) override { clock.stop(); }
      netsim::Clock& clock;
    } stop(clock);
    clock.run();
    CHECK(network->flows() > 0);
  }
  CHECK(network->flows() == 0);
  CHECK(clock.timers() == 0);
}

TEST_CASE("Leak's keys are checked") {
  const auto machine = platforms::make_machine("mesh:2x2");
  FreeNodes free(machine);
  const auto message = [&](const std::string& spec) {
    return test::error_of([&] { allocators().make(spec, Site{free}); });
  };
  CHECK_THAT(message("leak:contiguous=maybe"), Catch::Contains("no, yes or first"));
  CHECK_THAT(message("leak:handling=5"), Catch::Contains("handling"));
  CHECK_THAT(message("leak:handling=1ms"), Catch::Contains("no time passes"));
}

}  // namespace
}  // namespace toroid::alloc
