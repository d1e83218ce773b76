#include "netsim/replay/matching.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"

using namespace toroid;
using netsim::Envelope;
using netsim::MatchQueue;
using workloads::any_source;
using workloads::any_tag;

constexpr auto none = MatchQueue::none;

TEST_CASE("messages of one envelope are received in the order in which they were sent") {
  MatchQueue queue;
  CHECK(queue.announce({1, 7, 0}, 100) == none);
  CHECK(queue.announce({1, 7, 0}, 101) == none);
  CHECK(queue.post_receive({1, 7, 0}, 0) == 100);
  CHECK(queue.post_receive({1, 7, 0}, 1) == 101);
  CHECK(queue.post_receive({1, 7, 0}, 2) == none);
}

TEST_CASE("source, tag and context keep messages apart") {
  MatchQueue queue;
  queue.announce({1, 7, 0}, 100);
  CHECK(queue.post_receive({2, 7, 0}, 0) == none);
  CHECK(queue.post_receive({1, 8, 0}, 1) == none);
  CHECK(queue.post_receive({1, 7, 1}, 2) == none);
  CHECK(queue.unreceived() == std::vector<MatchQueue::Id>{100});
}

TEST_CASE("wildcards take the earliest message that fits") {
  MatchQueue queue;
  queue.announce({2, 5, 0}, 100);
  queue.announce({1, 7, 0}, 101);
  queue.announce({2, 7, 0}, 102);
  CHECK(queue.post_receive({any_source, 7, 0}, 0) == 101);
  CHECK(queue.post_receive({2, any_tag, 0}, 1) == 100);
  CHECK(queue.post_receive({any_source, any_tag, 0}, 2) == 102);
}

TEST_CASE("a message takes the earliest receive that fits, wildcard or not") {
  MatchQueue queue;
  queue.post_receive({1, 7, 0}, 0);
  queue.post_receive({any_source, 7, 0}, 1);
  queue.post_receive({1, 7, 0}, 2);
  CHECK(queue.announce({1, 7, 0}, 100) == 0);
  CHECK(queue.announce({1, 7, 0}, 101) == 1);
  CHECK(queue.announce({1, 7, 0}, 102) == 2);
}

namespace {

/// MPI's rule by looking through plain lists.
struct PlainLists {
  struct Item {
    Envelope envelope;
    MatchQueue::Id id;
  };
  std::vector<Item> messages, receives;

  static bool fits(const Envelope& m, const Envelope& r) {
    return m.context == r.context && (r.source == any_source || r.source == m.source) &&
           (r.tag == any_tag || r.tag == m.tag);
  }
  static MatchQueue::Id take(std::vector<Item>& items, std::size_t i) {
    const auto id = items[i].id;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return id;
  }
  MatchQueue::Id post_receive(const Envelope& wanted, MatchQueue::Id id) {
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (fits(messages[i].envelope, wanted)) return take(messages, i);
    receives.push_back({wanted, id});
    return none;
  }
  MatchQueue::Id announce(const Envelope& message, MatchQueue::Id id) {
    for (std::size_t i = 0; i < receives.size(); ++i)
      if (fits(message, receives[i].envelope)) return take(receives, i);
    messages.push_back({message, id});
    return none;
  }
};

}  // namespace

TEST_CASE("matching equals a search through plain lists") {
  core::Random random(3, "matching");
  for (int round = 0; round < 50; ++round) {
    MatchQueue queue;
    PlainLists plain;
    for (MatchQueue::Id id = 0; id < 400; ++id) {
      const auto source = workloads::Rank(random.below(4));
      const auto tag = static_cast<std::int32_t>(random.below(3));
      const auto context = static_cast<std::uint32_t>(random.below(2));
      if (random.below(2) == 0) {
        REQUIRE(queue.announce({source, tag, context}, id) == plain.announce({source, tag, context}, id));
      } else {
        const Envelope wanted{random.below(5) == 0 ? workloads::Rank(any_source) : source,
                              random.below(5) == 0 ? any_tag : tag, context};
        REQUIRE(queue.post_receive(wanted, id) == plain.post_receive(wanted, id));
      }
    }
    std::vector<MatchQueue::Id> left;
    for (const auto& item : plain.messages) left.push_back(item.id);
    CHECK(queue.unreceived() == left);
  }
}
