#pragma once
// What a PLATFORM argument can be, and the machine that comes from one.
//
//   platforms::MachineSource("torus:8x8,bandwidth=4.5..5.2GBps").intervals()  // one: what nobody knows exactly

#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {

struct CheckedXml;

// Properties of a machine that are known to lie between two values, written in the place of one value:
// `bandwidth=4.5..5.2GBps`, or `4.5..5.05..5.2GBps` with the best estimate in the middle. A description has one value
// of each property; whoever makes one of a text with intervals says which value each interval has.

struct PropertyInterval {
  std::string property;  ///< its full name: `bandwidth`, `x.latency`, `router.vcs`
  Quantity quantity = Quantity::count;
  double low = 0, high = 0;         ///< bytes/s, seconds, flop/s, bytes, or a plain number, as the quantity says
  std::optional<double> best = {};  ///< what the author takes for the likeliest value, if the interval says so

  /// The value at this place of the interval, 0 the low end and 1 the high end; of whole numbers all are as likely
  /// where the place is uniform in [0, 1).
  double at(double place) const;
  /// The best estimate, or else the middle of the interval.
  double middle() const { return best ? *best : at(0.5); }
  /// A value, or the whole interval, as a text that reads back as the same.
  std::string text(double value) const;
  std::string text() const;
};

/// The unit of a quantity's values: `B/s`, `s`, `flop/s`, `B`, `factor`; empty for plain numbers.
std::string_view unit_of(Quantity quantity);

/// Reads the value of a property as an interval. Returns nothing where the text is none, or where the property can have
/// none: only numbers can that say how fast a part of the machine is or how large, not which nodes and links there are.
/// The last number gives its unit to those without one. Throws InputError where the ends are no values of the property,
/// or not in order.
std::optional<PropertyInterval> parse_interval(std::string_view property, std::string_view text);

/// Says which value an interval has.
using Choose = std::function<double(const PropertyInterval&)>;
/// The best estimate. Throws InputError where there is none: such a machine must be drawn.
double best_estimate(const PropertyInterval& interval);

/// The value of a property as set_property() takes it: the text, or the value that is chosen of an interval.
std::string chosen(std::string_view property, std::string_view text, const Choose& choose);

// Where machines come from.

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

/// The share of the published speed that the computation of measured trainings reached: what their times say if all
/// messages had been hidden behind it, if those were that a compiler hides at the least trouble, and if none was
/// (docs/validation/training.md). All are 1 where nobody has measured.
struct Efficiency {
  double hidden = 1, best = 1, exposed = 1;
  double deviation = 0;  ///< standard deviation of logarithms of measured over predicted times
  double byte_rate = 2;  ///< how many times as fast as bf16 matrices are multiplied in int8 or fp8

  bool is_measured() const { return deviation > 0; }
  PropertyInterval interval() const;
};

/// One generation of TPUs, by what follows `tpu-`: v2, v3, v4, v5e, v5p, v6e, v7.
struct SliceFamily {
  std::string_view name;     ///< `tpu-v5p`
  std::string_view example;  ///< a shape
  std::size_t axes;          ///< 2 or 3, of chips
  std::int32_t longest;      ///< the most chips along an axis
  std::int32_t most_chips;   ///< the most chips of a slice
  double link_bandwidth;     ///< bytes/s of a link one way, as the vendor says
  double speed;              ///< flop/s of a chip, the bf16 peak
  double memory;             ///< bytes of a chip
  double between_slices;     ///< bytes/s of a chip into the data-centre network
  Efficiency efficiency = {};
  /// Bytes/s one way between the two cores of a chip, which are devices of their own then, along the dimension `core`.
  /// A core has half of each link of its chip. 0: a chip is one device.
  double between_cores = 0;
  std::string help = {};  ///< all of this in a line
};

const std::vector<SliceFamily>& slice_families();

/// The slice of a shape of chips: `4x4x8`, or `4x4x8_twisted`. Three-dimensional slices are made of cubes of 4 x 4 x 4
/// chips, which optical switches join: if all sides are multiples of 4 all wrap, otherwise none does. Two-dimensional
/// ones wrap along the axes that are as long as the pod. Twisted are n x n x 2n and n x 2n x 2n: a wrap of a short axis
/// moves n along the long ones. `16x16_8slices` are eight slices, joined by the data-centre network along a dimension
/// `slice` around which chips of the same place send. `choose` says which efficiency counts. Throws InputError on
/// shapes that the generation does not have.
Description slice(const SliceFamily& family, std::string_view shape, const Choose& choose = best_estimate);

}  // namespace toroid::platforms
