#include "study/calibration/program_calibration.hpp"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/random.hpp"
#include "study/calibration/captured_run.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "workloads/amounts.hpp"

using namespace toroid;
using namespace toroid::study;

namespace {

/// A run of the generator itself in the place of a captured one; `hidden` are the values that are looked for.
Capture run_of(const std::string& program, const std::string& keys, const std::string& hidden) {
  const auto spec = fmt::format("{}:{},{}", program, keys, hidden);
  return {spec, workloads::TraceSource(spec), keys};
}

double value_of(const ProgramCalibration& c, const std::string& key) {
  for (const auto& k : c.keys)
    if (k.key == key) return k.flops.value;
  FAIL("no key " << key);
  return 0;
}

/// Values for all keys of computation of a program, drawn between 1 and 100 flops.
std::map<std::string, double> some_values(const std::string& program, std::uint64_t seed) {
  core::Random random(seed, "test");
  std::map<std::string, double> values;
  for (const auto& key : workloads::computation_keys(workloads::generators().find(program)))
    values[std::string(key.name)] = 1 + static_cast<double>(random.below(99));
  return values;
}

std::string text_of(const std::map<std::string, double>& values) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values) texts.push_back(fmt::format("{}={}f", key, value));
  return fmt::format("{}", fmt::join(texts, ","));
}

/// Two runs of each program that tell its keys apart.
const std::map<std::string, std::vector<std::string>> runs{
    {"bt", {"class=S,ranks=4,iterations=2", "class=W,ranks=9,iterations=2"}},
    {"cg", {"class=S,ranks=8,iterations=2", "class=W,ranks=4,iterations=2"}},
    {"ep", {"class=S,ranks=8"}},
    {"ft", {"class=S,ranks=4", "class=W,ranks=8"}},
    {"ft-pair", {"class=S,ranks=4", "class=W,ranks=8"}},
    {"is", {"class=S,ranks=4", "class=S,ranks=8"}},
    {"lu", {"class=S,ranks=4,iterations=2", "class=W,ranks=8,iterations=1"}},
    {"mg", {"class=S,ranks=8", "class=W,ranks=4"}},
    {"sp", {"class=S,ranks=4,iterations=2", "class=W,ranks=9,iterations=2"}},
    {"minighost", {"ranks=16,steps=3", "ranks=8,steps=2,points=20x30x10"}},
    {"lulesh", {"ranks=8,steps=3"}},
    {"stencil", {"grid=2x2,steps=3"}},
    {"fft", {"points=16x16x16,grid=1x4,steps=2"}},
    {"ptrans", {"grid=2x2,order=64,block=8"}},
    {"namd", {"ranks=8,steps=2"}},
    {"broadcasts", {"ranks=4,rounds=3"}},
    {"sharded", {"mesh=2x2"}},
};

TEST_CASE("Values that a program was made with come back from its runs") {
  for (const auto& [program, keys] : runs) {
    CAPTURE(program);
    const auto values = some_values(program, 7);
    std::vector<Capture> captures;
    for (const auto& run : keys) captures.push_back(run_of(program, run, text_of(values)));
    const auto result = calibrate_program(program, captures);
    for (const auto& [key, value] : values) CHECK(value_of(result, key) == Approx(value).epsilon(1e-6));
    CHECK(result.notes.empty());
    for (const auto& fit : result.captures) CHECK(fit.fitted_mean == Approx(fit.mean).epsilon(1e-3));
  }
}

TEST_CASE("Every generator whose keys are amounts of computation is among the programs that are tested") {
  for (const auto& entry : workloads::generators().entries())
    if (!workloads::computation_keys(entry).empty()) CHECK(runs.count(std::string(entry.name)) == 1);
}

TEST_CASE("Ranks that differ by chance leave values near the true ones, and how much the ranks differ comes back",
          "[slow]") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto values = some_values("cg", seed);
    std::vector<Capture> captures;
    for (const std::string keys : {"class=S,ranks=64,iterations=2", "class=W,ranks=128,iterations=2"})
      captures.push_back(run_of("cg", keys, text_of(values) + ",imbalance=0.05"));
    const auto result = calibrate_program("cg", captures);
    CHECK(value_of(result, "nonzero") == Approx(values.at("nonzero")).epsilon(0.1));
    for (const auto& fit : result.captures) CHECK(fit.fitted_mean == Approx(fit.mean).epsilon(0.03));
    CHECK(*result.imbalance == Approx(0.05).epsilon(0.3));
  }
}

