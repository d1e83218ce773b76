// How fast traces are written and read.

#include <filesystem>
#include <limits>

#include "bench/speed/parts.hpp"
#include "core/output.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::bench {
namespace {

using Write = void (*)(const workloads::Trace&, core::OutputSet&, const std::string&);

void write_file(const workloads::Trace& trace, Write write, const std::string& path) {
  core::OutputSet outputs;
  write(trace, outputs, path);
  outputs.commit();
}

/// The least of three: other work on the computer only adds to times.
template <class Work>
double least_seconds(Work work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) least = std::min(least, cpu_seconds_of(work));
  return least;
}

}  // namespace

/// MB are bytes of the file as it is without compression, of each form its own. The files are in the page cache.
void measure_traces(const SpeedOptions& o) {
  struct Form {
    const char* name;
    Write write;
  };
  const std::string plain = std::filesystem::temp_directory_path() / fmt::format("toroid-speed-{}.trace", ::getpid());
  write_file(*workloads::open_trace(o.small ? "lu:class=S,ranks=16" : "lu:class=A,ranks=64"), workloads::write_own,
             plain);
  const auto trace = workloads::open_trace(plain);  // what is measured is not the generator
  const auto operations = static_cast<double>(trace->operation_count());
  core::Table table({"form", "bytes per operation", "written, MB/s", "read, MB/s", "read, million operations/s"});
  for (const auto& form : {Form{"TI", workloads::write_ti}, Form{"own, as text", workloads::write_own_text},
                           Form{"own", workloads::write_own}})
    for (const std::string end : {"", ".zst"}) {
      const auto path = plain + end;
      write_file(*trace, form.write, plain);
      const auto megabytes = static_cast<double>(std::filesystem::file_size(plain)) / 1e6;
      const double written = least_seconds([&] { write_file(*trace, form.write, path); });
      const double read = least_seconds([&] { workloads::open_trace(path); });
      table.add({form.name + end, fmt::format("{:.1f}", 1e6 * megabytes / operations),
                 fmt::format("{:.0f}", megabytes / written), fmt::format("{:.0f}", megabytes / read),
                 fmt::format("{:.0f}", operations / 1e6 / read)});
      std::filesystem::remove(plain);
      std::filesystem::remove(path);
    }
  print(table);
}

}  // namespace toroid::bench
