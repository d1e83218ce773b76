// Mappers that are not ours: what is wrong with their mappings is said.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {
namespace {

class Fixed final : public Mapper {
 public:
  explicit Fixed(Mapping mapping) : mapping_(std::move(mapping)) {}
  Mapping map(const MappingProblem&) const override { return mapping_; }
  bool uses_seed() const override { return false; }
  bool uses_traffic() const override { return false; }

 private:
  Mapping mapping_;
};

/// What is said of a mapping of three ranks onto nodes 2, 4 and 6.
std::string fault(Mapping mapping) {
  const auto machine = platforms::make_machine("mesh:8");
  CommunicationMatrix matrix;
  matrix.rows.resize(3);
  const Traffic traffic(std::move(matrix));
  const auto mapper = checked_mapper("mine", std::make_unique<Fixed>(std::move(mapping)));
  CHECK_FALSE(mapper->uses_seed());
  CHECK_FALSE(mapper->uses_traffic());
  return test::error_of([&] { make_mapping(*mapper, {machine, {2, 4, 6}, traffic}); });
}

TEST_CASE("A wrong mapping of somebody's mapper is an error that names it") {
  CHECK(fault({6, 2, 4}).empty());
  CHECK(fault({6, 2}) == "mapper 'mine': found nodes for 2 ranks, expected 3");
  CHECK(fault({6, 2, 3}) == "mapper 'mine': rank 2 is on node 3, which is not among the job's nodes");
  CHECK(fault({6, 2, 99}) == "mapper 'mine': rank 2 is on node 99, which is not among the job's nodes");
  CHECK(fault({6, 2, 2}) == "mapper 'mine': rank 2 is the 2. rank on node 2, which takes 1");
  CHECK_THROWS_AS(checked_mapper("mine", nullptr), core::InputError);
}

}  // namespace
}  // namespace toroid::mapping
