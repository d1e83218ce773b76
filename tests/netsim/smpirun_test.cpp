// libtoroid_platform.so under SimGrid's own smpirun, against toroid.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/platforms/machine.hpp"
#include "workloads/formats/formats.hpp"

using namespace toroid;

namespace {

/// A library with sanitizers does not load into a program without them.
bool is_there(const std::string& command) {
  return !test::is_sanitized && std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}

std::string output_of(const std::string& command) {
  std::string all;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) all += part.data();
  ::pclose(pipe);
  return all;
}

void write_ti_per_rank(const workloads::Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  workloads::write_ti_per_rank(trace, outputs, path);
  outputs.commit();
}

/// What `smpirun` says on a machine, rank r on the r-th node that computes.
std::string smpirun(const test::Scratch& scratch, const std::string& platform, int ranks, const std::string& what) {
  std::string hosts;
  const auto machine = platforms::make_machine(platform);
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r)
    hosts += fmt::format("node-{}\n", machine.compute_nodes()[r]);
  return output_of(
      fmt::format("TOROID_PLATFORM='{}' timeout 60 smpirun -np {} -platform {} -hostfile {} --cfg=network/weight-S:0 "
                  "--cfg=surf/precision:1e-12 --cfg=maxmin/precision:1e-9 --cfg=smpi/async-small-thresh:65536 "
                  "--cfg=smpi/send-is-detached-thresh:65536 --cfg=smpi/simulate-computation:no {}",
                  platform, ranks, test::platform_library(), scratch.write("hosts", hosts), what));
}

double number_after(const std::string& text, const std::string& words) {
  CAPTURE(text);
  const auto at = text.find(words);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + words.size()));
}

/// Rounds in which every rank sends to three others and waits for all.
std::string exchange(int ranks, int rounds) {
  core::Random random(91, "smpirun");
  std::vector<std::string> lines(static_cast<std::size_t>(ranks));
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> receives(lines.size()), sends(lines.size());
    std::vector<int> requests(lines.size(), 3);
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < 3; ++i) {
        const int to = (from + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(ranks - 1)))) % ranks;
        const auto bytes = 1000 * (1 + random.below(60));
        const int tag = 3 * round + i;
        sends[static_cast<std::size_t>(from)] += fmt::format("{} isend {} {} {} 6\n", from, to, tag, bytes);
        receives[static_cast<std::size_t>(to)] += fmt::format("{} irecv {} {} {} 6\n", to, from, tag, bytes);
        ++requests[static_cast<std::size_t>(to)];
      }
    for (std::size_t r = 0; r < lines.size(); ++r)
      lines[r] += receives[r] + sends[r] + fmt::format("{} waitall {}\n", r, requests[r]);
  }
  std::string all;
  for (const auto& of_rank : lines) all += of_rank;
  return all;
}

/// The run time of 16 ranks, rank r on node r, as SMPI sends messages and SimGrid shares links.
double by_law_of_simgrid(const std::string& platform, const workloads::Trace& trace) {
  netsim::ReplayOptions options;
  options.eager_threshold = 65535;  // SMPI: strictly less
  options.envelope = 16;            // SMPI adds that to every message
  options.order = netsim::Order::shared;
  netsim::Mapping mapping;
  for (int r = 0; r < 16; ++r) mapping.add(platforms::NodeId(r));
  return test::simulate(platform, trace, options, mapping, "simgrid:sharing=latency")["runtime_s"];
}

}  // namespace

TEST_CASE("smpirun -replay on our machines predicts what toroid does") {
  if (!is_there("smpirun")) {
    WARN("skipped: no smpirun, or built with sanitizers");
    return;
  }
  const auto trace = test::trace_of(exchange(16, 10));
  for (const std::string platform :
       {"mesh:8x8", "mesh:4x4,bw=2.5GBps,lat=10us,injection=1.1GBps,ejection=1.1GBps", "bigben", "hpcline", "cielo",
        "tpu-v4-2x2x4", "mesh:4x4,nodes-per-router=2", "torus:4x4,lat=5us,failed-links=0-1"}) {
    CAPTURE(platform);
    const test::Scratch scratch;
    write_ti_per_rank(*trace, scratch.path("trace"));
    const auto said =
        smpirun(scratch, platform, 16,
                "--cfg=network/model:SMPI --cfg=smpi/display-timing:yes -replay " + scratch.path("trace"));
    netsim::ReplayOptions options;
    options.eager_threshold = 65535;  // SMPI: strictly less
    options.envelope = 16;            // SMPI adds that to every message
    options.order = netsim::Order::shared;
    netsim::Mapping mapping;
    const auto machine = platforms::make_machine(platform);
    for (std::size_t r = 0; r < 16; ++r) mapping.add(machine.compute_nodes()[r]);
    const double ours = test::simulate(platform, *trace, options, mapping)["runtime_s"];
    CHECK(number_after(said, "Simulated time: ") == Approx(ours).epsilon(0.02));
  }
}

