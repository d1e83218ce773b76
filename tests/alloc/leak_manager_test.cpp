#include <catch2/catch.hpp>

#include <deque>
#include <set>

#include "alloc/leak/manager.hpp"
#include "tests/alloc/storms.hpp"

namespace toroid::alloc::leak {
namespace {

/// Managers of a machine whose messages arrive in the order of sending, and what they said.
class TestWorld final : public World {
 public:
  explicit TestWorld(const std::string& platform) : machine_(platforms::make_machine(platform)), topology_(machine_) {
    for (const NodeId node : machine_.nodes()) managers_.add(node);
  }

  std::vector<std::string> said;
  std::vector<NodeId> freed_nodes;
  std::optional<std::optional<Nodes>> answer;

  /// Nodes that something else has.
  void block(const Nodes& nodes) { blocked_.insert(nodes.begin(), nodes.end()); }

  void search(RequestNumber request, std::int32_t load, bool contiguous, bool once_more = false) {
    Search search{.load = load, .tour = topology_.snake(0)};
    search.contiguous = contiguous;
    search.once_more = once_more;
    send({search.tour->front(), search.tour->front(), request, search});
    deliver_all();
  }
  void release(const Nodes& nodes) {
    send({nodes.front(), nodes.front(), no_request, Release{Nodes(nodes.begin() + 1, nodes.end())}});
    deliver_all();
  }

  void send(Message message) override {
    if (message.from != message.to) said.push_back(text(message));
    queue_.push_back(std::move(message));
  }
  bool is_free(NodeId node) const override {
    return managers_[node].owner() == no_request && blocked_.count(node) == 0;
  }
  std::vector<NodeId> neighbours(NodeId node) const override { return topology_.neighbours(node); }
  void answered(RequestNumber, std::optional<Nodes> nodes) override { answer = std::move(nodes); }
  void freed(NodeId node, RequestNumber) override { freed_nodes.push_back(node); }

  void deliver_all() { deliver(std::numeric_limits<int>::max()); }
  void deliver(int most) {
    for (; most > 0 && !queue_.empty(); --most) {
      auto message = std::move(queue_.front());
      queue_.pop_front();
      managers_[message.to].receive(std::move(message), *this);
    }
  }

 private:
  static std::string text(const Message& message) {
    const auto way = fmt::format("{}>{} ", message.from, message.to);
    if (const auto* search = std::get_if<Search>(&message.content)) return way + fmt::format("search {}", search->load);
    if (std::holds_alternative<Question>(message.content)) return way + "free?";
    if (const auto* reply = std::get_if<Reply>(&message.content)) return way + (reply->is_free ? "yes" : "no");
    if (const auto* flow = std::get_if<Flow>(&message.content)) return way + fmt::format("flow {}", flow->load);
    if (const auto* found = std::get_if<Confirmation>(&message.content))
      return way + fmt::format("confirm {} left, {}", found->remaining, fmt::join(found->found, " "));
    if (const auto* answer = std::get_if<Answer>(&message.content))
      return way + (answer->nodes ? fmt::format("answer {}", fmt::join(*answer->nodes, " ")) : "answer none");
    return way + fmt::format("release {}", fmt::join(std::get<Release>(message.content).others, " "));
  }

