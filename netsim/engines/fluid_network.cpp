// The fluid engine. Flows between the same two nodes form a class, which has one rate; a flow ends when its class has
// served it its bytes. So a change of rate costs one event per class, however many flows the class has.

#include "netsim/fluid/max_min.hpp"
#include "netsim/network.hpp"
#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {
namespace {

/// A class serves at most this many bytes before its counter starts anew: a byte must stay exact beside it.
constexpr double most_served = 1e9;

/// In units of CountsWork.
constexpr double work_of_a_visit = 1.5;

using platforms::LinkId;

/// What a link may owe, or be owed, of its capacity, over what a run time may be off. Measured: debts change their
/// signs so often that few of them are left at the end of a run (docs/validation/speed.md).
constexpr double links_owe = 10;

core::Type<double> share_to(double most) {
  return {fmt::format("a share from 0% to {:g}%, such as 0.1%", 100 * most),
          [=](std::string_view text, const core::Place&) -> std::optional<double> {
            if (!text.ends_with('%')) return std::nullopt;
            const auto value = core::parse_number<double>(text.substr(0, text.size() - 1));
            return value && *value >= 0 && *value <= 100 * most ? std::optional(*value / 100) : std::nullopt;
          }};
}

const core::Parameter<double> run_tolerance{
    "tolerance", "about how far run times may be off, for speed where links are full: a link owes ten times as much",
    share_to(0.02), "0%"};

class FluidNetwork final : public Network, public CountsWork {
 public:
  FluidNetwork(const Machine& machine, Clock& clock, double tolerance)
      : Network(machine, clock), tolerance_(tolerance), rates_(link_capacities(machine), links_owe * tolerance) {}

  std::vector<std::pair<std::string, std::string>> settings() const override {
    std::vector<std::pair<std::string, std::string>> all{{"sharing", "equal"}, {"solver", "incremental max-min"}};
    if (tolerance_ > 0) all.emplace_back("tolerance", fmt::format("{:g}%", 100 * tolerance_));
    return all;
  }

  double work() const override { return work_of_a_visit * static_cast<double>(rates_.visits()); }

 private:
  /// A flow of a class, ended when the class has served `end` bytes. Ordered for a heap with the earliest end on top.
  struct Pending {
    double end;
    FlowId id;
    bool operator<(const Pending& other) const { return end > other.end || (end == other.end && id > other.id); }
  };
  struct FlowClass {
    double served = 0;  ///< bytes that a flow present all the time would have had
    Time updated;       ///< the time for which `served` is true
    double rate = 0;
    double next_end = 0;  ///< bytes served when its next flow ends
    boost::container::small_vector<Pending, 1> flows;
    std::uint32_t weight = 0;  ///< number of flows, as the solver knows it
    NodeId from{}, to{};
    bool changed = false;  ///< whether its flows or its rate have, since rates were computed
  };

  /// Computing rates is put off until time is to pass: where a flow takes the turn of another of its class, nothing has
  /// changed for the solver.
  Time next_end(const Time&) override {
    update_rates();
    return ends_.empty() ? Time::never() : ends_.next_time();
  }

  void let_end(const Time& until) override {
    if (ends_.empty() || until < ends_.next_time()) return;
    const auto id = ends_.next();
    ends_.remove(id);
    end_flows(id);
  }

  void begin_transfer(FlowId id) override {
    const auto& flow = this->flow(id);
    const auto [entry, is_new] = class_of_.try_emplace(Lines::of_pair(flow.from, flow.to), 0);
    if (is_new) *entry = new_class(flow.from, flow.to);
    const auto class_id = *entry;
    if (id >= class_of_flow_.size()) class_of_flow_.resize(id + std::size_t{1});
    class_of_flow_[id] = class_id;
    auto& c = classes_[class_id];
    TOROID_ASSERT_HEAVY(c.from == flow.from && c.to == flow.to && flow.bytes > 0);
    serve(c);
    if (c.served > most_served) rebase(c);
    c.flows.push_back({c.served + static_cast<double>(flow.bytes), id});
    std::push_heap(c.flows.begin(), c.flows.end());
    note_change(class_id);
  }

  std::optional<std::uint64_t> stop_transfer(FlowId id) override {
    const auto class_id = class_of_flow_[id];
    auto& c = classes_[class_id];
    serve(c);
    const auto stopped = std::find_if(c.flows.begin(), c.flows.end(), [&](const Pending& f) { return f.id == id; });
    TOROID_ASSERT(stopped != c.flows.end());
    const double left = std::max(0.0, stopped->end - c.served);
    c.flows.erase(stopped);
    std::make_heap(c.flows.begin(), c.flows.end());
    ends_.remove(class_id);  // Its end may be that of the flow that is gone.
    note_change(class_id);
    return bytes_but(id, left);
  }

  void adopt_machine() override {
    for (const LinkId link : machine().links()) rates_.set_capacity(link, machine().link_bandwidth(link));
  }

  double bytes_left(FlowId id) override {
    auto& c = classes_[class_of_flow_[id]];
    serve(c);
    const auto found = std::find_if(c.flows.begin(), c.flows.end(), [&](const Pending& flow) { return flow.id == id; });
    return std::max(0.0, found->end - c.served);
  }

