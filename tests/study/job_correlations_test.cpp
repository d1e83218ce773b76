#include "study/job_observers.hpp"

#include <catch2/catch.hpp>

#include "toroid/platforms/load.hpp"

namespace toroid::study {
namespace {

using cosim::NodeId;

/// A job of two nodes so far apart that ran for so long.
void add(JobCorrelations& correlations, const std::string& program, int hops, double run_time, double alone) {
  jobs::Job job;
  job.size = 2;
  cosim::Work work;
  work.program = program;
  work.alone = alone;
  work.traffic.hop_bytes = static_cast<std::uint64_t>(100 * hops);
  const std::vector<NodeId> nodes{NodeId(0), NodeId(hops)};
  correlations.ended({.job = job,
                      .id = 1,
                      .submitted = {},
                      .started = {},
                      .ended = cosim::Time(run_time),
                      .estimate = {},
                      .end = cosim::End::done,
                      .nodes = nodes,
                      .node_seconds = 0,
                      .demanded_seconds = 0,
                      .work = &work});
}

TEST_CASE("Proxies are compared with what neighbours cost and with what all costs") {
  const auto machine = platforms::make_machine("mesh:64");
  JobCorrelations correlations(machine);
  // The slowdown falls with the distance, the run time rises with it: 1 s alone for each hop, and less from others.
  for (int hops = 1; hops <= 12; ++hops) add(correlations, "p", hops, hops * (2 - hops / 100.0), hops);
  add(correlations, "q", 5, 7, 7);
  const auto json = correlations.json();
  CHECK(json["jobs"] == 13);
  REQUIRE(json["programs"].size() == 1);
  const auto& lines = json["programs"][0]["lines"];
  CHECK(json["programs"][0]["program"] == "p");
  for (const auto& line : lines) {
    const auto metric = line["metric"].get<std::string>();
    INFO(metric);
    if (metric == "max_link_load_bytes") {
      CHECK(line["slowdown_spearman"].is_null());  // not known here: all alike
    } else if (metric != "components") {
      CHECK(line["slowdown_spearman"].get<double>() == Approx(-1));
      CHECK(line["slowdown_pearson"].get<double>() == Approx(-1));
      CHECK(line["stretch_spearman"].get<double>() == Approx(1));
      CHECK(line["stretch_pearson"].get<double>() > 0.99);
    }
  }
  CHECK(json["all"][0]["stretch_spearman"].get<double>() < 1);
}

TEST_CASE("Jobs of logged run times say nothing of contention") {
  const auto machine = platforms::make_machine("mesh:4");
  JobCorrelations correlations(machine);
  add(correlations, "p", 1, 1, 0);
  CHECK(correlations.json()["jobs"] == 0);
  CHECK(correlations.json()["programs"].empty());
}

}  // namespace
}  // namespace toroid::study
