// The jobs to which jobs lose time: by hand, and held against what a run of all jobs together charges.

#include "cosim/run_times/shared_links.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/netsim/mixes.hpp"
#include "tests/netsim/shapley.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::cosim {
namespace {

const Time start;

std::map<std::string, double> by_name(const std::vector<Loss>& losses) {
  std::map<std::string, double> seconds;
  for (const auto& loss : losses) seconds[loss.name] = loss.seconds;
  return seconds;
}

platforms::LinkId link(const platforms::Machine& machine, int from, int to) {
  platforms::LinkId found = 0;
  machine.for_each_link(platforms::NodeId(from), platforms::NodeId(to), [&](platforms::LinkId l) { found = l; });
  return found;
}

/// What each job lost, split over the others by the links that they share. `result` is that of all jobs together, which
/// begin at once.
test::LossTable split_by_links(const test::Mix& mix, const netsim::Result& result) {
  const auto request = mix.request();
  const auto count = request.jobs.size();
  SharedLinks links(request.machine);
  for (std::size_t number = 0; number < count; ++number) {
    const auto& job = request.jobs[number];
    const mapping::Traffic traffic(job.trace);
    links.begin(static_cast<JobId>(number), job.name,
                links_of(request.machine, traffic.matrix(), job.mapping, job.options.envelope), mix.alone()[number],
                {});
  }
  std::vector<std::size_t> by_end(count);
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::sort(by_end.begin(), by_end.end(), [&](auto a, auto b) { return result.jobs[a].end < result.jobs[b].end; });
  std::vector<std::vector<double>> losses(count, std::vector<double>(count));
  for (const auto job : by_end)
    for (const auto& loss : links.end(static_cast<JobId>(job), request.jobs[job].rounds * mix.alone()[job],
                                      netsim::Time(result.jobs[job].end)))
      losses[job][static_cast<std::size_t>(loss.to)] = loss.seconds;
  return losses;
}

}  // namespace

TEST_CASE("What a job lost is split over the others by time together and the use of links that both use") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto left = link(machine, 0, 1), middle = link(machine, 1, 2), right = link(machine, 2, 3);
  SharedLinks links(machine);
  const std::vector<LinkBytes> a{{left, 500'000'000}, {middle, 500'000'000}}, b{{middle, 200'000'000}},
      c{{left, 300'000'000}}, d{{right, 900'000'000}};
  links.begin(0, "a", a, 1, start);  // keeps both links busy for half of its time
  links.begin(1, "b", b, 1, start);
  links.begin(2, "c", c, 1, start);
  links.begin(3, "d", d, 1, start);
  // b is beside a for 6 s, c for all of the 8 s: 0.5 * 0.2 * 6 to 0.5 * 0.3 * 8, so 1 s of 3 to b and 2 s to c.
  CHECK(by_name(links.end(1, 2, Time(6.0))) == std::map<std::string, double>{{"a", 4}});
  const auto losses = links.end(0, 5, Time(8.0));
  REQUIRE(losses.size() == 2);
  CHECK(losses[0].to == 2);
  CHECK(losses[0].name == "c");
  CHECK(losses[0].seconds == Approx(2));
  CHECK(losses[1].name == "b");
  CHECK(losses[1].seconds == Approx(1));
  CHECK(links.end(3, 1, Time(9.0)).empty());  // shares no link
  CHECK(links.end(2, 0, Time(9.0)).empty());  // its time alone is not known
  links.begin(4, "e", b, 1, Time(9.0));       // all are gone
  CHECK(links.end(4, 0.5, Time(10.0)).empty());
}

TEST_CASE("An all-to-all sends the same over links in whichever order its ranks have the nodes") {
  const auto machine = platforms::make_machine("torus:5x4x3");
  const auto trace = workloads::open_trace("broadcasts:ranks=20,rounds=1,bytes=1MB");
  const mapping::Traffic traffic(*trace);
  core::Random random(7, "nodes");
  std::vector nodes(machine.compute_nodes().begin(), machine.compute_nodes().end());
  random.shuffle(nodes);
  nodes.resize(20);
  const auto sent = links_of(machine, traffic.matrix(), netsim::Mapping(nodes), 0);
  random.shuffle(nodes);
  const auto again = links_of(machine, traffic.matrix(), netsim::Mapping(nodes), 0);
  REQUIRE(sent.size() == again.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    CHECK(sent[i].link == again[i].link);
    CHECK(sent[i].bytes == again[i].bytes);
    CHECK(sent[i].pairs == again[i].pairs);
    CHECK(sent[i].bytes == 1'000'000 * sent[i].pairs);
  }
}

