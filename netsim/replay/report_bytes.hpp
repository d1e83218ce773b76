#pragma once
// What a replay reported as bytes for another process of the same program (core/bytes.hpp).

#include <type_traits>

#include "netsim/replay_report.hpp"

namespace toroid::netsim {

/// Hands all fields of a report to an archive that writes or reads them: one list for both ways.
template <class Archive, class AReport>
void exchange_report(Archive&& archive, AReport& r) {
  archive(static_cast<std::conditional_t<std::is_const_v<AReport>, const Traffic&, Traffic&>>(r));
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
  archive(r.collectives);
  archive(r.exposed);
  archive(r.activity.window);
  archive(r.activity.windows);
  archive(r.activity.seconds);
  archive(r.timeline.calls);
  archive(r.timeline.phases);
  archive(r.timeline.messages);
}

}  // namespace toroid::netsim