TEST_CASE("How much computations differ from one iteration to the next comes back, beside how much ranks do") {
  auto values = some_values("cg", 1);
  // Much shorter than the noise, a computation is next to nothing mostly, and rarely very long: few samples tell
  // little.
  values["exchange"] = 1500;
  std::vector<Capture> captures;
  for (const std::string keys : {"class=S,ranks=16,iterations=12", "class=W,ranks=32,iterations=12"})
    captures.push_back(run_of("cg", keys, text_of(values) + ",imbalance=0.05,noise=600f,jitter=0.08"));
  const auto result = calibrate_program("cg", captures);
  CHECK(*result.noise == Approx(600).epsilon(0.1));
  CHECK(*result.jitter == Approx(0.08).epsilon(0.1));
  CHECK(*result.imbalance == Approx(0.05).epsilon(0.4));
  const auto ep = calibrate_program("ep", std::vector{run_of("ep", "class=S,ranks=8", "pair=3f")});
  CHECK((ep.noise == std::nullopt && ep.jitter == std::nullopt));
}

/// By how much noise and the square of jitter, as a fit finds them, scatter about the true ones: of the estimating
/// equations of a gamma regression (McCullagh, Nelder 1989, chapter 9), for log-normal computations.
ScatterOverTime standard_errors(const std::vector<NoiseAtPlace>& places, const ScatterOverTime& truth) {
  double whole = 0;
  for (const auto& at : places) whole += at.mean * at.samples;
  std::array<double, 3> bread = {}, filling = {};  // symmetric matrices: of noise, of both, of jitter^2
  for (const auto& [m, variance, samples] : places) {
    const double of = truth.noise * m + truth.jitter * truth.jitter * m * m, w = 1 + of / (m * m);
    const double excess = std::pow(w, 4) + 2 * std::pow(w, 3) + 3 * w * w - 6;  // of the kurtosis
    const double weight = m * samples / whole / of / of, of_variance = of * of * (2 + excess) / samples;
    const std::array<double, 3> products{m * m, m * m * m, m * m * m * m};
    for (std::size_t i = 0; i < 3; ++i) {
      bread[i] += weight * products[i];
      filling[i] += weight * weight * of_variance * products[i];
    }
  }
  const auto [a, b, c] = bread;
  const auto [v, u, z] = filling;
  const double determinant = a * c - b * b;
  return {std::sqrt(c * c * v - 2 * b * c * u + b * b * z) / determinant,
          std::sqrt(b * b * v - 2 * a * b * u + a * a * z) / determinant};
}

TEST_CASE("Noise and jitter come back within their standard errors, where several computations come in a row") {
  // Both compute at the end of an iteration and at the beginning of the next one, LU in many pieces in a row.
  const ScatterOverTime truth{.noise = 600, .jitter = 0.08};
  for (const auto& [program, keys, values] :
       {std::tuple<std::string, std::string, std::string>{"cg", "class=S,ranks=32,iterations=15",
                                                          "matrix-row=20f,nonzero=2f,element=5f,exchange=9kf"},
        {"lu", "class=W,ranks=32,iterations=20", "rhs=400f,sweep=200f,piece=9kf,message=9kf"}}) {
    CAPTURE(program);
    const auto capture = run_of(program, keys, values + ",noise=600f,jitter=0.08");
    std::vector<std::string> fitted;
    for (const auto& key : workloads::computation_keys(workloads::generators().find(program)))
      fitted.emplace_back(key.name);
    const std::vector<std::vector<NoiseAtPlace>> places{
        CapturedRun(core::Spec::parse(program), capture, fitted).noise()};
    const auto fit = fit_scatter_over_time(places);
    const auto error = standard_errors(places[0], truth);
    CHECK(places[0].size() >= 3);
    CAPTURE(fit->noise, error.noise, fit->jitter, error.jitter);
    CHECK((error.noise < 15 && error.jitter < 0.001));
    CHECK(std::abs(fit->noise - truth.noise) < 2 * error.noise);
    CHECK(std::abs(std::pow(fit->jitter, 2) - std::pow(truth.jitter, 2)) < 2 * error.jitter);
  }
}

TEST_CASE("Ranks and iterations that differ by more than their mean make a program that can be run") {
  const std::vector captures{run_of("ep", "class=S,ranks=64", "setup=0f,pair=3f,imbalance=3"),
                             run_of("ep", "class=W,ranks=64", "setup=0f,pair=3f,imbalance=3")};
  const auto fit = calibrate_program("ep:setup=0f", captures);
  CHECK(*fit.imbalance > 1);
  CHECK(workloads::open_trace(fit.spec + ",ranks=32")->ranks() == 32);
  CHECK(workloads::open_trace("cg:class=S,ranks=4,jitter=2")->ranks() == 4);
}

