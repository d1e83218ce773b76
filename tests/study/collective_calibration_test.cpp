#include "study/calibration/collective_calibration.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using namespace toroid::study;
using workloads::OpKind;

namespace {

/// Times of collectives on machines of two shapes, simulated by hand with TI texts, and off by chance.
std::vector<CollectiveTime> measured(const std::string& values, std::uint64_t seed, double spread) {
  core::Random random(seed, "collectives");
  std::vector<CollectiveTime> all;
  for (const auto& [shape, ranks] : {std::pair("2x2", 4), {"4x4", 16}})
    for (const auto& [kind, name, algorithm] : {std::tuple(OpKind::allreduce, "allreduce", "recursive_doubling"),
                                                {OpKind::allreduce, "allreduce", "ring"},
                                                {OpKind::bcast, "bcast", "binomial"},
                                                {OpKind::allgather, "allgather", "ring"},
                                                {OpKind::alltoall, "alltoall", "pairwise"},
                                                {OpKind::alltoall, "alltoall", "linear"}})
      for (std::uint64_t bytes = 16; bytes <= 1 << 20; bytes *= 16) {
        std::string text;
        for (int r = 0; r < ranks; ++r)
          text += fmt::format("{0} init\n{0} {1} {2}{3}\n{0} finalize\n", r, name, bytes,
                              kind == OpKind::allreduce ? " 0"
                              : kind == OpKind::bcast   ? " 0 6"
                                                        : fmt::format(" {} 6 6", bytes));
        const auto trace = test::trace_of(text);
        const auto machine = platforms::make_machine(fmt::format("torus:{},{}", shape, values));
        netsim::ReplayOptions options;
        options.collectives = workloads::CollectiveChoice::parse(fmt::format("default:{}={}", name, algorithm));
        options.eager_threshold = 4096;
        const auto result = netsim::run({machine, *trace, test::in_order(machine, ranks), options, "fluid"});
        double noise = 0;
        for (int i = 0; i < 12; ++i) noise += random.unit();
        all.push_back({shape, kind, algorithm, 0, bytes, result.runtime * std::exp(spread * (noise - 6))});
      }
  return all;
}

CollectiveCalibrationRequest request(std::vector<std::string> properties) {
  CollectiveCalibrationRequest asked;
  for (const std::string shape : {"2x2", "4x4"}) asked.shapes.push_back({shape, "torus:" + shape});
  asked.properties = std::move(properties);
  asked.replay.eager_threshold = 4096;
  asked.workers = 2;
  return asked;
}

}  // namespace

TEST_CASE("collectives on machines of ours give back their properties, within their intervals", "[slow]") {
  const std::vector<std::pair<std::string, double>> truth{
      {"overhead", 0.8e-6}, {"base-latency", 0.6e-6}, {"bandwidth", 5e9}, {"handshake", 4e-6}};
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto times = measured("overhead=0.8us,base=0.6us,latency=100ns,bandwidth=5GBps,handshake=4us", seed, 0.04);
    const auto fit = calibrate_collectives(request({"overhead", "base", "bandwidth", "handshake"}), times);
    REQUIRE(fit.properties.size() == truth.size());
    REQUIRE(fit.times.size() == times.size());
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const auto& p = fit.properties[k];
      CAPTURE(seed, p.property, p.value, p.interval.low, p.interval.high);
      CHECK(p.property == truth[k].first);
      CHECK(p.value == Approx(truth[k].second).epsilon(0.2));
      CHECK(p.interval.high < 1.6 * p.interval.low);
      ++all;
      inside += p.interval.low <= truth[k].second && truth[k].second <= p.interval.high ? 1 : 0;
      double shares = 0;
      for (const auto& [curve, share] : p.follows) shares += share;
      CHECK(shares == Approx(1));
    }
  }
  CHECK(inside >= all * 8 / 10);  // they are 90 % intervals
}

