// Routers and network cards as properties of machines.

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using platforms::make_machine;

namespace {

template <class Value>
Value any(core::Random& random) {
  const auto& words = platforms::words<Value>();
  return words[random.below(words.size())].second;
}

platforms::Router random_router(core::Random& random) {
  platforms::Router router;
  router.packet_bytes = static_cast<std::int32_t>(1 + random.below(4096));
  router.channels = static_cast<std::int32_t>(1 + random.below(64));
  router.header_bytes = static_cast<std::int32_t>(random.below(2) * random.below(100));
  if (random.below(2) == 0)
    router.buffer_bytes = (router.packet_bytes + router.header_bytes) * static_cast<std::int32_t>(1 + random.below(9));
  if (random.below(2) == 0) router.injection_channels = static_cast<std::int32_t>(1 + random.below(64));
  if (random.below(2) == 0) router.crossbar = static_cast<std::int32_t>(1 + random.below(64));
  router.routing = any<platforms::Routing>(random);
  router.ties = any<platforms::Ties>(random);
  router.rings = any<platforms::Rings>(random);
  router.arbitration = any<platforms::Arbitration>(random);
  return router;
}

}  // namespace

TEST_CASE("what a machine says of its routers and cards reads back the same, from properties and from a file") {
  core::Random random(1, "platforms/router");
  const test::Scratch scratch;
  for (int i = 0; i < 100; ++i) {
    auto m = make_machine("torus:4x3").description();
    m.router = random_router(random);
    m.sending = any<platforms::Order>(random);
    for (auto* seconds :
         {&m.node.overhead, &m.node.gap, &m.node.handshake, &m.node.copy, &m.node.reduce, &m.node.memcpy})
      if (random.below(2) == 0) *seconds = random.unit() * 1e-6;
    if (random.below(2) == 0) m.node.eager = random.below(1 << 20);
    platforms::Description again;
    for (const auto& [name, value] : platforms::properties(m)) platforms::set_property(again, name, value);
    CHECK(again.router == m.router);
    CHECK(again.sending == m.sending);
    CHECK(again.node == m.node);
    const auto from_file = make_machine(scratch.write("machine.xml", platforms::xml_text(m))).description();
    CHECK(from_file.router == m.router);
    CHECK(from_file.node == m.node);
  }
}

TEST_CASE("routers without properties are those that toroid had before there were any") {
  const auto machine = make_machine("mesh:4x4");
  CHECK(machine.description().router == platforms::Router{});
  CHECK(machine.description().sending == platforms::Order::pair);
  CHECK(make_machine("mesh:4x4,router.buffer=1KiB,router.buffer=auto").description().router == platforms::Router{});
  CHECK(make_machine("mesh:4x4,router.crossbar=2,router.crossbar=none").description().router == platforms::Router{});
  for (const auto& [name, value] : platforms::properties(machine.description())) {
    CHECK(name != "sending");
    CHECK(name.rfind("router.", 0) == std::string::npos);
  }
}

TEST_CASE("what routers cannot be is refused with the reason") {
  const auto error = [](const std::string& properties) {
    return test::error_of([&] { make_machine("mesh:4x4," + properties); });
  };
  CHECK(error("sending=fifo").find("sending: found 'fifo', expected pair, node or shared") != std::string::npos);
  CHECK(error("router.routing=xy").find("expected dimension-order, adaptive or longest-first") != std::string::npos);
  CHECK(error("router.vcs=65").find("router.vcs") != std::string::npos);
  CHECK(error("router.crossbar=0").find("router.crossbar") != std::string::npos);
  CHECK(error("router.packet=0").find("expected a size from 1 B to 1 GiB") != std::string::npos);
  CHECK(error("router.buffer=128").find("expected room for a packet of 256 B") != std::string::npos);
  CHECK(error("router.buffer=256,router.header=16").find("a packet of 272 B, its header included") !=
        std::string::npos);
  CHECK(error("router.header=128KiB").find("expected a size from 0 B to 64 KiB") != std::string::npos);
  CHECK(error("overhead=-1us").find("overhead") != std::string::npos);
  CHECK(error("gap=fast").find("gap") != std::string::npos);
  CHECK(error("handshake=1").find("handshake") != std::string::npos);
  CHECK(error("router.vsc=4").find("did you mean 'router.vcs'") != std::string::npos);
}
