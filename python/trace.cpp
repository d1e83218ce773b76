#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/own/operation.hpp"

namespace toroid::python {
namespace {

using workloads::CompactTrace;
using workloads::Operation;
using workloads::Rank;

using Lines = std::vector<std::vector<std::string>>;

HeldTrace open(const py::object& given) {
  const auto text = text_of(given, "trace");
  import_numpy();
  return run([&] { return HeldTrace{text, workloads::open_trace(text)}; });
}

void add_line(CompactTrace& trace, Rank rank, const std::string& line) {
  std::vector<std::string_view> words;
  for (const auto word : core::split(line, ' '))
    if (!word.empty()) words.push_back(word);
  const auto parsed = workloads::parse_own(words);
  if (!parsed.error.empty()) core::fail_input("{}", parsed.error);
  trace.add(rank, parsed.value.shown());
}

/// Throws InputError on the first operation that no program can have.
void check(const workloads::Trace& trace) {
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    const auto stream = trace.open(rank);
    Operation op;
    for (std::uint64_t index = 0; stream->next(op); ++index)
      if (const auto fault = workloads::fault_in(trace, rank, op); !fault.empty())
        core::fail_input("rank {}, operation {}, {}: {}", rank, index, to_string(op.kind), fault);
  }
}

HeldTrace from_lines(const Lines& ranks, const std::vector<py::object>& given) {
  import_numpy();
  std::vector<std::vector<std::int64_t>> communicators;
  for (const auto& members : given) communicators.push_back(whole_numbers(members, "communicators"));
  return run([&] {
    if (ranks.empty()) core::fail_input("found no rank, expected a list of operations for each");
    auto trace = std::make_shared<CompactTrace>(static_cast<std::int32_t>(ranks.size()));
    for (const auto& members : communicators) {
      std::vector<Rank> all;
      for (const auto member : members) {
        if (member < 0 || member >= trace->ranks() || std::ranges::find(all, Rank(member)) != all.end())
          core::fail_input("communicators: found rank {}, expected different ranks below {}", member, ranks.size());
        all.push_back(Rank(member));
      }
      trace->add_communicator(workloads::Communicator(all));
    }
    for (std::size_t r = 0; r < ranks.size(); ++r)
      for (std::size_t i = 0; i < ranks[r].size(); ++i) {
        try {
          add_line(*trace, Rank(r), ranks[r][i]);
        } catch (const core::InputError& error) {
          core::fail_input("rank {}, operation {}: {}", r, i, error.what());
        }
      }
    trace->finish();
    check(*trace);
    return HeldTrace{{}, trace};
  });
}

std::vector<std::string> operations(const HeldTrace& held, const py::object& given, const py::object& limit) {
  const auto rank = whole_number(given, "rank"), most = whole_number(limit, "most");
  if (rank < 0 || rank >= held.trace->ranks())
    core::fail_input("rank {} does not exist; expected 0 to {}", rank, held.trace->ranks() - 1);
  std::vector<std::string> lines;
  const auto stream = held.trace->open(Rank(rank));
  Operation op;
  while ((most < 0 || static_cast<std::int64_t>(lines.size()) < most) && stream->next(op))
    lines.push_back(workloads::own_text(op));
  return lines;
}

struct ToldMatrix {
  mapping::MatrixKind kind;
  workloads::CollectiveChoice collectives;
  bool messages;
};

ToldMatrix take_matrix_options(py::dict& keywords) {
  const auto kind = take_matrix(keywords, "kind");
  auto collectives = workloads::CollectiveChoice::parse(take_text(keywords, "collectives", "default"));
  return {kind, std::move(collectives), take<bool>(keywords, "messages", false)};
}

py::object matrix(const HeldTrace& held, py::dict keywords) {
  const auto told = take_matrix_options(keywords);
  check_empty(keywords);
  auto rows = run([&] {
    const mapping::Traffic traffic(*held.trace, told.collectives, told.kind);
    return SparseRows(traffic.matrix(), told.messages);
  });
  return std::move(rows).to_scipy();
}

py::dict summary(const HeldTrace& held) {
  const auto s = run([&] { return workloads::summarize(*held.trace); });
  py::dict kinds;
  for (std::size_t k = 0; k < workloads::op_kind_count; ++k)
    if (s.by_kind[k] > 0) kinds[py::str(std::string(to_string(static_cast<workloads::OpKind>(k))))] = s.by_kind[k];
  py::dict all;
  all["ranks"] = s.ranks;
  all["operations"] = s.operations;
  all["by_kind"] = kinds;
  all["messages"] = s.messages;
  all["bytes"] = s.bytes;
  all["flops"] = s.flops;
  all["slept_s"] = s.slept_seconds;
  all["partners_mean"] = s.partners_mean;
  return all;
}

void write(const HeldTrace& held, const py::object& where, const py::object& form) {
  const auto path = text_of(where, "path"), format = text_of(form, "format");
  static std::mutex one_at_a_time;  // the sets of outputs of a process know each other
  run([&] {
    const std::lock_guard lock(one_at_a_time);
    const auto& entry = workloads::trace_formats().find(format);
    if (entry.make.write == nullptr) core::fail_input("format '{}' is only read", format);
    core::OutputSet outputs;
    entry.make.write(*held.trace, {}, outputs, path);
    outputs.commit();
    return 0;
  });
}

}  // namespace

SparseRows::SparseRows(const workloads::CommunicationMatrix& matrix, bool messages) {
  for (const auto& row : matrix.rows) {
    for (const auto& cell : row) {
      columns_.push_back(cell.to.value());
      values_.push_back(messages ? cell.messages : cell.bytes);
    }
    begins_.push_back(static_cast<std::int64_t>(columns_.size()));
  }
}

py::object SparseRows::to_scipy() && {
  const auto ranks = begins_.size() - 1;
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(
          py::make_tuple(array_of(std::move(values_)), array_of(std::move(columns_)), array_of(std::move(begins_))),
          py::arg("shape") = py::make_tuple(ranks, ranks));
}

workloads::TraceSource source_of(const std::string& name, const py::object& given) {
  if (given.is_none()) return name;
  return {name, [trace = given.cast<const HeldTrace&>().trace] {
            return std::make_unique<workloads::ForwardedTrace>(trace);
          }};
}

void add_trace(py::module_& module) {
  note_function("matrix", [](py::dict& keywords) { take_matrix_options(keywords); });
  py::class_<HeldTrace>(module, "Trace")
      .def_property_readonly("text", [](const HeldTrace& held) { return python_text(held.text); })
      .def_property_readonly("ranks", [](const HeldTrace& held) { return held.trace->ranks(); })
      .def_property_readonly("files",
                             [](const HeldTrace& held) {
                               py::list files;
                               for (const auto& file : held.trace->files()) files.append(python_text(file));
                               return files;
                             })
      .def("operations", operations, py::arg("rank"), py::arg("most") = -1)
      .def("_matrix", matrix, py::arg("keywords"))
      .def_property_readonly("summary", summary)
      .def("write", write, py::arg("path"), py::arg("format") = "own")
      .def("__repr__", [](const HeldTrace& held) {
        return python_text(fmt::format("<toroid.Trace {}, {} ranks>", held.text.empty() ? "of lists" : held.text,
                                       held.trace->ranks()));
      });
  module.def("trace", open, py::arg("text"));
  module.def("trace_of_lists", from_lines, py::arg("ranks"), py::arg("communicators"));
}

}  // namespace toroid::python
