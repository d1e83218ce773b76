#include "tests/netsim/flows.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <limits>

#include "core/isolate.hpp"
#include "netsim/network.hpp"
#include "tests/support/machines.hpp"
#include "toroid/core/error.hpp"

namespace toroid::test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Recorder final : public netsim::FlowClient, public netsim::TimerClient {
 public:
  Recorder(netsim::Network& network, const std::vector<Flow>& flows, netsim::Order order)
      : network_(network), flows_(flows), order_(order), ends_(flows.size()), places_(flows.size()) {
    for (std::uint32_t i = 0; i < flows.size(); ++i)
      network.clock().start_timer(netsim::Time(flows[i].start), *this, i);
  }
  void timer_ended(std::uint32_t i) override {
    network_.start_flow(flows_[i].from, flows_[i].to, flows_[i].bytes, *this, i, order_);
  }
  void flow_ended(std::uint32_t i, const netsim::FlowEnd&) override {
    ends_[i] = network_.clock().now().seconds();
    places_[i] = told_++;
  }
  const std::vector<double>& ends() const { return ends_; }
  const std::vector<double>& places() const { return places_; }

 private:
  netsim::Network& network_;
  const std::vector<Flow>& flows_;
  netsim::Order order_;
  std::vector<double> ends_, places_;
  double told_ = 0;
};

using Routes = std::vector<std::vector<platforms::LinkId>>;

std::vector<double> fair_rates(const platforms::Machine& machine, const Routes& routes,
                               const std::vector<bool>& active) {
  core::IdVector<platforms::LinkId, double> left;
  for (const auto link : machine.links()) left.add(machine.link_bandwidth(link));
  std::vector<double> rates(routes.size(), 0);
  std::vector<bool> rising = active;
  while (std::find(rising.begin(), rising.end(), true) != rising.end()) {
    core::IdVector<platforms::LinkId, int> users(left.size(), 0);
    for (std::size_t f = 0; f < routes.size(); ++f)
      for (const auto link : routes[f]) users[link] += rising[f] ? 1 : 0;
    double step = never;
    for (const auto l : left.ids())
      if (users[l] > 0) step = std::min(step, left[l] / users[l]);
    core::IdVector<platforms::LinkId, char> full(left.size(), false);
    for (const auto l : left.ids()) {
      if (users[l] == 0) continue;
      full[l] = left[l] / users[l] <= step * (1 + 1e-12);
      left[l] -= step * users[l];
    }
    for (std::size_t f = 0; f < routes.size(); ++f) {
      if (!rising[f]) continue;
      rates[f] += step;
      rising[f] = std::none_of(routes[f].begin(), routes[f].end(), [&](auto link) { return full[link]; });
    }
  }
  return rates;
}

/// By flow, the one that is before it in its line; the number of flows if none is.
std::vector<std::size_t> flows_before(const std::vector<Flow>& flows, netsim::Order order) {
  const auto in_one_line = [&](const Flow& a, const Flow& b) {
    return order != netsim::Order::shared && a.from == b.from && (order == netsim::Order::node || a.to == b.to);
  };
  std::vector<std::size_t> before(flows.size(), flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (std::size_t g = 0; g < flows.size(); ++g) {
      const auto is_later = [&](std::size_t a, std::size_t b) {
        return std::pair(flows[a].start, a) > std::pair(flows[b].start, b);
      };
      if (!in_one_line(flows[f], flows[g]) || !is_later(f, g)) continue;
      if (before[f] == flows.size() || is_later(g, before[f])) before[f] = g;
    }
  return before;
}

/// Told of each span of time in which rates stay as they are.
using Watch = std::function<void(const Routes&, const std::vector<double>& rates, double seconds)>;

std::vector<double> filled_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                     netsim::Order order, const Watch& watch);

/// Books what flow f loses in a span of time.
void book_losses(const platforms::Machine& machine, const Routes& routes, const std::vector<double>& rates,
                 double seconds, std::size_t f, std::vector<double>& losses) {
  double alone = never;
  for (const auto link : routes[f]) alone = std::min(alone, machine.link_bandwidth(link));
  std::vector<double> shares(routes.size(), 0);  // on the link that holds f back where the other moves most
  for (const auto link : routes[f]) {
    double used = 0, most = 0;
    std::vector<std::size_t> there;
    for (std::size_t g = 0; g < routes.size(); ++g) {
      if (!(rates[g] > 0) || std::find(routes[g].begin(), routes[g].end(), link) == routes[g].end()) continue;
      used += rates[g];
      most = std::max(most, rates[g]);
      there.push_back(g);
    }
    if (used < machine.link_bandwidth(link) * (1 - 1e-9) || most > rates[f] * (1 + 1e-9)) continue;
    for (const auto g : there) shares[g] = rates[g];
  }
  shares[f] = 0;
  double sum = 0;
  for (const double share : shares) sum += share;
  for (std::size_t g = 0; sum > 0 && g < routes.size(); ++g)
    losses[g] += (1 - rates[f] / alone) * seconds * shares[g] / sum;
}

}  // namespace

namespace {

/// What a recorder says of each flow.
std::vector<double> recorded(const platforms::Machine& machine, const std::vector<Flow>& flows,
                             const std::string& engine, netsim::Order order,
                             const std::vector<double>& (Recorder::*what)() const) {
  const auto run = [&] {
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, machine, clock);
    Recorder recorder(*network, flows, order);
    clock.run();
    return (recorder.*what)();
  };
  // Loaded here, once, rather than in each process.
  if (!netsim::load(engine).own_process) return run();
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    const auto all = run();
    return std::string(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(double));
  });
  std::vector<double> all(flows.size());
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace

std::vector<double> engine_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                     const std::string& engine, netsim::Order order) {
  return recorded(machine, flows, engine, order, &Recorder::ends);
}

std::vector<double> engine_places(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                  const std::string& engine, netsim::Order order) {
  return recorded(machine, flows, engine, order, &Recorder::places);
}

std::vector<double> reference_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                        netsim::Order order) {
  return filled_end_times(machine, flows, order, [](const auto&, const auto&, double) {});
}

std::vector<std::vector<double>> reference_losses(const platforms::Machine& machine, const std::vector<Flow>& flows) {
  std::vector losses(flows.size(), std::vector<double>(flows.size()));
  filled_end_times(machine, flows, netsim::Order::shared,
                   [&](const Routes& routes, const std::vector<double>& rates, double seconds) {
                     for (std::size_t f = 0; f < flows.size(); ++f)
                       if (rates[f] > 0) book_losses(machine, routes, rates, seconds, f, losses[f]);
                   });
  return losses;
}

namespace {

std::vector<double> filled_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                     netsim::Order order, const Watch& watch) {
  const auto before = flows_before(flows, order);
  Routes routes(flows.size());
  std::vector<double> begins, left, ends(flows.size(), -1);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    machine.for_each_link(flows[f].from, flows[f].to, [&](platforms::LinkId link) { routes[f].push_back(link); });
    begins.push_back(flows[f].start + machine.latency(flows[f].from, flows[f].to));
    left.push_back(static_cast<double>(flows[f].bytes));
  }
  double now = 0;
  while (std::find(ends.begin(), ends.end(), -1) != ends.end()) {
    std::vector<bool> active(flows.size());
    double next = never;
    bool any_without_links = false;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (ends[f] >= 0) continue;
      if (begins[f] > now) next = std::min(next, begins[f]);
      active[f] = begins[f] <= now && (before[f] == flows.size() || ends[before[f]] >= 0);
      if (!active[f] || !routes[f].empty()) continue;
      ends[f] = now;  // between nodes of a router, with nothing to limit it
      any_without_links = true;
    }
    if (any_without_links) continue;
    const auto rates = fair_rates(machine, routes, active);
    std::size_t first = flows.size();
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!active[f] || now + left[f] / rates[f] >= next) continue;
      next = now + left[f] / rates[f];
      first = f;
    }
    watch(routes, rates, next - now);
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (active[f]) left[f] = std::max(0.0, left[f] - rates[f] * (next - now));
    now = next;
    if (first < flows.size()) ends[first] = now;
  }
  return ends;
}

platforms::Machine random_machine(core::Random& random, std::int32_t most_routers, std::uint64_t most_failures,
                                  bool shares_links) {
  for (;;) {
    auto description = random_description(random, most_routers);
    for (auto& dimension : description.dimensions) dimension.shared = dimension.shared && shares_links;
    if (random.below(3) == 0) add_failures(random, description, 1 + random.below(most_failures));
    try {
      platforms::Machine machine(description);
      if (machine.compute_nodes().size() > 1) return machine;
    } catch (const core::InputError&) {  // what failed cuts it
    }
  }
}

}  // namespace

platforms::Machine random_machine(core::Random& random) {
  return random_machine(random, 100, 3, true);
}

platforms::Machine random_machine_of_links(core::Random& random, std::int32_t most_routers) {
  return random_machine(random, most_routers, 2, false);
}

std::vector<Flow> random_flows(core::Random& random, const platforms::Machine& machine, std::size_t count,
                               double last_start) {
  const auto nodes = machine.compute_nodes();
  std::vector<Flow> flows;
  while (flows.size() < count) {
    Flow flow{nodes[random.below(nodes.size())], nodes[random.below(nodes.size())],
              random.below(4) == 0 ? 65536 : 1 + random.below(1000000), last_start * random.unit()};
    if (!flows.empty() && random.below(4) == 0) {
      flow.from = flows.back().from;
      flow.to = flows.back().to;
    }
    if (flow.from != flow.to) flows.push_back(flow);
  }
  return flows;
}

std::int32_t permuted(const std::string& pattern, std::int32_t node, std::int32_t k, std::int32_t n) {
  std::uint32_t count = 1;
  for (std::int32_t d = 0; d < n; ++d) count *= static_cast<std::uint32_t>(k);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(count) - 1);
  const auto source = static_cast<std::uint32_t>(node), all = count - 1;
  if (pattern == "bitcomp") return static_cast<std::int32_t>(~source & all);
  if (pattern == "shuffle") return static_cast<std::int32_t>(((source << 1U) & all) | (source >> (bits - 1)));
  if (pattern == "transpose") return static_cast<std::int32_t>(((source << (bits / 2)) & all) | (source >> (bits / 2)));
  std::uint32_t reversed = 0;
  for (std::uint32_t bit = 0; bit < bits; ++bit) reversed |= ((source >> bit) & 1U) << (bits - 1 - bit);
  if (pattern == "bitrev") return static_cast<std::int32_t>(reversed);
  const auto steps = pattern == "tornado" ? (k - 1) / 2 : 1;
  std::int32_t target = 0, stride = 1;
  for (std::int32_t d = 0; d < n; ++d, stride *= k) target += (node / stride % k + steps) % k * stride;
  return target;
}

void check_equal(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).epsilon(1e-9).margin(0));
}

}  // namespace toroid::test