TEST_CASE("What an all-to-all sends over links is found without its pairs, on random machines and nodes") {
  core::Random random(11, "all to all");
  for (int round = 0; round < 200; ++round) {
    const auto ranks = 2 + random.below(30), dimensions = 1 + random.below(3);
    std::string text = random.below(2) == 0 ? "torus:" : "mesh:";
    for (std::size_t d = 0; d < dimensions; ++d) text += fmt::format("{}{}", d == 0 ? "" : "x", 2 + random.below(6));
    if (random.below(3) == 0) text += ",x.wrap=ring";
    if (random.below(4) == 0) text += ",x.shared=yes";
    if (random.below(3) == 0) text += ",nodes-per-router=2,injection-bandwidth=1GBps";
    if (random.below(3) == 0) text += ",ejection-bandwidth=1GBps";
    if (random.below(2) == 0 && dimensions > 1) text += dimensions == 2 ? ",routing=y x" : ",routing=z x y";
    CAPTURE(text, ranks);
    const auto machine = platforms::make_machine(text);
    std::vector<platforms::NodeId> nodes;  // several ranks may share one
    for (std::size_t rank = 0; rank < ranks; ++rank)
      nodes.push_back(machine.compute_nodes()[random.below(machine.compute_nodes().size())]);
    const auto trace = workloads::open_trace(fmt::format("broadcasts:ranks={},rounds=1,bytes=1MB", ranks));
    const mapping::Traffic traffic(*trace);
    const auto slow = links_of(machine, traffic.matrix(), netsim::Mapping(nodes), 40);
    const auto fast = links_of_uniform(machine, traffic.matrix(), netsim::Mapping(nodes), 40);
    REQUIRE(slow.size() == fast.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
      CHECK(slow[i].link == fast[i].link);
      CHECK(slow[i].bytes == fast[i].bytes);
      CHECK(slow[i].pairs == fast[i].pairs);
    }
  }
}

TEST_CASE("Jobs that are not slower than alone lose nothing, and jobs that take no time use no link") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const std::vector<LinkBytes> some{{link(machine, 1, 2), 1'000'000'000}};
  SharedLinks links(machine);
  links.begin(0, "a", some, 2, start);
  links.begin(1, "b", some, 2, start);
  links.begin(2, "instant", some, 0, start);
  CHECK(links.end(2, 0.5, Time(1.0)).empty());
  CHECK(links.end(0, 1.5, Time(1.0)).empty());
  CHECK(by_name(links.end(1, 1, Time(4.0))) == std::map<std::string, double>{{"a", 3}});
}

TEST_CASE("A job that loses a node and begins again counts for both times") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const std::vector<LinkBytes> some{{link(machine, 1, 2), 1'000'000'000}}, half{{link(machine, 1, 2), 500'000'000}};
  SharedLinks links(machine);
  links.begin(0, "a", some, 1, start);
  links.begin(1, "b", half, 1, start);
  links.begin(2, "c", half, 1, start);
  links.end(1, 0, Time(2.0));
  links.begin(1, "b", half, 1, Time(5.0));
  links.end(2, 0, Time(3.0));
  // b was there for 2 s and for 1 s, c for 3 s.
  const auto found = by_name(links.end(0, 2, Time(6.0)));
  CHECK(found.at("b") == Approx(2));
  CHECK(found.at("c") == Approx(2));
}

TEST_CASE("The split is nearer to what a run of all jobs together charges than an even one, in random mixes",
          "[slow]") {
  double lost = 0, off = 0, even_off = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const test::Mix mix(seed, 4);
    const auto request = mix.request();
    const auto result = netsim::run(request);
    const auto split = split_by_links(mix, result);
    for (std::size_t victim = 0; victim < 4; ++victim) {
      auto charges = result.jobs[victim].charges;
      charges[victim] = 0;
      const double charged = std::accumulate(charges.begin(), charges.end(), 0.0),
                   given = std::accumulate(split[victim].begin(), split[victim].end(), 0.0);
      if (!(charged > 0) || !(given > 0)) continue;
      lost += given;
      for (std::size_t other = 0; other < 4; ++other) {
        if (other == victim) continue;
        off += given * std::abs(split[victim][other] / given - charges[other] / charged);
        even_off += given * std::abs(1.0 / 3 - charges[other] / charged);
      }
    }
  }
  CAPTURE(off / lost, even_off / lost);
  CHECK(off < 0.75 * even_off);
}

TEST_CASE("Charges and the split beside Shapley values, in 60 mixes", "[.attribution]") {
  test::Comparison charged, split;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::Mix mix(seed, 4);
    const auto request = mix.request();
    auto result = netsim::run(request);
    for (std::size_t job = 0; job < 4; ++job) result.jobs[job].alone = mix.alone()[job];
    const auto exact = test::shapley_losses(request, result);
    charged.add(result, exact);
    const auto losses = split_by_links(mix, result);
    for (std::size_t job = 0; job < 4; ++job) result.jobs[job].charges = losses[job];
    split.add(result, exact);
  }
  WARN("correlation over " << charged.pairs() << " pairs: charges " << charged.correlation() << ", split "
                           << split.correlation());
  WARN("charged over lost, " << charged.victims() << " jobs: quartiles " << charged.quantile(0.25) << ", "
                             << charged.quantile(0.5) << ", " << charged.quantile(0.75));
  CHECK(charged.correlation() > 0.95);
  CHECK(split.correlation() > 0.75);
}

}  // namespace toroid::cosim