TEST_CASE("an algorithm that the library has in another form does not pull values to it", "[slow]") {
  auto times = measured("overhead=0.8us,base=0.6us,latency=100ns,bandwidth=5GBps,handshake=4us", 7, 0.01);
  for (auto& time : times)
    if (time.algorithm == "pairwise") time.seconds *= 3;
  const auto fit = calibrate_collectives(request({"overhead", "base-latency", "bandwidth"}), times);
  CHECK(fit.properties[2].value == Approx(5e9).epsilon(0.15));
  for (const auto& time : fit.times)
    if (time.time.algorithm == "pairwise") CHECK(time.weight < 0.5);
}

TEST_CASE("ranks are where a file says, on one or on more workers", "[slow]") {
  const test::Scratch scratch;
  const auto times = measured("overhead=0.8us,base=0.6us,latency=100ns,bandwidth=5GBps", 2, 0.01);
  auto asked = request({"overhead", "bandwidth"});
  const auto near = calibrate_collectives(asked, times);
  asked.workers = 1;
  std::string in_order, scattered;
  for (int r = 0; r < 16; ++r) {
    in_order += std::to_string(r) + "\n";
    scattered += std::to_string(7 * r % 16) + "\n";
  }
  asked.shapes[1].mapper = mapping::MapperChoice(std::string_view(scratch.write("in-order", in_order)));
  const auto same = calibrate_collectives(asked, times);
  asked.shapes[1].mapper = mapping::MapperChoice(std::string_view(scratch.write("scattered", scattered)));
  const auto far = calibrate_collectives(asked, times);
  CHECK(same.properties[1].value == near.properties[1].value);
  CHECK(far.properties[1].value > near.properties[1].value);  // links would have to be faster
}

TEST_CASE("what the times of collectives cannot tell is refused") {
  auto times = measured("overhead=0.8us,base=0.6us,latency=100ns,bandwidth=5GBps", 1, 0.02);
  const auto fails = [](const CollectiveCalibrationRequest& asked, const std::vector<CollectiveTime>& of,
                        const std::string& message) {
    CHECK_THROWS_WITH(calibrate_collectives(asked, of), Catch::Contains(message));
    CHECK_THROWS_AS(calibrate_collectives(asked, of), core::InputError);
  };
  fails(request({"loopback-latency"}), times, "no time follows loopback-latency");
  fails(request({"cores"}), times, "--fit: found 'cores'");
  fails(request({"nothing"}), times, "--fit: found 'nothing'");
  fails(request({"overhead"}), {times[0], times[1]}, "found 2 times, expected at least 3");
  auto of_4x4 = request({"overhead"});
  of_4x4.shapes.erase(of_4x4.shapes.begin());
  fails(of_4x4, times, "no machine for the shape '2x2'");
  auto still = request({"bandwidth"});
  for (auto& shape : still.shapes) shape.platform = shape.platform.text() + ",latency=0s,base=0s";
  fails(still, {{"4x4", OpKind::bcast, "binomial", 0, 0, 5e-6}, times[0], times[1]},
        "4x4 bcast binomial of 0 B: nothing in the model makes it take time");
  std::vector<CollectiveTime> alike;  // of one size, on one shape: nothing tells base latency and hops apart
  for (int i = 0; i < 6; ++i) alike.push_back({"2x2", OpKind::barrier, "dissemination", 0, 0, (5 + 0.01 * i) * 1e-6});
  fails(request({"base-latency", "latency"}), alike, "cannot tell");
}

