// Workloads of Batsim.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "jobs/formats/log.hpp"
#include "tests/jobs/logs.hpp"

namespace toroid::jobs {
namespace {

TEST_CASE("Batsim: jobs in the order of submission, with names, limits and compositions of delays") {
  const test::Scratch scratch;
  const auto list = all(*batsim(scratch, R"({"id": "w0!7", "subtime": 5, "walltime": 20, "res": 4, "profile": "both"},
    {"id": 3, "subtime": 1.5, "walltime": -1, "res": 2, "profile": "ten"},
    {"id": "first", "subtime": 1, "res": 1, "profile": "half"})",
                                profiles));
  REQUIRE(list.size() == 3);
  CHECK(list[0].id() == "first");
  CHECK(list[0].run_time == 0.5);
  CHECK(list[0].estimate == -1);
  CHECK(list[1].number == 3);
  CHECK(list[1].estimate == -1);
  CHECK(list[2].number == 7);
  CHECK(list[2].run_time == 21);
  CHECK(list[2].estimate == 20);
  CHECK(list[2].size == 4);
}

TEST_CASE("Batsim: mistakes name the job") {
  const auto message = [](const std::string& job) {
    const test::Scratch scratch;
    return test::error_of([&] { batsim(scratch, job, profiles); });
  };
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "none"})"),
             Catch::Contains("job 1 of the list: profiles: expected an object with the key 'none'"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "loop"})"),
             Catch::Contains("more than 20 profiles within each other"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "text"})"), Catch::Contains("expected a list"));
  CHECK_THAT(message(R"({"id": 1, "subtime": -1, "res": 1, "profile": "ten"})"), Catch::Contains("subtime: found -1"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 0, "profile": "ten"})"), Catch::Contains("res: found 0"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "profile": "ten"})"), Catch::Contains("the key 'res'"));
  CHECK_THAT(message(R"({"id": [], "subtime": 0, "res": 1, "profile": "ten"})"), Catch::Contains("id: found []"));
  CHECK_THAT(message(R"(7)"), Catch::Contains("job 1 of the list"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 1e999, "res": 1, "profile": "ten"})"),
             Catch::Contains("a number beyond 1.8e308"));
  CHECK_THAT(message("\n\n{"), Catch::Contains("w.json:3: expected a workload of Batsim"));
}

TEST_CASE("Batsim: compositions of compositions are added up once each") {
  // Each of 20 is made of ten of the one before: 10^20 parts in the end.
  const test::Scratch scratch;
  std::string nested = R"("p0": {"type": "delay", "delay": 1e-12})";
  const auto add = [&](int i) {
    nested += fmt::format(R"(, "p{}": {{"type": "composed", "seq": [)", i);
    for (int part = 0; part < 10; ++part) nested += fmt::format(R"({}"p{}")", part == 0 ? "" : ",", i - 1);
    nested += "]}";
  };
  const auto job = [](int profile) {
    return fmt::format(R"({{"id": {}, "subtime": 0, "res": 1, "profile": "p{}"}})", profile, profile);
  };
  for (int i = 1; i <= 20; ++i) add(i);
  const auto list = all(*batsim(scratch, job(20) + "," + job(12), nested));
  REQUIRE(list.size() == 2);
  CHECK(list[0].run_time == Approx(1e8));
  CHECK(list[1].run_time == Approx(1));
  add(21);
  for (const auto& jobs : {job(21), job(20) + "," + job(21)})  // known or not
    CHECK_THROWS_WITH(batsim(scratch, jobs, nested), Catch::Contains("more than 20 profiles within each other"));
}

TEST_CASE("Batsim: a lenient reader leaves out jobs that are not known") {
  const test::Scratch scratch;
  const auto jobs = batsim(scratch, R"({"id": 1, "subtime": 0, "res": 1, "profile": "work"},
    {"id": 2, "subtime": 0, "res": 1, "profile": "ten"})",
                           profiles, Reading::lenient);
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{2});
  CHECK(jobs->counts().without_run_time == 1);
  CHECK(jobs->counts().of_unknown_length == 0);
}

