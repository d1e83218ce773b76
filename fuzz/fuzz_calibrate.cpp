// Feeds broken tables of measurements to `toroid calibrate` for a while: nothing may crash, hang or take memory without
// bound.
//
//   fuzz_calibrate [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE...
//
// Tables and outputs of benchmarks, of our own or given ones, are changed in a few places: bytes, copied or lost
// pieces, values from other files, large numbers. What reads well must make sense and be the same when it is read
// again; what can be fitted must make a machine whose file gives the same machine. Build it with the preset asan and
// -DTOROID_BENCH=ON.

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "fuzz/fuzzing.hpp"
#include "platforms/xml.hpp"
#include "study/calibration/calibration.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

namespace {

using namespace toroid;
using namespace std::string_literals;

const fuzzing::Syntax tables{{",",          "\n",  "\r\n",  "\t",     " ",
                              "#",          "\"",  "\"\"",  "-1",     "0",
                              "n3",         "64",  "1e308", "-1e308", "1e-308",
                              "5e-324",     "nan", "inf",   "\0"s,    "18446744073709551616",
                              "from",       "to",  "bytes", "us",     "# Latency (us)\n",
                              "# t[usec]\n"},
                             ",",
                             ",\n"};

void check(bool holds) {
  if (!holds) std::abort();
}

/// Ten pairs in five sizes, with a handshake above 4 KiB, bandwidths that differ, and some noise.
std::string table() {
  core::Random random(1, "table");
  std::string text = "from,to,bytes,us\n";
  for (const int to : {1, 2, 3, 4, 8, 16, 24, 9, 18, 27})
    for (const double bytes : {8, 1024, 4096, 65536, 1048576})
      text += fmt::format(
          "0,n{},{},{:.4f}\n", to, bytes,
          (1 + 0.1 * to + bytes / (to < 8 ? 5e3 : 2.5e3) + (bytes > 4096 ? 2.5 : 0)) * (0.97 + 0.06 * random.unit()));
  return text;
}

/// Whether the file at `path` was read and fitted.
bool try_out(const platforms::Machine& machine, const std::string& path) {
  bool is_read = false;
  for (const std::string ends : {"", "@0,9"}) try {
      const auto measurements = study::read_measurements(path + ends, machine);
      for (const auto& m : measurements)
        check(m.from != m.to && machine.computes(m.from) && machine.computes(m.to) && m.seconds > 0 &&
              std::isfinite(m.seconds));
      check(study::read_measurements(path + ends, machine).size() == measurements.size());
      const auto fitted = study::calibrate(machine, measurements);
      for (const auto& p : fitted.properties)
        check(std::isfinite(p.value.value) && p.value.interval.low <= p.value.interval.high);
      const auto text = platforms::xml_text(fitted.machine, fitted.intervals());
      check(platforms::parse_xml(text, "fitted") == fitted.machine);
      is_read = true;
    } catch (const core::InputError& error) {
      check(*error.what() != '\0');
    }
  return is_read;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"broken tables of measurements"};
  fuzzing::FuzzOptions options;
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> corpus{
      table(), "bytes,ns,to,from\n0,1500,n9,0\n1024,2250,9,n0\n",
      "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0   1.50\n1024  2.25\n",
      "# Benchmarking PingPong\n#bytes #repetitions      t[usec]   Mbytes/sec\n"
      "     0         1000         1.50         0.00\n  1024         1000   2.25   455.1\n"};
  for (const auto& path : options.files) corpus.push_back(fuzzing::bytes_of(path));
  fuzzing::Mutator mutator(std::move(corpus), tables, options.seed);
  const auto machine = platforms::make_machine("torus:8x8");
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("fuzz_calibrate.{}", ::getpid());
  std::filesystem::create_directory(folder);
  fuzzing::fuzz(
      options, [&] { return mutator.next(); },
      [&](const std::string& text) {
        const auto path = (folder / "table").string();
        std::ofstream(path, std::ios::binary) << text;
        return try_out(machine, path);
      });
  std::filesystem::remove_all(folder);
}
