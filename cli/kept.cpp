#include "cli/kept.hpp"

#include "cli/config.hpp"
#include "core/inputs.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::cli {

template <class Thing>
std::shared_ptr<const Thing> Shelf<Thing>::get(const std::string& name, const Make& make) {
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

template <class Thing>
void Shelf<Thing>::trim() {
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

std::shared_ptr<const platforms::Machine> Kept::machine(const std::string& platform) {
  return machines_.get(platform,
                       [&] { return std::make_shared<const platforms::Machine>(platforms::make_machine(platform)); });
}

std::shared_ptr<const core::Json> Kept::provenance(const std::string& platform) {
  return provenances_.get(platform, [&] { return std::make_shared<const core::Json>(provenance_json({platform})); });
}

std::shared_ptr<const workloads::Trace> Kept::trace(const workloads::TraceSource& source) {
  return traces_.get(source.text(), [&] { return std::shared_ptr<const workloads::Trace>(source.open()); });
}

}  // namespace toroid::cli
