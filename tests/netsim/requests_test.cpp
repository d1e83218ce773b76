#include "netsim/replay/matching.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "netsim/replay/waiting.hpp"

using namespace toroid;
using netsim::no_request;
using netsim::Outstanding;
using netsim::Request;
using netsim::RequestHandle;
using netsim::RequestId;
using netsim::Requests;
using netsim::Waiting;
using workloads::no_handle;

namespace {

Request request(RequestHandle handle, bool done = false) {
  return {.kind = Request::Kind::receive, .owner = 0, .operation = 0, .handle = handle, .done = done};
}

}  // namespace

TEST_CASE("outstanding requests are found by handle as in a plain list") {
  core::Random random(7, "outstanding");
  for (const std::uint64_t handles : {1, 3, 40}) {
    Requests requests;
    Outstanding outstanding(requests);
    std::vector<RequestId> plain;
    for (int step = 0; step < 6000; ++step) {
      const auto handle = random.below(10) == 0 ? no_handle : static_cast<RequestHandle>(random.below(handles));
      if (random.below(2) == 0) {
        plain.push_back(requests.add(request(handle)));
        outstanding.add(plain.back());
      }
      const auto oldest = std::find_if(plain.begin(), plain.end(), [&](RequestId id) {
        return handle != no_handle && requests[id].handle == handle;
      });
      REQUIRE(outstanding.oldest(handle) == (oldest == plain.end() ? no_request : *oldest));
      if (plain.empty() || random.below(2) == 0) continue;
      const auto id = plain[random.below(plain.size())];
      outstanding.remove(id);
      std::erase(plain, id);
      requests.remove(id);
    }
    netsim::RequestIds rest;
    outstanding.take_all(rest);
    std::sort(rest.begin(), rest.end());
    std::sort(plain.begin(), plain.end());
    CHECK(std::ranges::equal(rest, plain));
    CHECK(outstanding.oldest(0) == no_request);
  }
}

TEST_CASE("a handle that is given twice stands for both requests, the older one first") {
  Requests requests;
  Waiting waiting(requests);
  const auto first = requests.add(request(5)), second = requests.add(request(5));
  waiting.keep(first);
  waiting.keep(second);
  CHECK(waiting.wait(5) == Waiting::Named::blocked);
  CHECK_FALSE(waiting.end(second));
  CHECK(waiting.end(first));
  CHECK(waiting.wait(5) == Waiting::Named::ended);
  CHECK(waiting.wait(5) == Waiting::Named::unknown);
}

TEST_CASE("waitall takes the oldest request of each handle, as often as it comes") {
  Requests requests;
  Waiting waiting(requests);
  std::vector<RequestId> ids;
  for (const RequestHandle handle : {1, 2, 1, 1}) waiting.keep(ids.emplace_back(requests.add(request(handle))));
  const std::vector<RequestHandle> handles{1, 1, 7, 2};
  CHECK_FALSE(waiting.wait_all(handles));
  CHECK_FALSE(waiting.end(ids[3]));
  CHECK_FALSE(waiting.end(ids[0]));
  CHECK_FALSE(waiting.end(ids[2]));
  CHECK(waiting.end(ids[1]));
  CHECK(waiting.wait(1) == Waiting::Named::ended);
}

TEST_CASE("waitsome takes all that have ended, waitany the first of them") {
  for (const bool some : {false, true}) {
    Requests requests;
    Waiting waiting(requests);
    for (const RequestHandle handle : {0, 1, 2}) waiting.keep(requests.add(request(handle, handle > 0)));
    const std::vector<RequestHandle> handles{0, 1, 2};
    CHECK((some ? waiting.wait_some(handles) : waiting.wait_any(handles)));
    // What one of them took may be asked for again, once.
    CHECK(waiting.wait(1) == Waiting::Named::ended);
    CHECK(waiting.wait(1) == Waiting::Named::unknown);
    CHECK(waiting.wait(2) == Waiting::Named::ended);
    CHECK(waiting.wait(2) == Waiting::Named::unknown);
    CHECK_FALSE((some ? waiting.wait_some(handles) : waiting.wait_any(handles)));
    CHECK(waiting.end(0));
    CHECK((some ? waiting.wait_some(handles) : waiting.wait_any(handles)));  // none is left
  }
}

TEST_CASE("a waitall asks for what a call took early") {
  Requests requests;
  Waiting waiting(requests);
  for (int i = 0; i < 2; ++i) {
    waiting.keep(requests.add(request(3, true)));
    waiting.test(3);
  }
  const std::vector<RequestHandle> handles{3, 9};
  CHECK(waiting.wait_all(handles));
  CHECK(waiting.wait(3) == Waiting::Named::ended);
  CHECK(waiting.wait(3) == Waiting::Named::unknown);
}

TEST_CASE("work comes with the requests that are taken") {
  Requests requests;
  Waiting waiting(requests);
  for (const RequestHandle handle : {0, 1, 2}) {
    auto with_work = request(handle, true);
    with_work.work = 1 << handle;
    waiting.keep(requests.add(with_work));
  }
  CHECK(waiting.take_work() == 0);
  CHECK(waiting.wait(1) == Waiting::Named::ended);
  CHECK(waiting.take_work() == 2);
  CHECK(waiting.wait_for_rest());
  CHECK(waiting.take_work() == 5);
  CHECK(waiting.take_work() == 0);
}
