#pragma once
// What a PLATFORM argument can be, and the machine that comes from one.

#include "platforms/description.hpp"
#include "platforms/machine.hpp"
#include "platforms/xml.hpp"

namespace toroid::platforms {

/// The description that a PLATFORM argument names: an inline kind with its shape (`mesh:8x8`, `tpu-v5p:4x4x8`), a
/// preset (`bigben`) or an XML file, each with more properties after it: `mesh:8x8,x.wrap=torus`,
/// `bigben:y.bandwidth=2GBps`; or Slurm's topology.yaml, where `topology` and `torus` may name a part of it:
/// `topology.yaml:torus=pod1`. `choose` says which value each interval has. Throws InputError.
Description describe(std::string_view text, const Choose& choose = best_estimate);

/// The intervals of a PLATFORM argument, and of the file that it reads, in the order in which they are set; without
/// those whose property is set again by what comes after them.
std::vector<PropertyInterval> intervals_of(std::string_view text);

/// Properties in the order in which options set them: those of single dimensions come last, so that `z.wrap` holds
/// whatever sets `wrap`. Throws InputError where one is set twice, unless it is one of those that add to another.
std::vector<std::pair<std::string, std::string>> as_options_set(
    std::vector<std::pair<std::string, std::string>> properties);

/// A PLATFORM argument with `properties` set on it, as `--set` and the like do; they are in the order of
/// as_options_set(), and it throws likewise.
std::string with_properties(std::string_view platform,
                            const std::vector<std::pair<std::string, std::string>>& properties);

/// The full names of the properties that a PLATFORM argument sets on what it names, as `router.vcs` of
/// `mesh:8x8,router.vcs=4`; none of a text that is no such argument.
std::vector<std::string> properties_in(std::string_view platform);

/// Whether a path is that of a topology.yaml of Slurm, by its end: .yaml or .yml.
bool is_topology_file(std::string_view path);

/// Whether a path is that of a machine as `platform show --json` writes it, by its end: .json.
bool is_json_file(std::string_view path);

/// Finds everything that is wrong or odd in a file with a machine: of XML all errors, of other files the first.
CheckedXml check_file(const std::string& path);

/// The file that a PLATFORM argument reads; empty if none.
std::string platform_file(std::string_view text);

struct InlinePlatform {
  std::string_view name, help;
  std::string_view example = "8x8";  ///< a shape
};
const std::vector<InlinePlatform>& inline_platforms();

std::vector<std::string> preset_names();

/// Whether an inline kind or a preset has this name.
bool is_platform_name(std::string_view name);

/// A PLATFORM argument, as describe() takes it.
class MachineSource {
 public:
  /// Implicit, so that a text may stand where a source is wanted. Throws InputError unless there is such a kind, preset
  /// or file, and a kind or preset has such properties and values; files are not read.
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> MachineSource(const Text& text)
      : text_(std::string_view(text)) {
    check();
  }

  const std::string& text() const { return text_; }
  /// What describe() makes of the argument. Throws InputError where the machine cannot be read.
  Description describe(const Choose& choose = best_estimate) const;
  /// The machine whose intervals have their best estimates. Throws likewise, and where there is no best estimate.
  Machine machine() const { return Machine(describe()); }
  /// The intervals of the argument and of its file (intervals_of()).
  std::vector<PropertyInterval> intervals() const;

  friend bool operator==(const MachineSource&, const MachineSource&) = default;

 private:
  void check() const;

  std::string text_;
};

/// A machine that comes with toroid: platforms/presets/*.xml, built into the program.
struct Preset {
  std::string_view name;  ///< the name of its file, without .xml
  std::string_view xml;
};

/// All presets, sorted by name.
const std::vector<Preset>& presets();

/// One generation of TPUs, by what follows `tpu-`: v2, v3, v4, v5e, v5p, v6e, v7.
struct SliceFamily {
  std::string_view name;     ///< `tpu-v5p`
  std::string_view example;  ///< a shape
  std::size_t axes;          ///< 2 or 3, of chips
  std::int32_t longest;      ///< the most chips along an axis
  std::int32_t most_chips;   ///< of a slice
  double link_bandwidth;     ///< bytes/s of a link one way, as the vendor says
  double speed;              ///< flop/s of a chip, the bf16 peak
  /// Bytes/s one way between the two cores of a chip, which are devices of their own then, along the dimension `core`.
  /// A core has half of each link of its chip. 0: a chip is one device.
  double between_cores = 0;
  std::string help = {};  ///< all of this in a line
};

const std::vector<SliceFamily>& slice_families();

/// The slice of a shape of chips: `4x4x8`, or `4x4x8_twisted`. Three-dimensional slices are made of cubes of 4 x 4 x 4
/// chips, which optical switches join: if all sides are multiples of 4 all wrap, otherwise none does. Two-dimensional
/// ones wrap along the axes that are as long as the pod. Twisted are n x n x 2n and n x 2n x 2n: a wrap of a short axis
/// moves n along the long ones. Throws InputError on shapes that the generation does not have.
Description slice(const SliceFamily& family, std::string_view shape);

}  // namespace toroid::platforms
