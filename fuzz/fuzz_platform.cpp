// Feeds broken machines and matrices to the readers for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_platform [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE...
//
// Platform files (plain, and packed by gzip), topologies of Slurm, JSON of machines and matrices in all formats, of our
// own or given ones, are changed in a few places: bytes, copied or lost pieces, values from other files, large numbers.
// What reads well must make a machine, write back the same, and route; a matrix must be the same when it is written and
// read again. Build it with the preset asan and -DTOROID_BENCH=ON.

#include <cstdlib>
#include <filesystem>

#include "core/packing/packing.hpp"
#include "fuzz/fuzzing.hpp"
#include "platforms/xml.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"
#include "workloads/matrices/matrices.hpp"

namespace {

using namespace toroid;
using namespace std::string_literals;

void check(bool holds) {
  if (!holds) std::abort();
}

/// Machines of up to a million nodes are made, and route.
bool try_machine(const platforms::Description& description) {
  std::int64_t nodes = description.nodes_per_router;
  for (const auto& dimension : description.dimensions) nodes *= dimension.extent;
  if (nodes > 1000000) return true;
  const platforms::Machine machine(description);
  const auto from = machine.compute_nodes().front(), to = machine.compute_nodes().back();
  check(machine.route_bandwidth(from, to) > 0 && machine.latency(from, to) >= 0);
  return true;
}

bool try_xml(const std::string& path) {
  const auto checked = platforms::check_xml(fuzzing::bytes_of(path));
  for (const auto& finding : checked.findings)
    check(finding.line > 0 && finding.column > 0 && !finding.message.empty());
  if (checked.has_errors()) return false;
  check(platforms::parse_xml(platforms::xml_text(checked.description), "again") == checked.description);
  return try_machine(checked.description);
}

/// As commands read it, whatever it is.
bool try_platform(const std::string& path) try {
  const auto checked = platforms::check_file(path);
  if (checked.has_errors()) return false;
  auto described = platforms::describe(path);
  check(described == checked.description);
  return try_machine(described);
} catch (const core::InputError& error) {
  check(*error.what() != '\0');
  return false;
}

std::string text_of(const workloads::CommunicationMatrix& matrix) {
  return workloads::matrix_formats().find("list").make.text(matrix);
}

bool try_matrix(const std::string& path) try {
  const auto* format = workloads::matrix_format_of(path);
  if (format == nullptr) return false;
  const auto argument = format->name == "qaplib" ? path + ":order=distances-first" : path;
  const auto text = text_of(format->make.read(argument));
  const auto again = std::filesystem::path(path).replace_filename("again").string();
  std::ofstream(again, std::ios::binary) << text;
  check(text_of(workloads::matrix_formats().find("list").make.read(again)) == text);
  return true;
} catch (const core::InputError& error) {
  check(*error.what() != '\0');
  return false;
}

std::string packed(const std::string& text) {
  return core::make_gzip_packer()->pack(text, true);
}

std::vector<fuzzing::Kind> kinds() {
  const fuzzing::Syntax xml{{"-1", "0", "999999999", "2147483648", "1e308", "x",    "/",      "=",   ";",   "(",    ")",
                             "\"", "<", ">",         "&lt;",       "\0"s,   "none", "folded", "0-7", "1>2", "torus"},
                            "value=\"",
                            "\""};
  const fuzzing::Syntax yaml{
      {"-1", "0", "65536",      "2147483648",   "[",   "]",  "{", "}",  ":",  "- ", "\n", "\n  ", ",", "&a", "*a",
       "|",  ">", "n[1-99999]", "n[001-003,7]", "\0"s, "\t", "'", "\"", "? ", "!!"},
      ": ",
      ",}\n"};
  const fuzzing::Syntax json{
      {"{", "}", "[", "]", ",", ":", "\"", "null", "1e999", "\"shape\"", "\"4x4\"", "\\u0000", "-1"}, ": ", ",}"};
  const fuzzing::Syntax numbers{{"-1", "0", "1", "4", "1e6", "1e308", "nan", "9007199254740993", "1048577", " ", "\n",
                                 ",", "%", "#", "\0"s, "\t"},
                                " ",
                                " \n,"};
  std::vector<std::string> presets;
  for (const auto& preset : platforms::presets()) presets.emplace_back(preset.xml);
  presets.emplace_back(
      "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-11\" topology=\"TORUS\" "
      "topo_parameters=\"4,3\" speed=\"1Gf\" core=\"2\" bw=\"1GBps\" lat=\"1us\"/></platform>");
  std::vector<std::string> zipped;
  for (const auto& text : presets) zipped.push_back(packed(text));
  const std::string problem = "4\n0 1 1 2\n1 0 2 1\n1 2 0 1\n2 1 1 0\n\n0 5 0 0\n2 0 0 0\n0 9 0 0\n0 0 0 0\n";
  return {
      {".xml", xml, presets, try_xml},
      {".gz", xml, zipped, try_platform},
      {".yaml",
       yaml,
       {"- topology: a\n  tree: {switches: [{switch: s, nodes: 'n[1-4]'}]}\n- topology: t\n  cluster_default: true\n"
        "  torus3d:\n    toruses:\n      - name: p\n        dims: {x: 4, y: 2, z: 2}\n        nodes: n[01-16]\n"
        "        placements:\n          - dims: {x: 2, y: 2, z: 1}\n            anchor_spacing: {x: 1}\n"
        "      - name: q\n        dims: {x: 4, y: 2, z: 2}\n        regions:\n"
        "          - {anchor: {x: 1}, dims: {x: 2, y: 2, z: 2}, nodes: 'm[1-8]'}\n",
        "- topology: r\n  ring: {rings: [{ring: r1, nodes: 'a[1-4]'}, {ring: r2, nodes: [b1, b2]}]}\n"},
       try_platform},
      {".json",
       json,
       {R"({"name": "m", "properties": {"shape": "4x3", "wrap": "torus", "x.bandwidth": "2GBps", "failed-nodes": "3"}})"},
       try_platform},
      {".csv", numbers, {"0,5,0\n2,0,0\n0,9,0\n", "from,to,bytes,messages\n0,1,5,1\n1,2,9,3\n"}, try_matrix},
      {".dat", numbers, {problem}, try_matrix},
      {".graph", numbers, {"3 2 001\n2 5\n1 5 3 9\n2 9\n"}, try_matrix}};
}

}  // namespace

int main(int argc, char** argv) {
  return fuzzing::fuzz_files(argc, argv, "broken machines and matrices", kinds());
}
