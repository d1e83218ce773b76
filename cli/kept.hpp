#pragma once
// Machines and traces that several runs of one command share, so that each is made or read once.

#include <list>

#include "toroid/core/json.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::cli {

/// Things that texts stand for, those asked for last. The last one is always kept; others as long as there are at most
/// `most_things` of them with at most `most_bytes` together.
template <class Thing>
class Shelf {
 public:
  using Make = std::function<std::shared_ptr<const Thing>()>;
  using Bytes = std::function<std::uint64_t(const Thing&)>;

  explicit Shelf(Bytes bytes) : bytes_(std::move(bytes)) {}

  /// The thing of this name, which `make` makes unless it is there. The files that were read for it count as read for
  /// whoever asks (core::Inputs). Throws InputError when one of them has changed, and what `make` throws.
  std::shared_ptr<const Thing> get(const std::string& name, const Make& make);

 private:
  static constexpr std::size_t most_things = 64;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
  struct Place {
    std::string name;
    std::shared_ptr<const Thing> thing;
    std::vector<std::string> files;
  };
  void trim();

  Bytes bytes_;
  std::list<Place> places_;  ///< the one asked for last first
};

class Kept {
 public:
  /// The machine that a PLATFORM argument stands for. Throws as platforms::make_machine().
  std::shared_ptr<const platforms::Machine> machine(const std::string& platform);
  /// Where the values of that machine are from: its element of provenance_json(), in a list.
  std::shared_ptr<const core::Json> provenance(const std::string& platform);
  /// The trace of a TRACE argument. Throws as TraceSource::open().
  std::shared_ptr<const workloads::Trace> trace(const workloads::TraceSource& source);

 private:
  Shelf<platforms::Machine> machines_{[](const platforms::Machine&) { return 0; }};
  Shelf<core::Json> provenances_{[](const core::Json&) { return 0; }};
  Shelf<workloads::Trace> traces_{[](const workloads::Trace& trace) { return trace.memory_bytes(); }};
};

}  // namespace toroid::cli
