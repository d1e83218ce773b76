// A plug-in whose algorithms throw what no plug-in should: each with an int where `number=yes`, else with an exception
// of the library. It does so at once where the environment asks for it.

#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <toroid/plugin.hpp>
#include <vector>

namespace {

using namespace toroid;

const core::Parameter<bool> number{"number", "", core::yes_or_no(), "no"};

[[noreturn]] void fail(bool by_number) {
  if (by_number) throw 5;
  throw std::out_of_range("beyond\nthe end");
}

struct Throwing final : alloc::LocalAllocator {
  Throwing(const alloc::Site& site, bool n) : LocalAllocator(site), by_number(n) {}
  std::optional<alloc::Allocation> find(const alloc::Request&) override { fail(by_number); }
  bool by_number;
};

struct ThrowingMapper final : mapping::Mapper {
  explicit ThrowingMapper(bool n) : by_number(n) {}
  mapping::Mapping map(const mapping::MappingProblem&) const override { fail(by_number); }
  bool uses_seed() const override { return false; }
  bool by_number;
};

struct ThrowingScheduler final : cosim::Scheduler {
  explicit ThrowingScheduler(bool n) : by_number(n) {}
  void submitted(const cosim::Queued&) override {}
  std::optional<cosim::Start> next(const cosim::View&) override { fail(by_number); }
  void refused(cosim::JobId) override {}
  void started(cosim::JobId, std::int32_t, const cosim::Time&) override {}
  void resized(cosim::JobId, std::int32_t, const cosim::Time&) override {}
  void ended(cosim::HolderId, const cosim::Time&) override {}
  void node_out(cosim::NodeId, const cosim::Time&, const cosim::Time&) override {}
  void freed() override {}
  void withdrawn(cosim::JobId) override {}
  bool by_number;
};

}  // namespace

TOROID_PLUGIN(plugin) {
  if (std::getenv("TOROID_TEST_THROW") != nullptr) throw "a text";
  plugin.add_allocator(
      {"throws",
       "",
       [](const alloc::Site& site, const core::Arguments& a) { return std::make_unique<Throwing>(site, a[number]); },
       {number}});
  plugin.add_mapper(
      {"throws", "", [](const core::Arguments& a) { return std::make_unique<ThrowingMapper>(a[number]); }, {number}});
  plugin.add_scheduler({"throws",
                        "",
                        [](const core::Arguments& a) { return std::make_unique<ThrowingScheduler>(a[number]); },
                        {number}});
  plugin.add_generator(
      {"throws", "", [](const core::Arguments& a) -> std::unique_ptr<workloads::Trace> { fail(a[number]); }, {number}});
}