TEST_CASE("times of collectives are read from tables, and as OSU and IMB print them") {
  const test::Scratch scratch;
  const auto osu = scratch.write("osu.txt",
                                 "# OSU MPI Allreduce Latency Test v7.2\n# Datatype: MPI_INT.\n# Size       Avg "
                                 "Latency(us)\n4   5.50\n1024  7.25\n");
  const auto full = scratch.write("full.txt",
                                  "# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg Latency(us)   Min Latency(us)   "
                                  "Max Latency(us)  Iterations\n4  5.0 4.0 5.5 1000\n1024 7.0 6.0 7.25 1000\n");
  const auto imb = scratch.write("imb.txt",
                                 "# Benchmarking Allreduce\n# #processes = 16\n#bytes #repetitions  t_min[usec]  "
                                 "t_max[usec]  t_avg[usec]\n 4 1000 4.0 5.5 5.0\n 1024 1000 6.0 7.25 7.0\n");
  const auto table =
      scratch.write("t.csv", "us,bytes,algorithm,collective\n5.5,4,ring,MPI_Allreduce\n7.25,1024,ring,ALLREDUCE\n");
  for (const auto& argument : {osu + "@ring", full + "@ring", imb + "@ring", table}) {
    CAPTURE(argument);
    const auto read = read_collective_times(argument, {});
    REQUIRE(read.all.size() == 2);
    CHECK(read.all[1].kind == OpKind::allreduce);
    CHECK(read.all[1].algorithm == "ring");
    CHECK(read.all[1].ranks == (argument == imb + "@ring" ? 16 : 0));
    CHECK(read.all[1].bytes == 1024);
    CHECK(read.all[1].seconds == Approx(7.25e-6));
  }
  const auto mixed = scratch.write("m.csv",
                                   "shape,collective,algorithm,bytes,us\n2x2,bcast,binomial,4,1\n2x2,bcast,odd,4,1\n"
                                   "4x4,bcast,binomial,1048576,9\n");
  const auto left = read_collective_times(mixed, {TimesLeftOut("algorithm=odd"), TimesLeftOut("bytes>64KiB")});
  CHECK(left.all.size() == 1);
  CHECK(left.left_out == std::vector<std::pair<std::string, std::size_t>>{{"algorithm=odd", 1}, {"bytes>64KiB", 1}});

  const auto few = read_collective_times(mixed, {TimesLeftOut("ranks<16")}, {{"2x2", 4}, {"4x4", 16}});
  REQUIRE(few.all.size() == 1);
  CHECK(few.all[0].shape == "4x4");
  for (const auto& [heading, kind] : {std::pair("OSU MPI Broadcast", OpKind::bcast),
                                      {"OSU MPI-CUDA Broadcast", OpKind::bcast},
                                      {"OSU MPI All-to-All Personalized Exchange", OpKind::alltoall},
                                      {"OSU MPI All-to-Allv Personalized Exchange", OpKind::alltoall},
                                      {"OSU MPI Reduce_scatter", OpKind::reduce_scatter},
                                      {"OSU MPI Barrier", OpKind::barrier}}) {
    CAPTURE(heading);
    const auto path = scratch.write(
        "h.txt",
        fmt::format("\n# {} Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size  Avg Latency(us)\n8 9.2\n", heading));
    REQUIRE(read_collective_times(path, {}).all.size() == 1);
    CHECK(read_collective_times(path, {}).all[0].kind == kind);
  }

  const auto fails = [&](const std::string& text, const std::string& ends, const std::string& message) {
    const auto path = scratch.write("bad", text);
    CHECK_THROWS_WITH(read_collective_times(path + ends, {}, {{"", 16}}), Catch::Contains(message));
  };
  fails("collective,bytes,us\nbcast,4,0\n", "", "bad:2: found '0', expected a time above 0");
  fails("collective,bytes,us\nbroadcast,4,1\n", "", "bad:2: found the collective 'broadcast', expected barrier");
  fails("collective,algorithm,bytes,us\nbcast,odd,4,1\n", "", "bad:2: ");
  fails("collective,ranks,bytes,us\nbcast,1,4,1\n", "", "bad:2: found '1' ranks");
  fails("collective,ranks,bytes,us\nbcast,2000000000,4,1\n", "", "bad:2: found 2000000000 ranks, expected at most 16");
  fails("collective,bytes,us\nbcast,4\n", "", "bad:2: found 2 columns");
  fails("collective,bytes,us\n", "", "bad: no measurement in it");
  fails("collective,bytes,us\nbcast,4,1\n", "@ring", "bad:1: the table says what was measured");
  fails("hello\n", "", "bad:1: found 'hello', expected a header");
  fails("# Size  Avg Latency(us)\n4 1\n", "@ring", "bad:1: no comment says which collective follows");
  CHECK_THROWS_WITH(TimesLeftOut("speed=3"), Catch::Contains("--without: found 'speed=3'"));
  CHECK_THROWS_WITH(TimesLeftOut("shape>3"), Catch::Contains("expected shape=NAME"));
}