TEST_CASE("Batsim: a workload that is nested too deep is an error, and one with a profile for each job is read") {
  const test::Scratch scratch;
  const auto deep = [&](const std::string& text) {
    return test::error_of([&] { open_jobs(scratch.write("deep.json", text)); });
  };
  const std::string open(80'000, '['), close(80'000, ']');
  for (const auto& text : {"{\"jobs\": " + open + close + ", \"profiles\": {}}", "{\"profiles\":\n" + open})
    CHECK_THAT(deep(text), Catch::Contains("more than 100 deep") && !Catch::Contains("\n"));
  std::string jobs, all_profiles;
  constexpr int count = 40'000;  // took 11 s when each was looked for among all others
  for (int i = 0; i < count; ++i) {
    jobs += fmt::format(R"({}{{"id": {}, "subtime": {}, "res": 1, "profile": "p{}"}})", i == 0 ? "" : ",", i, i, i);
    all_profiles += fmt::format(R"({}"p{}": {{"type": "delay", "delay": {}}})", i == 0 ? "" : ",", i, i % 1000);
  }
  const auto list = all(*batsim(scratch, jobs, all_profiles));
  REQUIRE(list.size() == count);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(list[i].run_time == static_cast<double>(i % 1000));
}

TEST_CASE("Batsim: profiles of versions 5, 4 and before are delays, sequences, traces, or work for a machine") {
  struct Case {
    std::string profiles;  ///< the job does p
    double run_time;
    std::string program;
  };
  const std::string work = R"("cpu": [1e6, 0], "com": [0, 1e6, 0, 0])",
                    part = R"("d": {"type": "DelayProfile", "delay": 4}, )";
  const auto typed = [](const std::string& type, const std::string& rest = "") {
    return R"("p": {"type": ")" + type + '"' + (rest.empty() ? "" : ", " + rest) + "}";
  };
  const std::vector<Case> cases{
      {typed("DelayProfile", R"("delay": 20.25, "ret": 1)"), 20.25, ""},
      {typed("delay", R"("delay": 20.25)"), 20.25, ""},
      {part + typed("SequentialCompositionProfile", R"("seq": ["d", "d"], "repeat": 3)"), 24, ""},
      {part + typed("sequential_composition", R"("seq": ["d"])"), 4, ""},
      {part + typed("composed", R"("seq": ["d"], "repeat": 2)"), 8, ""},
      {part + R"("w": {"type": "ParallelTaskProfile", "cpu": [1]}, )" +
           typed("SequentialCompositionProfile", R"("seq": ["d", "w"])"),
       -1, ""},
      {part + R"("w": {"type": "ptask", "cpu": [1]}, )" + typed("composed", R"("seq": ["w", "d"], "repeat": 9)"), -1,
       ""},
      {typed("ParallelTaskProfile", work), -1, ""},
      {typed("ParallelTaskProfile", R"("com": [0, 1, 1, 0])"), -1, ""},
      {typed("ParallelTaskHomogeneousProfile", R"("cpu": 1e6, "com": 2)"), -1, ""},
      {typed("ParallelTaskHomogeneousProfile",
             R"("cpu": 1e6, "com": 2, "generation_strategy": "DefinedAmountsSpreadUniformly")"),
       -1, ""},
      {typed("ParallelTaskOnStorageHomogeneousProfile", R"("bytes_to_read": 1e6, "storage": "nfs")"), -1, ""},
      {typed("ParallelTaskDataStagingBetweenStoragesProfile", R"("nb_bytes": 1e6, "from": "a", "to": "b")"), -1, ""},
      {typed("ForkJoinCompositionProfile"), -1, ""},
      {typed("ParallelTaskMergeCompositionProfile"), -1, ""},
      {typed("TraceReplayProfile", R"("trace_type": "SMPI", "filename": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("TraceReplayProfile", R"("trace_type": "FractionalComputation", "filename": "use.txt")"), -1, ""},
      {typed("trace_replay", R"("trace_type": "smpi", "trace_file": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("trace_replay", R"("trace_type": "usage", "trace_file": "use.txt")"), -1, ""},
      {typed("smpi", R"("trace": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("parallel_homogeneous_total", R"("cpu": 1e6, "com": 2)"), -1, ""},
      {typed("usage_trace", R"("trace": "use.txt")"), -1, ""},
      {typed("msg_par_hg", R"("cpu": 1e6, "com": 2)"), -1, ""}};
  for (const auto& [text, run_time, program] : cases) {
    INFO(text);
    const test::Scratch scratch;
    const auto jobs = batsim(
        scratch, R"({"id": "a", "subtime": 3, "walltime": 100, "res": 2, "profile": "p", "extra_data": "{\"x\": 1}"},
                           {"id": 7, "subtime": 4, "res": 1, "profile": "p", "extra_data": {"desired": "0-1"}})",
        text);
    const auto list = all(*jobs);
    REQUIRE(list.size() == 2);
    CHECK(list[0].name == "a");
    CHECK(list[0].estimate == 100);
    CHECK(list[1].number == 7);
    CHECK(list[1].run_time == run_time);
    CHECK(list[1].program == (program.empty() ? "" : scratch.path(program)));
    CHECK(jobs->counts().of_unknown_length == (run_time < 0 ? 2U : 0U));
  }
}

TEST_CASE("Batsim: its present words are written, or those before version 5, and what jobs have besides goes along") {
  const test::Scratch scratch;
  const auto jobs =
      open_jobs(scratch.write("a.csv", "size,run_time_s,submitted_s,user,nodes,wait_s\n4,10,0,3,n[1-4],5\n"));
  for (const auto& [format, type] : {std::pair("batsim", "DelayProfile"), {"batsim4", "delay"}}) {
    const auto path = written(scratch, format, *jobs, "w.json");
    const auto json = core::Json::parse(test::content(path));
    CHECK(json["profiles"][json["jobs"][0]["profile"].get<std::string>()]["type"] == type);
    const auto extra = core::Json::parse(json["jobs"][0]["extra_data"].get<std::string>())["toroid"];
    CHECK(extra == core::Json{{"wait_s", 5.0}, {"user", 3}, {"nodes", "n[1-4]"}});
    CHECK(all(*open_jobs(path)) == all(*jobs));
  }
  const auto wrong = [&](const std::string& extra) {
    return test::error_of([&] {
      batsim(scratch, R"({"id": 1, "subtime": 0, "res": 1, "profile": "ten", "extra_data": )" + extra + "}", profiles);
    });
  };
  CHECK_THAT(wrong(R"({"toroid": {"user": "eve"}})"),
             Catch::Contains("extra_data: user: found \"eve\", expected a whole"));
  CHECK_THAT(wrong(R"({"toroid": {"frob": 1}})"), Catch::Contains("extra_data: frob: found 1, expected none"));
  CHECK(wrong(R"("{ toroid")").empty());
}

// Filters

}  // namespace
}  // namespace toroid::jobs
