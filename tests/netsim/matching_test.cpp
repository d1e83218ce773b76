#include "netsim/replay/matching.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"

using namespace toroid;
using netsim::Envelope;
using netsim::MatchQueues;
using workloads::any_source;
using workloads::any_tag;

constexpr auto none = MatchQueues::none;

TEST_CASE("messages of one envelope are received in the order in which they were sent") {
  MatchQueues queues(2);
  CHECK(queues.announce(0, {1, 7, 0}, 100) == none);
  CHECK(queues.announce(0, {1, 7, 0}, 101) == none);
  CHECK(queues.post_receive(0, {1, 7, 0}, 0) == 100);
  CHECK(queues.post_receive(0, {1, 7, 0}, 1) == 101);
  CHECK(queues.post_receive(0, {1, 7, 0}, 2) == none);
}

TEST_CASE("source, tag and context keep messages apart") {
  MatchQueues queues(2);
  queues.announce(0, {1, 7, 0}, 100);
  CHECK(queues.post_receive(0, {2, 7, 0}, 0) == none);
  CHECK(queues.post_receive(0, {1, 8, 0}, 1) == none);
  CHECK(queues.post_receive(0, {1, 7, 1}, 2) == none);
  CHECK(queues.unreceived(0) == std::vector<MatchQueues::Id>{100});
}

TEST_CASE("wildcards take the earliest message that fits") {
  MatchQueues queues(2);
  queues.announce(0, {2, 5, 0}, 100);
  queues.announce(0, {1, 7, 0}, 101);
  queues.announce(0, {2, 7, 0}, 102);
  CHECK(queues.post_receive(0, {any_source, 7, 0}, 0) == 101);
  CHECK(queues.post_receive(0, {2, any_tag, 0}, 1) == 100);
  CHECK(queues.post_receive(0, {any_source, any_tag, 0}, 2) == 102);
}

TEST_CASE("a message takes the earliest receive that fits, wildcard or not") {
  MatchQueues queues(2);
  queues.post_receive(0, {1, 7, 0}, 0);
  queues.post_receive(0, {any_source, 7, 0}, 1);
  queues.post_receive(0, {1, 7, 0}, 2);
  CHECK(queues.announce(0, {1, 7, 0}, 100) == 0);
  CHECK(queues.announce(0, {1, 7, 0}, 101) == 1);
  CHECK(queues.announce(0, {1, 7, 0}, 102) == 2);
}

namespace {

/// MPI's rule by looking through plain lists.
struct PlainLists {
  struct Item {
    Envelope envelope;
    MatchQueues::Id id;
  };
  std::vector<Item> messages, receives;

  static bool fits(const Envelope& m, const Envelope& r) {
    return m.context == r.context && (r.source == any_source || r.source == m.source) &&
           (r.tag == any_tag || r.tag == m.tag);
  }
  static MatchQueues::Id take(std::vector<Item>& items, std::size_t i) {
    const auto id = items[i].id;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return id;
  }
  MatchQueues::Id post_receive(const Envelope& wanted, MatchQueues::Id id) {
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (fits(messages[i].envelope, wanted)) return take(messages, i);
    receives.push_back({wanted, id});
    return none;
  }
  MatchQueues::Id announce(const Envelope& message, MatchQueues::Id id) {
    for (std::size_t i = 0; i < receives.size(); ++i)
      if (fits(message, receives[i].envelope)) return take(receives, i);
    messages.push_back({message, id});
    return none;
  }
};

}  // namespace

TEST_CASE("matching equals a search through plain lists, of each receiver") {
  core::Random random(3, "matching");
  for (int round = 0; round < 50; ++round) {
    MatchQueues queues(3);
    std::array<PlainLists, 3> plain;
    for (MatchQueues::Id id = 0; id < 1000; ++id) {
      const auto to = random.below(3);
      const auto receiver = workloads::Rank(to), source = workloads::Rank(random.below(4));
      const auto tag = static_cast<std::int32_t>(random.below(3));
      const auto context = static_cast<std::uint32_t>(random.below(2));
      if (random.below(2) == 0) {
        const Envelope sent{source, tag, context};
        REQUIRE(queues.announce(receiver, sent, id) == plain[to].announce(sent, id));
      } else {
        const Envelope wanted{random.below(5) == 0 ? workloads::Rank(any_source) : source,
                              random.below(5) == 0 ? any_tag : tag, context};
        REQUIRE(queues.post_receive(receiver, wanted, id) == plain[to].post_receive(wanted, id));
      }
    }
    for (const auto receiver : core::ids<workloads::Rank>(3)) {
      const auto& [messages, receives] = plain[receiver.index()];
      const auto unreceived = queues.unreceived(receiver);
      CHECK(std::ranges::equal(unreceived, messages, {}, {}, &PlainLists::Item::id));
      std::vector<MatchQueues::Id> all;
      for (const auto& queued : queues.in_order(receiver)) all.push_back(queued.id);
      CHECK(std::ranges::is_sorted(all));
      CHECK(all.size() == messages.size() + receives.size());
    }
  }
}
