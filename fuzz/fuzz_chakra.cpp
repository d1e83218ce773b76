// Feeds broken execution traces to the reader for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_chakra [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE...
//
// Traces in both forms, that programs were written as, or given ones, are changed in a few places: bytes, copied or
// lost pieces, large numbers. What reads well must be written as our own form, and be the same when it is read again.
// Build it with the preset asan and -DTOROID_BENCH=ON.

#include <cstdlib>

#include "fuzz/fuzzing.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;
using namespace std::string_literals;

bool try_trace(const std::string& path) try {
  const auto trace = workloads::read_chakra(path, {.control = true, .streams = true, .ranks = 4});
  const auto again = path + ".own";
  core::OutputSet outputs;
  write_own(*trace, outputs, again);
  outputs.commit();
  if (!first_differences(*trace, *workloads::open_trace(again), {.computation = true}).empty()) std::abort();
  return true;
} catch (const core::InputError& error) {
  if (*error.what() == '\0') std::abort();
  return false;
}

/// The file of a rank of a program.
std::string written(const std::string& program) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("chakra.{}", ::getpid());
  std::filesystem::create_directory(folder);
  core::OutputSet outputs;
  write_chakra(*workloads::open_trace(program), {}, outputs, (folder / "t.%d.et").string());
  outputs.commit();
  auto text = fuzzing::bytes_of((folder / "t.1.et").string());
  std::filesystem::remove_all(folder);
  return text;
}

std::vector<fuzzing::Kind> kinds() {
  const fuzzing::Syntax messages{{"\0"s, "\x01", "\x7f", "\x80", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                  "\x08", "\x2a\x02", "\x38", "R", "\n"},
                                 "\n",
                                 "\n"};
  const fuzzing::Syntax json{
      {"{", "}", "[", "]", ",", ":", "\"", "null", "1e999", "-1", "18446744073709551616", "true", "4"}, ": ", ",}"};
  return {{".et",
           messages,
           {written("llm:model=llama3-8b,layers=1,tensor=2,data=2,pipeline=1,micro-batches=1"),
            written("is:class=S,ranks=4,iterations=1")},
           try_trace},
          {".json",
           json,
           {R"({"workload_graph": [{"Id": 0, "NodeType": 4, "runtime": 3, "is_cpu_op": true},
 {"Id": 2, "NodeType": 5, "data_deps": [0], "ctrlDeps": [0], "comm_size": 5, "comm_dst": 1, "comm_tag": 3},
 {"Id": 3, "NodeType": 7, "data_deps": [0, 2], "comm_size": 5, "comm_type": 6}]})"},
           try_trace}};
}

}  // namespace

int main(int argc, char** argv) {
  return fuzzing::fuzz_files(argc, argv, "broken execution traces", kinds());
}