TEST_CASE("Noise that the user gives stays, and changes no other value") {
  const auto values = some_values("cg", 2);
  std::vector<Capture> captures;
  for (const std::string keys : {"class=S,ranks=8,iterations=3", "class=W,ranks=4,iterations=3"})
    captures.push_back(run_of("cg", keys, text_of(values)));
  for (const std::string given : {"noise=9kf", "jitter=0.1"}) {
    const auto result = calibrate_program("cg:" + given, captures);
    CHECK((result.noise == std::nullopt && result.jitter == std::nullopt));
    CHECK(result.spec.starts_with("cg:" + given + ","));
    for (const auto& [key, value] : values) CHECK(value_of(result, key) == Approx(value).epsilon(1e-6));
  }
}

TEST_CASE("The noise that all ranks have at the same time is none") {
  constexpr std::size_t rounds = 40, places = 3, ranks = 20;
  core::Random random(1, "test");
  for (const double own : {0.0, 3.0}) {
    std::vector<std::vector<double>> of_all(rounds, std::vector<double>(places));
    for (auto& round : of_all)
      for (auto& factor : round) factor = 0.5 + random.unit();
    CapturedNoise noise;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto flops = of_all;
      for (auto& round : flops)
        for (std::size_t p = 0; p < places; ++p)
          round[p] = 1000 * round[p] * static_cast<double>(1 + p + rank) +
                     std::sqrt(12 * own * 1000 * static_cast<double>(1 + p + rank)) * (random.unit() - 0.5);
      noise.add(flops);
    }
    const auto all = noise.places();
    REQUIRE(all.size() == places);
    for (std::size_t p = 0; p < places; ++p) {
      CHECK(all[p].mean == Approx(1000 * (static_cast<double>(p) + 1 + 9.5)).epsilon(0.1));
      CHECK(all[p].variance / all[p].mean == Approx(own).epsilon(0.1).margin(1e-6));
    }
  }
}

TEST_CASE("The parts of a variance that grow with the mean and with its square come back from places of any length") {
  core::Random random(5, "test");
  for (const auto& [noise, jitter] : {std::pair{500.0, 0.1}, std::pair{500.0, 0.0}, std::pair{0.0, 0.1}}) {
    CAPTURE(noise, jitter);
    std::vector<std::vector<NoiseAtPlace>> runs(2);
    for (auto& run : runs)
      for (int i = 0; i < 40; ++i) {
        const double mean = 1000 * std::pow(1000, random.unit());
        // A variance of so many samples is known to a tenth.
        const double variance = (noise * mean + jitter * jitter * mean * mean) * (1 + 0.2 * (random.unit() - 0.5));
        run.push_back({mean, variance, 200});
      }
    const auto fit = fit_scatter_over_time(runs);
    CHECK(fit->noise == Approx(noise).epsilon(0.1).margin(30));
    CHECK(fit->jitter == Approx(jitter).epsilon(0.1).margin(0.01));
    // Runs that are alike, one of which was recorded for ten times as long, weigh the same.
    for (auto& at : runs[0]) at.samples *= 10;
    CHECK(fit_scatter_over_time(runs)->noise == Approx(fit->noise).epsilon(1e-4).margin(1e-3));
  }
  // Long places that scatter differently do not take the noise of the short ones away. The least deviance, the mean of
  // v/mu - log(v/mu) by share, over a grid of 40,000 ratios is at 213 flops and 0.0893.
  std::vector<std::vector<NoiseAtPlace>> uneven(1);
  for (const auto& [mean, jitter] :
       {std::pair{1e3, 0.07}, std::pair{2e3, 0.07}, std::pair{4e3, 0.07}, std::pair{5e5, 0.05}, std::pair{1e6, 0.1}})
    uneven[0].push_back({mean, 500 * mean + jitter * jitter * mean * mean, 60});
  const auto found = fit_scatter_over_time(uneven);
  CHECK(found->noise == Approx(213.01).epsilon(1e-3));
  CHECK(found->jitter == Approx(0.08927).epsilon(1e-3));
  CHECK(fit_scatter_over_time({}) == std::nullopt);
  const std::vector<std::vector<NoiseAtPlace>> single{{{1000, 4000, 30}}};
  CHECK(fit_scatter_over_time(single)->noise == Approx(4));
  CHECK(fit_scatter_over_time(single)->jitter == 0);
}

