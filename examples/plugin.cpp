// A plug-in with an algorithm of each kind, and a mapper that looks at the traffic. The others do what one of toroid's
// own does, so that results can be compared.
//
//   c++ -std=c++20 -O2 -shared -fPIC -o plugin.so plugin.cpp -lfmt
//   toroid --plugin plugin.so list mappers

#include <algorithm>
#include <memory>
#include <optional>
#include <toroid/plugin.hpp>
#include <vector>

namespace {

using namespace toroid;

/// The free nodes with the lowest numbers, but for the first `skip`.
class Lowest final : public alloc::LocalAllocator {
 public:
  Lowest(const alloc::Site& site, std::int32_t skip) : LocalAllocator(site), skip_(skip) {}

 private:
  std::optional<alloc::Allocation> find(const alloc::Request& request) override {
    const auto skipped = std::min(skip_, free().count() - request.nodes);
    auto nodes = free().lowest(request.nodes + skipped);
    nodes.erase(nodes.begin(), nodes.begin() + skipped);
    return nodes;
  }

  std::int32_t skip_;
};

const core::Parameter<std::int32_t> skip{"skip", "free nodes to pass over first", core::whole(0, 1000), "0"};

std::unique_ptr<alloc::Allocator> make_lowest(const alloc::Site& site, const core::Arguments& arguments) {
  return std::make_unique<Lowest>(site, arguments[skip]);
}

/// First come, first served.
class InOrder final : public cosim::Scheduler {
 public:
  void submitted(const cosim::Queued& job) override { queue_.push_back(job); }
  std::optional<cosim::Start> next(const cosim::View& view) override {
    if (queue_.empty() || refused_ || queue_.front().nodes > view.free) return std::nullopt;
    return cosim::Start{queue_.front().id};
  }
  void refused(cosim::JobId) override { refused_ = true; }
  void started(cosim::JobId job, std::int32_t, const cosim::Time&) override { withdrawn(job); }
  void resized(cosim::JobId, std::int32_t, const cosim::Time&) override { refused_ = false; }
  void ended(cosim::HolderId, const cosim::Time&) override { refused_ = false; }
  void node_out(cosim::NodeId, const cosim::Time&, const cosim::Time&) override {}
  void freed() override { refused_ = false; }
  void withdrawn(cosim::JobId job) override {
    std::erase_if(queue_, [&](const auto& waiting) { return waiting.id == job; });
  }

 private:
  std::vector<cosim::Queued> queue_;
  bool refused_ = false;  // until something happens
};

/// Rank after rank on the free slot with the least bytes times hops to those that it sends to and that have a node.
class NearPartners final : public mapping::Mapper {
 public:
  mapping::Mapping map(const mapping::MappingProblem& problem) const override {
    const auto& rows = problem.traffic.matrix().rows;  // by rank: the ranks that it sends to, with bytes and messages
    std::vector<mapping::NodeId> free = problem.slots;
    mapping::Mapping nodes(rows.size(), mapping::NodeId::none());
    for (const auto rank : rows.ids()) {
      const auto cost = [&](mapping::NodeId node) {
        double sum = 0;
        for (const auto& [to, bytes, messages] : rows[rank])
          if (nodes[to] != mapping::NodeId::none())
            sum += static_cast<double>(bytes) * problem.machine.hops(node, nodes[to]);
        return sum;
      };
      const auto best = std::ranges::min_element(free, {}, cost);
      nodes[rank] = *best;
      free.erase(best);
    }
    return nodes;
  }
  bool uses_seed() const override { return false; }
};

const core::Parameter<std::int32_t> bytes{"bytes", "of the message", core::whole(0, 1'000'000'000), "1000"};

/// One message, from rank 0 to rank 1.
std::unique_ptr<workloads::Trace> make_message(const core::Arguments& arguments) {
  workloads::TraceBuilder trace(2);
  const auto size = static_cast<std::uint64_t>(arguments[bytes]);
  trace.add(workloads::Rank(0), {.kind = workloads::OpKind::send, .to = 1, .bytes = size});
  trace.add(workloads::Rank(1), {.kind = workloads::OpKind::recv, .from = 0, .bytes = size});
  return trace.finished();
}

}  // namespace

TOROID_PLUGIN(plugin) {
  plugin.add_allocator({"lowest", "the free nodes with the lowest numbers", make_lowest, {skip}});
  plugin.add_scheduler(
      {"in-order", "first come, first served", [](const core::Arguments&) { return std::make_unique<InOrder>(); }});
  plugin.add_mapper({"near-partners", "rank after rank on the slot nearest to those that it sends to",
                     [](const core::Arguments&) { return std::make_unique<NearPartners>(); }});
  plugin.add_generator({"one-message", "a message from rank 0 to rank 1", make_message, {bytes}});
}
