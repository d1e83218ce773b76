#pragma once

namespace toroid::cli {

/// `JOBS` as the help of every command explains it.
inline constexpr const char* jobs_help =
    "job log (SWF, Batsim's JSON, sacct, CSV), or a job stream such as derose:load=10 (toroid list jobs), with filters "
    "behind a colon: log.swf.zst:sizes=1-64,arrivals=0.5";

}  // namespace toroid::cli
