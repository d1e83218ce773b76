// How much faster the packet engine is on two threads: two networks with the same random traffic, in turn, a slice of
// some messages each. Slices in which others had the processors are left out: their threads had less CPU time than they
// took.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "netsim/network.hpp"

using namespace toroid;
using platforms::NodeId;

namespace {

/// Every node always has a message under way to a random one.
class RandomMessages final : public netsim::FlowClient {
 public:
  RandomMessages(const platforms::Machine& machine, const std::string& engine)
      : network_(netsim::engines().make(engine, machine, clock_)) {
    for (const NodeId node : machine.compute_nodes()) send(node);
  }
  /// Goes on until a number of messages have arrived.
  void run(std::uint64_t messages) {
    until_ = arrived_ + messages;
    clock_.run();
  }
  void flow_ended(std::uint32_t node, const netsim::FlowEnd&) override {
    if (++arrived_ == until_) clock_.stop();
    send(NodeId(node));
  }
  netsim::Time now() const { return clock_.now(); }

 private:
  void send(NodeId from) {
    const auto nodes = network_->machine().compute_nodes();
    network_->start_flow(from, nodes[random_.below(nodes.size())], 16384, *this,
                         static_cast<std::uint32_t>(from.value()));
  }

  netsim::Clock clock_;
  std::unique_ptr<netsim::Network> network_;
  std::uint64_t arrived_ = 0, until_ = 0;
  core::Random random_{1, "packet_threads"};
};

struct Slice {
  double elapsed = 0;  ///< seconds
  bool undisturbed = false;
};

Slice timed(RandomMessages& traffic, std::uint64_t messages, double threads) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double cpu = bench::cpu_seconds();
  traffic.run(messages);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  return {elapsed, bench::cpu_seconds() - cpu > 0.97 * threads * elapsed};
}

double sum(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double median(std::vector<double> all) {
  if (all.empty()) return 0;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Two threads of the packet engine against one");
  std::vector<std::string> specs{"torus:32x32x32"};
  std::string keys;
  std::uint64_t messages = 1000;
  int slices = 20;
  app.add_option("MACHINE", specs)->capture_default_str();
  app.add_option("--keys", keys, "further keys of the engine, such as ,routing=adaptive");
  app.add_option("--messages", messages, "of a slice")->capture_default_str();
  app.add_option("--slices", slices, "of each network")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  core::Table table({"machine", "slices", "undisturbed pairs", "one thread, s", "two threads, s", "times as fast",
                     "all slices", "same times"});
  for (const auto& spec : specs) {
    const auto machine = platforms::make_machine(spec);
    RandomMessages one(machine, "packet:threads=1" + keys), two(machine, "packet:threads=2" + keys);
    std::array<std::vector<double>, 2> elapsed, all;
    bool same = true;
    for (int slice = 0; slice < slices; ++slice) {
      const auto first = timed(one, messages, 1), second = timed(two, messages, 2);
      same = same && one.now() == two.now();
      all[0].push_back(first.elapsed);
      all[1].push_back(second.elapsed);
      if (slice == 0 || !first.undisturbed || !second.undisturbed) continue;
      elapsed[0].push_back(first.elapsed);
      elapsed[1].push_back(second.elapsed);
    }
    const double one_s = sum(elapsed[0]), two_s = sum(elapsed[1]);
    table.add({spec, std::to_string(slices), std::to_string(elapsed[0].size()), fmt::format("{:.3f}", one_s),
               fmt::format("{:.3f}", two_s), two_s > 0 ? fmt::format("{:.2f}", one_s / two_s) : "",
               fmt::format("{:.2f}", median(all[0]) / median(all[1])), same ? "yes" : "no"});
  }
  fmt::print("{}", table.text());
}
