#include <catch2/catch.hpp>

#include "alloc/allocator.hpp"
#include "tests/support/support.hpp"

namespace toroid::alloc {
namespace {

TEST_CASE("as-logged gives the nodes of the log, in its order, or says why it does not") {
  const auto machine = platforms::make_machine("torus:8,node-names=(nid[01-08]),fail-node=7");
  FreeNodes free(machine);
  const auto allocator = allocators().make("as-logged", Site{free});
  auto& local = *allocator->local();
  const auto request = [](std::int32_t nodes, std::string_view logged) {
    return Request{.nodes = nodes, .shape = {}, .held = {}, .logged = logged};
  };
  CHECK(local.choose(request(3, "nid[03-04],nid01")) == Allocation{NodeId(2), NodeId(3), NodeId(0)});
  CHECK(local.choose(request(2, "4-5")) == Allocation{NodeId(4), NodeId(5)});
  const NodeId taken = 3;
  free.take({&taken, 1});
  CHECK(allocator->fits(request(3, "nid[03-04],nid01")));
  CHECK_FALSE(local.choose(request(3, "nid[03-04],nid01")));
  CHECK(allocator->refusal() == "Nodes that the job had in its log are not free");
  const auto refusal = [&](std::int32_t nodes, std::string_view logged) {
    CHECK_FALSE(allocator->fits(request(nodes, logged)));
    return std::string(allocator->refusal());
  };
  CHECK(refusal(2, "") == "The log does not say which nodes the job had");
  CHECK(refusal(1, "nid09") == "The nodes of the job in its log: 'nid09': no node is called 'nid09'");
  CHECK(refusal(1, "99") ==
        "The nodes of the job in its log: node 99 does not exist; " + machine.name() + " has nodes 0 to 7");
  CHECK(refusal(1, "-1") ==
        "The nodes of the job in its log: node -1 does not exist; " + machine.name() + " has nodes 0 to 7");
  CHECK(refusal(1, "nid08") == "Some of the nodes that the job had do not compute");
  CHECK(refusal(2, "nid01") == "The log names 1 nodes, expected 2");
  CHECK(refusal(2, "nid01,nid01") == "The log names a node twice: nid01,nid01");
}

}  // namespace
}  // namespace toroid::alloc