  Machine machine_;
  Topology topology_;
  core::IdVector<NodeId, Manager> managers_;
  std::set<NodeId> blocked_;
  std::deque<Message> queue_;
};

using Lines = std::vector<std::string>;
const auto none = std::make_optional(std::optional<Nodes>());

TEST_CASE("Four nodes on an empty mesh: the load divides over free neighbours and is confirmed back") {
  TestWorld world("mesh:4x4");
  world.search(1, 4, true);
  CHECK(world.said == Lines{"0>1 free?", "0>4 free?", "1>0 yes", "4>0 yes", "0>1 flow 2", "0>4 flow 1", "1>2 free?",
                            "1>5 free?", "4>0 confirm 0 left, 4", "2>1 yes", "5>1 yes", "1>2 flow 1",
                            "2>1 confirm 0 left, 2", "1>0 confirm 0 left, 1 2"});
  CHECK(world.answer == Nodes{0, 4, 1, 2});
}

// 0 1 2    0 and 1 are taken.
// 3 4 5
TEST_CASE("A search passes nodes that are taken, on to the next of the snake") {
  TestWorld world("mesh:3x2");
  world.block({0, 1});
  world.search(1, 2, true);
  CHECK(world.said == Lines{"0>1 search 2", "1>2 search 2", "2>1 free?", "2>5 free?", "1>2 no", "5>2 yes", "2>5 flow 1",
                            "5>2 confirm 0 left, 5", "2>0 answer 2 5"});
}

// 0 # 2
// 3 # 5
TEST_CASE("A puddle that is too small goes back when it must be one, and counts when it need not") {
  TestWorld one("mesh:3x2");
  one.block({1, 4});
  one.search(1, 3, true);
  CHECK(one.answer == none);
  CHECK(one.said == Lines{"0>1 free?",
                          "0>3 free?",
                          "1>0 no",
                          "3>0 yes",
                          "0>3 flow 2",
                          "3>4 free?",
                          "4>3 no",
                          "3>0 confirm 1 left, 3",
                          "0>3 release ",
                          "0>1 search 3",
                          "1>2 search 3",
                          "2>1 free?",
                          "2>5 free?",
                          "1>2 no",
                          "5>2 yes",
                          "2>5 flow 2",
                          "5>4 free?",
                          "4>5 no",
                          "5>2 confirm 1 left, 5",
                          "2>5 release ",
                          "2>5 search 3",
                          "5>4 search 3",
                          "4>3 search 3",
                          "3>0 answer none"});
  CHECK(one.freed_nodes.size() == 4);

  TestWorld several("mesh:3x2");
  several.block({1, 4});
  several.search(1, 3, false);
  CHECK(several.answer == Nodes{0, 3, 2});
  CHECK(several.said == Lines{"0>1 free?", "0>3 free?", "1>0 no", "3>0 yes", "0>3 flow 2", "3>4 free?", "4>3 no",
                              "3>0 confirm 1 left, 3", "0>1 search 1", "1>2 search 1", "2>0 answer 0 3 2"});

  TestWorld first("mesh:3x2");
  first.block({1, 4});
  first.search(1, 3, true, true);
  CHECK(first.answer == Nodes{0, 3, 2});
  CHECK(first.freed_nodes.size() == 4);
}

TEST_CASE("Too few nodes in all: what was found goes back") {
  TestWorld world("mesh:3x1");
  world.block({1});
  world.search(1, 3, false);
  CHECK(world.answer == none);
  CHECK(world.freed_nodes == Nodes{0, 2});
  world.search(2, 2, false);
  CHECK(world.answer == Nodes{0, 2});
}

// Branches of one puddle meet: 1 and 3 both want 4.
// 0 1 #
// 3 4 5
// # 7 8
TEST_CASE("Load that comes back from one side flows on where it still can") {
  TestWorld world("mesh:3x3");
  world.block({2, 6});
  world.search(1, 6, true);
  CHECK(world.said == Lines{"0>1 free?",
                            "0>3 free?",
                            "1>0 yes",
                            "3>0 yes",
                            "0>1 flow 3",
                            "0>3 flow 2",
                            "1>2 free?",
                            "1>4 free?",
                            "3>4 free?",
                            "3>6 free?",
                            "2>1 no",
                            "4>1 yes",
                            "4>3 yes",
                            "6>3 no",
                            "1>4 flow 2",
                            "3>4 flow 1",
                            "4>5 free?",
                            "4>3 free?",
                            "4>7 free?",
                            "4>3 confirm 1 left, ",
                            "5>4 yes",
                            "3>4 no",
                            "7>4 yes",
                            "3>0 confirm 1 left, 3",
                            "4>5 flow 1",
                            "5>4 confirm 0 left, 5",
                            "4>1 confirm 0 left, 4 5",
                            "1>0 confirm 0 left, 1 4 5",
                            "0>1 flow 1",
                            "1>4 flow 1",
                            "4>5 flow 1",
                            "5>8 free?",
                            "5>2 free?",
                            "8>5 yes",
                            "2>5 no",
                            "5>8 flow 1",
                            "8>5 confirm 0 left, 8",
                            "5>4 confirm 0 left, 8",
                            "4>1 confirm 0 left, 8",
                            "1>0 confirm 0 left, 8"});
  CHECK(world.answer == Nodes{0, 3, 1, 4, 5, 8});
}

TEST_CASE("A release goes through the nodes half by half, a message each") {
  TestWorld world("mesh:7");
  world.search(1, 7, true);
  world.said.clear();
  world.release({0, 1, 2, 3, 4, 5, 6});
  CHECK(world.said ==
        Lines{"0>1 release 2 3", "0>4 release 5 6", "1>2 release ", "1>3 release ", "4>5 release ", "4>6 release "});
  CHECK(world.freed_nodes.size() == 7);
  world.search(2, 7, true);
  CHECK(world.answer->has_value());
}

TEST_CASE("Two requests at once: neither waits for the other") {
  TestWorld world("mesh:4x1");
  // Both begin before either's first message arrives: one at each end.
  Search left{.load = 3, .tour = std::make_shared<Nodes>(Nodes{0, 1, 2, 3})};
  Search right{.load = 2, .tour = std::make_shared<Nodes>(Nodes{3, 2, 1, 0})};
  world.send({0, 0, 1, left});
  world.send({3, 3, 2, right});
  world.deliver_all();
  CHECK(world.said == Lines{"0>1 free?", "3>2 free?", "1>0 yes", "2>3 yes", "0>1 flow 2", "3>2 flow 1", "1>2 free?",
                            "2>3 confirm 0 left, 2", "2>1 no", "1>0 confirm 1 left, 1", "0>1 search 1", "1>2 search 1",
                            "2>3 search 1", "3>0 release ", "3>1 release ", "3>0 answer none"});
}

TEST_CASE("A flow to a node that was taken since it was asked goes back at once") {
  TestWorld world("mesh:3x1");
  const auto tour = std::make_shared<Nodes>(Nodes{0, 1, 2});
  world.send({0, 0, 1, Search{.load = 2, .tour = tour}});
  world.deliver(3);  // the search, the question and the reply that 1 is free: the flow is under way
  world.block({1});
  world.deliver_all();
  CHECK(world.said == Lines{"0>1 free?", "1>0 yes", "0>1 flow 1", "1>0 confirm 1 left, ", "0>1 search 1",
                            "1>2 search 1", "2>0 answer 0 2"});
}

}  // namespace
}  // namespace toroid::alloc::leak