TEST_CASE("A reduce_scatter takes what it takes in smpirun, whatever its blocks") {
  if (!is_there("smpirun")) {
    WARN("skipped: no smpirun, or built with sanitizers");
    return;
  }
  for (const std::string blocks :
       {"5000 5000 5000 5000 5000 5000 5000", "1000 2000 3000 4000 5000 6000 7000", "1 9 0 3 40000 2 7",
        "100000 200000 300000 400000 500000 600000 700000", "8 9 8 8", "70000 1 2 3 4", "1 2 3 4 5 6"}) {
    CAPTURE(blocks);
    const auto ranks = static_cast<int>(std::count(blocks.begin(), blocks.end(), ' ')) + 1;
    std::string text;
    for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{} reducescatter {} 0 6\n", rank, blocks);
    const auto trace = test::trace_of(text);
    const test::Scratch scratch;
    write_ti_per_rank(*trace, scratch.path("trace"));
    const auto platform = fmt::format("torus:{},bw=1GBps,lat=1us", ranks);
    const auto said = smpirun(scratch, platform, ranks, "-replay " + scratch.path("trace"));
    netsim::ReplayOptions options;
    options.collectives = workloads::CollectiveChoice::parse("smpi");
    const double ours = test::simulate(platform, *trace, options)["runtime_s"];
    CHECK(number_after(said, "Simulation time ") == Approx(ours).margin(1e-6));  // it says six digits
  }
}

TEST_CASE("Plain smpirun on an exported machine predicts what toroid does under SimGrid's law of sharing") {
  if (!is_there("smpirun")) {
    WARN("skipped: no smpirun, or built with sanitizers");
    return;
  }
  const auto trace = test::trace_of(exchange(16, 3));
  for (const std::string platform :
       {"mesh:4x4", "torus:4x4", "mesh:4x4,bw=2GBps/1GBps,lat=1us,base=2us,injection=1.1GBps", "ring:4x4",
        "mesh:4x4,nodes-per-router=2", "torus:4x4,failed-links=0-1"}) {
    CAPTURE(platform);
    const test::Scratch scratch;
    write_ti_per_rank(*trace, scratch.path("trace"));
    const auto machine = platforms::make_machine(platform);
    std::string hosts;
    for (int r = 0; r < 16; ++r) hosts += fmt::format("node-{}\n", r);
    // No setting of the network but those in the file.
    const auto said =
        output_of(fmt::format("timeout 60 smpirun -np 16 -platform {} -hostfile {} "
                              "--cfg=smpi/async-small-thresh:65536 --cfg=smpi/display-timing:yes -replay {}",
                              scratch.write("plain.xml", platforms::export_simgrid_xml(machine)),
                              scratch.write("hosts", hosts), scratch.path("trace")));
    CHECK(number_after(said, "Simulated time: ") == Approx(by_law_of_simgrid(platform, *trace)).epsilon(0.02));
  }
}

TEST_CASE("A TORUS cluster of SimGrid's takes in toroid what it takes in smpirun") {
  if (!is_there("smpirun")) {
    WARN("skipped: no smpirun, or built with sanitizers");
    return;
  }
  const auto trace = test::trace_of(exchange(16, 3));
  for (const std::string shape : {"4,4", "16", "2,8", "4,2,2"}) {
    CAPTURE(shape);
    const test::Scratch scratch;
    write_ti_per_rank(*trace, scratch.path("trace"));
    const auto cluster = scratch.write(
        "cluster.xml",
        fmt::format("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\">\n"
                    "  <cluster id=\"c\" prefix=\"node-\" radical=\"0-15\" suffix=\"\" speed=\"1Gf\" bw=\"1.25GBps\" "
                    "lat=\"3us\" topology=\"TORUS\" topo_parameters=\"{}\" sharing_policy=\"SPLITDUPLEX\"/>\n"
                    "</platform>\n",
                    shape));
    std::string hosts;
    for (int r = 0; r < 16; ++r) hosts += fmt::format("node-{}\n", r);
    const auto said = output_of(
        fmt::format("timeout 60 smpirun -np 16 -platform {} -hostfile {} --cfg=network/model:CM02 "
                    "--cfg=network/weight-S:0 --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 "
                    "--cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 --cfg=smpi/async-small-thresh:65536 "
                    "--cfg=smpi/send-is-detached-thresh:65536 --cfg=smpi/display-timing:yes -replay {}",
                    cluster, scratch.write("hosts", hosts), scratch.path("trace")));
    CHECK(number_after(said, "Simulated time: ") == Approx(by_law_of_simgrid(cluster, *trace)).epsilon(0.02));
  }
}

TEST_CASE("An MPI program runs on a mesh of ours under smpirun") {
  if (!is_there("smpirun") || !is_there("smpicc")) {
    WARN("skipped: no smpirun or smpicc, or built with sanitizers");
    return;
  }
  const test::Scratch scratch;
  const auto source = scratch.write("pingpong.c", R"(
#include <mpi.h>
#include <stdio.h>
static char data[1000000];
int main(int argc, char** argv) {
  int rank, i;
  double start;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  start = MPI_Wtime();
  for (i = 0; i < 10; ++i) {
    if (rank == 0) {
      MPI_Send(data, sizeof data, MPI_CHAR, 15, 0, MPI_COMM_WORLD);
      MPI_Recv(data, sizeof data, MPI_CHAR, 15, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 15) {
      MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("one way takes %.9f\n", (MPI_Wtime() - start) / 20);
  MPI_Finalize();
  return 0;
}
)");
  const auto program = scratch.path("pingpong");
  CAPTURE(output_of("smpicc -O1 " + source + " -o " + program));
  const auto said = smpirun(scratch, "mesh:4x4,bw=1GBps,lat=10us", 16, program);
  // Six hops of 10 us, and 1 MB with SMPI's envelope of 16 B at 1 GB/s.
  CHECK(number_after(said, "one way takes ") == Approx(60e-6 + 1000016e-9).epsilon(1e-3));
}
