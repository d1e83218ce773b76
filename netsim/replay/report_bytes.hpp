#pragma once
// Parts of results as bytes for another process of the same program (core/bytes.hpp). Each function hands all fields to
// an archive that writes or reads them: one list for both ways.

#include <type_traits>

#include "netsim/replay_report.hpp"

namespace toroid::netsim {

template <class Archive, class AnActivity>
void exchange_activity(Archive&& archive, AnActivity& activity) {
  archive(activity.window);
  archive(activity.windows);
  archive(activity.seconds);
  auto count = activity.collectives.size();
  archive(count);
  if constexpr (!std::is_const_v<AnActivity>) activity.collectives.resize(count);
  for (auto& waits : activity.collectives) {
    archive(waits.algorithm);
    archive(waits.seconds);
  }
}

template <class Archive, class SomeWindows>
void exchange_windows(Archive&& archive, SomeWindows& windows) {
  archive(windows.window);
  archive(windows.windows);
  archive(windows.bytes);
}

template <class Archive, class SomeSampled>
void exchange_sampled(Archive&& archive, SomeSampled& sampled) {
  bool is_there = sampled.has_value();
  archive(is_there);
  if (!is_there) return;
  if constexpr (!std::is_const_v<SomeSampled>) sampled.emplace();
  archive(sampled->wanted);
  archive(sampled->iterations);
  archive(sampled->left_out);
  archive(sampled->warm_up);
  archive(sampled->clusters);
  archive(sampled->half_width);
  archive(sampled->why_whole);
}

template <class Archive, class AReport>
void exchange_report(Archive&& archive, AReport& r) {
  archive(static_cast<std::conditional_t<std::is_const_v<AReport>, const SentMessages&, SentMessages&>>(r));
  archive(r.start);
  archive(r.runtime);
  archive(r.ranks);
  archive(r.critical_path);
  archive(r.critical_steps);
  archive(r.obstacles);
  archive(r.message_classes);
  archive(r.messages_sent);
  archive(r.charges);
  archive(r.repeated);
  exchange_sampled(archive, r.sampled);
  archive(r.left_out_on_links);
  archive(r.collectives);
  archive(r.exposed);
  exchange_activity(archive, r.activity);
  archive(r.timeline.calls);
  archive(r.timeline.phases);
  archive(r.timeline.messages);
}

}  // namespace toroid::netsim
