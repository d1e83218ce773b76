#pragma once
// Machines and traces that several runs of one command share, so that each is made or read once.

#include <list>

#include "cli/config.hpp"
#include "core/inputs.hpp"
#include "toroid/platforms/load.hpp"
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
  std::shared_ptr<const Thing> get(const std::string& name, const Make& make) {
    const auto found = std::ranges::find_if(places_, [&](const Place& p) { return p.name == name; });
    if (found != places_.end()) {
      for (const auto& file : found->files) core::Inputs::enter(file);
      places_.splice(places_.begin(), places_, found);
      return found->thing;
    }
    const core::Inputs read;
    Place place{name, make(), {}};
    for (const auto& file : read.files()) place.files.push_back(file.path);
    TOROID_ASSERT(place.thing != nullptr);
    places_.push_front(std::move(place));
    trim();
    TOROID_ASSERT(!places_.empty() && places_.size() <= most_things && places_.front().name == name);
    return places_.front().thing;
  }

 private:
  static constexpr std::size_t most_things = 64;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
  struct Place {
    std::string name;
    std::shared_ptr<const Thing> thing;
    std::vector<std::string> files;
  };
  void trim() {
    std::uint64_t bytes = bytes_(*places_.front().thing);
    for (auto place = std::next(places_.begin()); place != places_.end(); ++place) {
      bytes += bytes_(*place->thing);
      if (bytes > most_bytes) {
        places_.erase(place, places_.end());
        return;
      }
    }
    if (places_.size() > most_things) places_.pop_back();
  }

  Bytes bytes_;
  std::list<Place> places_;  ///< the one asked for last first
};

class Kept {
 public:
  /// The machine that a PLATFORM argument stands for. Throws as platforms::make_machine().
  std::shared_ptr<const platforms::Machine> machine(const std::string& platform) {
    return machines_.get(platform,
                         [&] { return std::make_shared<const platforms::Machine>(platforms::make_machine(platform)); });
  }
  /// Where the values of that machine are from: its element of provenance_json(), in a list.
  std::shared_ptr<const core::Json> provenance(const std::string& platform) {
    return provenances_.get(platform, [&] { return std::make_shared<const core::Json>(provenance_json({platform})); });
  }
  /// The trace of a TRACE argument. Throws as TraceSource::open().
  std::shared_ptr<const workloads::Trace> trace(const workloads::TraceSource& source) {
    return traces_.get(source.text(), [&] { return std::shared_ptr<const workloads::Trace>(source.open()); });
  }

 private:
  Shelf<platforms::Machine> machines_{[](const platforms::Machine&) { return 0; }};
  Shelf<core::Json> provenances_{[](const core::Json&) { return 0; }};
  Shelf<workloads::Trace> traces_{[](const workloads::Trace& trace) { return trace.memory_bytes(); }};
};

}  // namespace toroid::cli
