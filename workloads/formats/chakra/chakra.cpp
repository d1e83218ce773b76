// Execution traces of Chakra as a trace format, and as a program with keys.

#include "core/file.hpp"
#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

bool is_chakra(const std::string& path) {
  if (!has_chakra_name(path)) return false;
  if (!is_chakra_json(path)) return true;
  constexpr std::size_t looked_at = 4096;
  std::string begin;
  core::LineReader file(path);
  for (std::uint8_t byte = 0; begin.size() < looked_at && file.read(&byte, 1);) begin += static_cast<char>(byte);
  return begin.find("\"workload_graph\"") != std::string::npos;
}

const core::Parameter<bool> chakra_control{"control", "whether nodes wait for control dependencies, too",
                                           core::yes_or_no(), "no"};
const core::Parameter<bool> chakra_streams{"streams", "whether streams of an accelerator compute beside each other",
                                           core::yes_or_no(), "no"};
const core::OptionalParameter<Computation> chakra_by{
    "compute", "what computations last: as recorded, or by their operations",
    core::one_of<Computation>({{"duration", Computation::timed}, {"operations", Computation::modelled}}),
    "by durations where there are any"};
const core::OptionalParameter<std::string> chakra_of_group_file{
    "groups",
    "JSON with the ranks of each process group",
    {"the path of a file", [](std::string_view text, const core::Place&) { return std::optional(std::string(text)); }},
    "as METADATA nodes say"};
const core::OptionalParameter<std::int32_t> chakra_ranks{"ranks", "ranks that all do what one file says",
                                                         core::whole<std::int32_t>(1, most_trace_ranks), "a file each"};

std::unique_ptr<Trace> make_chakra(const core::Arguments& a) {
  return read_chakra(a.spec().argument(),
                     {a[chakra_control], a[chakra_streams], a[chakra_by],
                      a[chakra_of_group_file].value_or(std::string()), a[chakra_ranks].value_or(0)});
}

}  // namespace

core::Entry<MakeTrace> chakra_generator() {
  return {"chakra",
          "an execution trace of Chakra, PREFIX.%d.et, read with these keys",
          make_chakra,
          {chakra_control, chakra_streams, chakra_by, chakra_of_group_file, chakra_ranks},
          "FILE"};
}

core::Entry<TraceFormat> chakra_format() {
  return {"chakra", "execution traces of Chakra, a file a rank",
          TraceFormat{is_chakra, [](const std::string& path) -> std::unique_ptr<Trace> { return read_chakra(path); },
                      write_chakra}};
}

}  // namespace toroid::workloads
