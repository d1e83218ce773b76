#include "cosim/outages.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "toroid/core/json.hpp"

namespace toroid::cosim {

TEST_CASE("Events come back from their JSON, as a sweep's journal keeps them") {
  const std::vector<TimedEvent> events{{"kill 3", 0.1, {}, true},
                                       {"fail-router y=7", 20, 60.5, false},
                                       {"fail-node 3", 3600, std::numeric_limits<double>::infinity(), true}};
  const auto text = events_json(events).dump();
  CHECK(events_from(core::Json::parse(text)) == events);
  CHECK(text == R"([{"time_s":0.1,"event":"kill 3","in_time":true},)"
                R"({"time_s":20.0,"until_s":60.5,"event":"fail-router y=7","in_time":false},)"
                R"({"time_s":3600.0,"until_s":null,"event":"fail-node 3","in_time":true}])");
}

}  // namespace toroid::cosim