TEST_CASE("What is measured since the generator computed last belongs to where it computes next, or last") {
  std::string text;
  for (const char rank : {'0', '1'})
    for (const std::string operation :
         {"compute 100", "bcast 4 0 6", "compute 300", "barrier", "compute 900", "compute 100", "allreduce 8 0 6",
          "compute 40", "allreduce 8 0 6", "allreduce 80 0 6", "allreduce 8 0 6", "compute 10"})
      text += fmt::format("{} {}\n", rank, operation);
  test::Scratch scratch;
  const auto path = scratch.write("ep.ti", text);
  const auto result = calibrate_program("ep", std::vector{read_capture(path + "@class=S")});
  CHECK(value_of(result, "setup") == Approx(400));
  CHECK(value_of(result, "pair") == Approx(1050.0 / (1 << 23)));  // pairs of a rank
  CHECK(result.captures[0].mean == 1450);
  CHECK(*result.imbalance == Approx(0).margin(1e-9));
}

std::string error_of(const std::string& program, const std::vector<Capture>& captures) {
  return test::error_of([&] { calibrate_program(program, captures); });
}

TEST_CASE("What captures cannot tell is refused") {
  const auto one = run_of("cg", "class=S,ranks=4,iterations=1", "exchange=9f");
  CHECK(error_of("cg", {one}).starts_with("one capture cannot tell matrix-row from nonzero:"));
  CHECK(error_of("cg", {one}).find("expected one more capture, of another class, size or number of ranks") !=
        std::string::npos);
  CHECK(calibrate_program("cg:matrix-row=23.3f,element=0.823f", std::vector{one}).keys.size() == 3);
  CHECK(error_of("cg", {{"x", "cg:class=S,ranks=4", "class=W"}})
            .starts_with("x is not cg:class=W,ranks=4: rank 0 does 'send to "));
  CHECK(error_of("cg", {{"x", "cg:class=S,ranks=4", "class=S,ranks=8"}})
            .starts_with("x has 4 ranks, cg:class=S,ranks=8 has 8; expected the keys"));
  CHECK(error_of("ep:setup=1f,pair=1f", {{"x", "ep:class=S,ranks=4", "class=S"}}) ==
        "'ep:setup=1f,pair=1f' gives every key that says how much it computes; expected one to be fitted");
  CHECK(error_of("llm", {{"x", "llm", ""}}) == "llm has no key that says how much it computes");
  CHECK(error_of("ep", {}) == "no capture; expected --from FILE");
}

TEST_CASE("Captures without computation are refused, and so are those that the given keys explain") {
  const auto none = run_of("ep", "class=S,ranks=4", "setup=0f,pair=0f"),
             some = run_of("ep", "class=S,ranks=4", "pair=2f");
  const std::string what = "expected a run that was captured with computation";
  CHECK_THAT(error_of("ep", {none}),
             Catch::Contains("has no computation besides what ep:class=S,ranks=4 says; " + what));
  CHECK_THAT(error_of("ep", {some, none}), Catch::Contains(what));
  CHECK_THAT(error_of("ep:pair=9f", {some}), Catch::Contains("besides what ep:pair=9f,class=S,ranks=4 says; " + what));
  const auto alone = run_of("minighost", "grid=1x1x1", "setup=2f,apply=3f");
  CHECK(error_of("minighost:setup=2f,apply=3f", {alone}) ==
        "minighost:setup=2f,apply=3f,grid=1x1x1 has no work of the keys that are to be fitted (face)");
}

TEST_CASE("A capture is a file and keys behind the last @, unless that is a folder's") {
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch.path("a@b"));
  const auto path = scratch.write("a@b/x.ti", "0 compute 1\n");
  CHECK(read_capture(path).keys.empty());
  CHECK(read_capture(path + "@class=S,ranks=1").keys == "class=S,ranks=1");
  CHECK(read_capture(path + "@class=S").trace.open()->ranks() == 1);
}

TEST_CASE("Captured runs of CG and MG are met by the fit of two of each") {
  for (const std::string program : {"cg", "mg"}) {
    std::vector<Capture> captures;
    for (const std::string of_class : {"A", "W"}) {
      const auto path = test::shared_data(fmt::format("traces/{}.{}.64/trace.ti.zst", program, of_class));
      if (path.empty()) return;
      captures.push_back(read_capture(path + "@class=" + of_class));
    }
    for (const auto& fit : calibrate_program(program, captures).captures)
      CHECK(fit.fitted_mean == Approx(fit.mean).epsilon(0.1));
  }
}

}  // namespace