  void forget_idle_routes() override {
    std::erase_if(changed_, [this](MaxMin::ClassId id) {
      if (!classes_[id].flows.empty()) return false;
      classes_[id].changed = false;
      update_weight(id);
      return true;
    });
  }

  bool tells_state() const override { return true; }

  /// Rates follow from which flows there are, and the solver's ways to them decide no more than rounding does, but for
  /// the tolerance.
  void walk_transfer(StateWalk& walk, FlowId id) override {
    if (walk.moves()) return;
    const auto& c = classes_[class_of_flow_[id]];
    const auto found = std::find_if(c.flows.begin(), c.flows.end(), [&](const Pending& flow) { return flow.id == id; });
    const double served = c.served + c.rate * (clock().now() - c.updated).seconds();
    walk.part((found->end - served) / static_cast<double>(flow(id).bytes));
    if (tolerance_ == 0) return;
    walk.part(c.rate / path(c.from, c.to).bandwidth);
    walk.same(rates_.bottleneck(class_of_flow_[id]));  // which link relieves it next
  }

  void walk_rest(StateWalk& walk) override {
    if (!walk.moves()) return;
    for (auto& c : classes_) c.updated += walk.by();
    ends_.shift(walk.by(), [](auto) { return true; });
  }

  LinkUsage::Route route(FlowId id) override { return rates_.route(class_of_flow_[id]); }

  MaxMin::ClassId new_class(NodeId from, NodeId to) {
    route_.clear();
    machine().for_each_link(from, to, [&](LinkId link) { route_.push_back(link); });
    const auto id = rates_.add(route_);
    if (id >= classes_.size()) classes_.resize(id + 1);
    auto& c = classes_[id];
    c.served = c.rate = 0;
    c.updated = clock().now();
    c.from = from;
    c.to = to;
    return id;
  }

  /// Brings `served` up to the present.
  void serve(FlowClass& c) const {
    TOROID_ASSERT_HEAVY(c.updated <= clock().now());
    c.served += c.rate * (clock().now() - c.updated).seconds();
    c.updated = clock().now();
  }

  static void rebase(FlowClass& c) {
    for (auto& flow : c.flows) flow.end -= c.served;  // all alike: the heap stays one
    c.served = 0;
  }

  /// The earliest flow of the class ends, and those that end together with it.
  void end_flows(MaxMin::ClassId id) {
    auto& c = classes_[id];
    serve(c);
    c.served = std::max(c.served, c.flows.front().end);  // that is why we are here, whatever rounding says
    const double served_soon = c.served + c.rate * Clock::together.seconds();
    while (!c.flows.empty() && c.flows.front().end <= served_soon) {
      transfer_ended(c.flows.front().id);
      std::pop_heap(c.flows.begin(), c.flows.end());
      c.flows.pop_back();
    }
    note_change(id);
  }

  void note_change(MaxMin::ClassId id) {
    if (!std::exchange(classes_[id].changed, true)) changed_.push_back(id);
  }

  /// Tells the solver how many flows the class has now. A class without flows goes.
  void update_weight(MaxMin::ClassId id) {
    auto& c = classes_[id];
    const auto flows = static_cast<std::uint32_t>(c.flows.size());
    if (flows == 0 || c.weight != flows) rates_.set_weight(id, flows);
    c.weight = flows;
    if (flows > 0) return void(c.next_end = c.flows.front().end);
    c.rate = 0;
    class_of_.erase(Lines::of_pair(c.from, c.to));
  }

  void update_rates() {
    for (const auto id : changed_) update_weight(id);
    for (const auto id : rates_.solve()) {
      auto& c = classes_[id];
      if (c.rate == rates_.rate(id)) continue;
      serve(c);
      c.rate = rates_.rate(id);
      note_change(id);
    }
    for (const auto id : changed_) {
      auto& c = classes_[id];
      c.changed = false;
      TOROID_ASSERT_HEAVY(c.flows.size() == c.weight && (c.weight == 0) == !(c.rate > 0));
      if (c.rate > 0) ends_.put(id, c.updated + Time((c.next_end - c.served) / c.rate));
    }
    changed_.clear();
  }

  double tolerance_;
  MaxMin rates_;
  EventQueue ends_;                       ///< the times at which the next flow of each class ends
  core::LargeVector<FlowClass> classes_;  ///< classes by the solver's ids
  core::FlatMap<std::uint64_t, MaxMin::ClassId, core::Mix> class_of_;  ///< classes by pair of nodes
  std::vector<MaxMin::ClassId> class_of_flow_;                         ///< classes of flows whose bytes flow
  std::vector<MaxMin::ClassId> changed_;
  std::vector<LinkId> route_;
};

}  // namespace

core::Entry<MakeNetwork> fluid_engine() {
  return {
      fast_engine,
      "the same model, solved incrementally: for large machines and studies",
      {.make = [](const Machine& machine, Clock& clock, const core::Arguments& arguments) -> std::unique_ptr<Network> {
         return std::make_unique<FluidNetwork>(machine, clock, arguments[run_tolerance]);
       },
       .machine_may_change = true,
       .deviation = deviation_of_flows},
      {run_tolerance}};
}

}  // namespace toroid::netsim
