#include "netsim/replay/requests.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"

using namespace toroid;
using netsim::no_request;
using netsim::Outstanding;
using netsim::Request;
using netsim::RequestId;
using netsim::RequestName;
using netsim::Requests;
using workloads::any_source;
using workloads::any_tag;
using workloads::Rank;

namespace {

constexpr Rank me = 0;

/// The rules of docs/traces.md by looking through one list in order of posting.
struct PlainOutstanding {
  const Requests& requests;
  std::vector<RequestId> ids;

  RequestId find(const RequestName& wanted) const {
    for (const bool loose : {false, true})
      for (const auto id : ids)
        if (fits(requests[id], wanted, loose)) return id;
    return no_request;
  }
  static bool fits(const Request& r, const RequestName& wanted, bool loose) {
    const auto [sender, receiver, tag] = r.name;
    const auto [wanted_sender, wanted_receiver, wanted_tag] = wanted;
    const bool any_sender = loose && !r.is_send && (sender == any_source || wanted_sender == any_source);
    const bool any = loose && (tag == any_tag || wanted_tag == any_tag);
    return (sender == wanted_sender || any_sender) && receiver == wanted_receiver && (tag == wanted_tag || any);
  }
  std::vector<RequestId> newest(std::size_t count) const {
    std::vector<RequestId> chosen;
    for (auto id = ids.rbegin(); id != ids.rend() && chosen.size() < count; ++id)
      if (!requests[*id].by_name) chosen.insert(chosen.begin(), *id);
    return chosen;
  }
};

}  // namespace

TEST_CASE("outstanding requests, few or many, are found as in a plain list") {
  core::Random random(7, "outstanding");
  for (const std::uint64_t most : {3, 16, 17, 18, 40, 300}) {
    Requests requests;
    Outstanding outstanding(requests);
    PlainOutstanding plain{requests, {}};
    const auto remove = [&](RequestId id) {
      outstanding.remove(id);
      std::erase(plain.ids, id);
      requests.remove(id);
    };
    const auto partner = [&] { return static_cast<Rank>(random.below(4)); };  // 0: the rank itself
    const auto tag = [&] { return random.below(12) == 0 ? any_tag : static_cast<std::int32_t>(random.below(5)); };
    std::uint64_t operation = 0;
    std::vector<RequestId> chosen;
    for (int step = 0; step < 6000; ++step) {
      // Fills up, then drains to nothing, so that all sizes come by.
      const bool filling = step / 500 % 2 == 0;
      if (plain.ids.size() < most && random.below(4) < (filling ? 3u : 1u)) {
        const bool is_send = random.below(2) == 0;
        const Rank other = is_send || random.below(6) != 0 ? partner() : any_source;
        const auto id =
            requests.add({.name = is_send ? RequestName(me, other, static_cast<std::int32_t>(random.below(5)))
                                          : RequestName(other, me, tag()),
                          .owner = me,
                          .context = 0,
                          .operation = operation++,
                          .is_send = is_send,
                          .by_name = random.below(2) == 0});
        outstanding.add(id);
        plain.ids.push_back(id);
        continue;
      }
      const bool of_send = random.below(2) == 0;
      const Rank other = of_send || random.below(6) != 0 ? partner() : any_source;
      const auto wanted = of_send ? RequestName(me, other, tag()) : RequestName(other, me, tag());
      const auto found = outstanding.find(wanted);
      REQUIRE(found == plain.find(wanted));
      if (found != no_request) remove(found);
      const auto count = random.below(4);
      outstanding.newest(count, chosen);
      REQUIRE(chosen == plain.newest(count));
      if (!chosen.empty() && random.below(4) == 0) remove(chosen.front());
    }
    auto rest = plain.ids;
    outstanding.take_all(chosen);
    std::sort(rest.begin(), rest.end());
    std::sort(chosen.begin(), chosen.end());
    CHECK(chosen == rest);
    CHECK(outstanding.find({me, 1, 0}) == no_request);
  }
}
