#include <catch2/catch.hpp>

#include "alloc/logged_nodes.hpp"
#include "tests/support/support.hpp"

namespace toroid::alloc {
namespace {

TEST_CASE("as-logged gives the nodes of the log, in its order, unless they are taken") {
  const auto machine = platforms::make_machine("torus:8");
  FreeNodes free(machine);
  const auto allocator = allocators().make("as-logged", Site{free});
  auto& local = *allocator->local();
  const Allocation logged{2, 3, 0};
  const Request request{.nodes = 3, .shape = {}, .held = {}, .logged = logged};
  CHECK(allocator->uses_logged_nodes());
  CHECK(local.choose(request) == logged);
  const NodeId taken = 3;
  free.take({&taken, 1});
  CHECK(allocator->fits(request));
  CHECK_FALSE(local.choose(request));
  CHECK(allocator->refusal() == "Nodes that the job had in its log are not free");
  CHECK_FALSE(allocator->fits({.nodes = 3}));
}

TEST_CASE(
    "Lists of nodes in logs are read by the names and numbers of a machine's nodes, or it is said what is wrong") {
  const auto machine = platforms::make_machine("torus:8,node-names=(nid[01-08]),fail-node=7");
  const LoggedNodes logged(machine);
  CHECK(logged.read("nid[03-04],nid01", 3) == Allocation{2, 3, 0});
  CHECK(logged.read("4-5", 2) == Allocation{4, 5});
  const auto error = [&](std::int32_t count, std::string_view list) {
    return test::error_of([&] { logged.read(list, count); });
  };
  CHECK(error(2, "") == "The log does not say which nodes the job had");
  CHECK(error(1, "nid09") == "its nodes in the log: 'nid09': no node is called 'nid09'");
  const auto has = "; " + machine.name() + " has nodes 0 to 7";
  CHECK(error(1, "99") == "its nodes in the log: node 99 does not exist" + has);
  CHECK(error(1, "-1") == "its nodes in the log: node -1 does not exist" + has);
  CHECK(error(1, "nid08") == "Some of the nodes that the job had do not compute");
  CHECK(error(2, "nid01") == "The log names 1 nodes, expected 2");
  CHECK(error(2, "nid01,nid01") == "The log names a node twice: nid01,nid01");
}

}  // namespace
}  // namespace toroid::alloc
