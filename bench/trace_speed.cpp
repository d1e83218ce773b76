// How fast traces are written and read, and what large ones cost that are generated: matrices on 1,024 ranks with few
// and with all iterations, and a replay of 16,384 ranks.
//
//   trace_speed [--trace lu:class=A,ranks=64] [--folder /tmp] [--no-matrices] [--no-replay]
//
// MB are bytes of the file as it is without compression, of each form its own: a form with fewer bytes for an operation
// has fewer MB/s at the same speed, so operations are counted, too. The files are in the page cache. Times are of the
// CPU, the best of three.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "bench/measure.hpp"
#include "core/output.hpp"
#include "core/table.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;

template <class Work>
double best_seconds(Work work) {
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const double before = bench::cpu_seconds();
    work();
    const double seconds = bench::cpu_seconds() - before;
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

using Write = void (*)(const workloads::Trace&, core::OutputSet&, const std::string&);

struct Form {
  const char* name;
  Write write;
};

void write_file(const workloads::Trace& trace, Write write, const std::string& path) {
  core::OutputSet outputs;
  write(trace, outputs, path);
  outputs.commit();
}

void forms(const std::string& spec, const std::string& folder) {
  const Form all[] = {
      {"TI", workloads::write_ti}, {"own as text", workloads::write_own_text}, {"own", workloads::write_own}};
  const auto generated = workloads::open_trace(spec);
  const auto first = folder + "/trace_speed.trace";
  write_file(*generated, workloads::write_own, first);
  const auto trace = workloads::open_trace(first);  // the trace is in memory: what is measured is not the generator
  std::filesystem::remove(first);
  const auto operations = static_cast<double>(trace->operation_count());
  fmt::print("{}: {:.3g} million operations, {:.2f} bytes of memory each\n\n", spec, operations / 1e6,
             static_cast<double>(trace->memory_bytes()) / operations);
  core::Table table({"form", "MB", "bytes each", "write MB/s", "read MB/s", "read million/s"});
  for (const auto& form : all)
    for (const std::string end : {"", ".zst"}) {
      const auto plain = folder + "/trace_speed.trace", path = plain + end;
      write_file(*trace, form.write, plain);
      const auto bytes = static_cast<double>(std::filesystem::file_size(plain));
      const double written = best_seconds([&] { write_file(*trace, form.write, path); });
      const double read = best_seconds([&] { workloads::open_trace(path); });
      table.add({form.name + end, fmt::format("{:.1f}", bytes / 1e6), fmt::format("{:.2f}", bytes / operations),
                 fmt::format("{:.0f}", bytes / 1e6 / written), fmt::format("{:.0f}", bytes / 1e6 / read),
                 fmt::format("{:.1f}", operations / 1e6 / read)});
      std::filesystem::remove(plain);
      std::filesystem::remove(path);
    }
  fmt::print("{}\n", table.text());
}

void matrices() {
  core::Table table({"class D on 1,024 ranks", "iterations", "CPU s", "MB"});
  for (const std::string name : {"bt", "cg", "ft", "is", "lu", "mg", "sp"})
    for (const std::string iterations : {"2", "all"}) {
      const auto spec = name + ":class=D,ranks=1024" + (iterations == "all" ? "" : ",iterations=" + iterations);
      const auto cost = bench::measure([&] {
        workloads::communication_matrix(*workloads::open_trace(spec), {});
        return 0;
      });
      table.add({name, iterations, fmt::format("{:.2f}", cost.cpu_s), fmt::format("{:.0f}", cost.memory_mb)});
    }
  fmt::print("{}\n", table.text());
}

void replay() {
  core::Table table({"class D on 16,384 ranks, torus:32x32x16", "messages", "CPU s", "MB"});
  for (const std::string spec : {"mg:class=D,ranks=16384,iterations=1", "sp:class=D,ranks=16384,iterations=1"}) {
    const auto trace = workloads::open_trace(spec);
    const auto messages = workloads::communication_matrix(*trace, {}).total_messages();
    const auto cost = bench::measure([&] {
      const auto machine = platforms::make_machine("torus:32x32x16");
      netsim::Mapping mapping;
      for (const auto node : core::ids<platforms::NodeId>(trace->ranks())) mapping.add(node);
      netsim::run({machine, *trace, mapping, {.compute_scale = 1, .repeats = netsim::Repeats::off}, "fluid"});
      return 0;
    });
    table.add(
        {spec, std::to_string(messages), fmt::format("{:.1f}", cost.cpu_s), fmt::format("{:.0f}", cost.memory_mb)});
  }
  fmt::print("{}\n", table.text());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"the speed of traces"};
  std::string trace = "lu:class=A,ranks=64", folder = std::filesystem::temp_directory_path().string();
  bool no_matrices = false, no_replay = false;
  app.add_option("--trace", trace)->capture_default_str();
  app.add_option("--folder", folder)->capture_default_str();
  app.add_flag("--no-matrices", no_matrices);
  app.add_flag("--no-replay", no_replay);
  CLI11_PARSE(app, argc, argv);
  try {
    forms(trace, folder);
    if (!no_matrices) matrices();
    if (!no_replay) replay();
  } catch (const std::exception& error) {
    fmt::print(stderr, "trace_speed: {}\n", error.what());
    return 1;
  }
}
