// The fields of what map and trace info write.

#include "cli/result_fields/parts.hpp"

namespace toroid::cli {

std::vector<ResultObject> fields_of_programs() {
  return {
      // toroid map
      {"mapping",
       {version,
        {"...", "fields of traffic",
         "messages and bytes are those between different ranks; a matrix without numbers of messages counts one for "
         "each pair"},
        {"...", "fields of loads", "on the routes that messages take"},
        {"costs", "number by name", "one for each cost that mappers can minimize"},
        {"mapping", "list of count", "the node of each rank"},
        {"notes", "list of text",
         "only if there are some: what the mapper says of its work, such as the grid that it found"},
        manifest}},
      // toroid trace info
      {"trace",
       {version,
        {"begins", "text",
         "where the first operation of rank 0 stands: file and line; or the generator, with its iterations "
         "if they are not all"},
        {"ranks", "count", "number of ranks"},
        {"operations", "count", "of all ranks; init and finalize do not count"},
        {"operations_by_kind", "count by name", "how many of each kind that occurs"},
        {"collective_bytes", "bytes by name",
         "of each kind of collective that occurs, the bytes that all ranks hand in: the message of a broadcast, at its "
         "root; "
         "the vector of a reduction; blocks for all members of an all-to-all. What is sent depends on the algorithms"},
        {"messages", "count",
         "point-to-point messages sent, without those of collectives, including messages to oneself"},
        {"bytes", "bytes", "of these messages"},
        {"self_messages", "count", "messages to oneself among them"},
        {"bytes_max_rank", "bytes", "sent by the rank that sends most"},
        {"partners_min", "count", "other ranks that a rank sends point-to-point messages to, at least"},
        {"partners_mean", "number", "the same on average"},
        {"partners_max", "count", "the same at most"},
        {"grid", "grid", "of the point-to-point messages"},
        {"flops", "number", "sum over all ranks; of a captured trace nanoseconds, or instructions if it counted them"},
        {"slept_s", "seconds", "sum over all ranks"},
        {"recorded", "recording or null", "how computation was measured that toroid capture has recorded"},
        {"memory_bytes", "bytes", "memory that holds the trace; 0 for a generator"},
        {"memory_bytes_per_operation", "number", "that over the operations"}}},
      {"recording",
       {{"clock", "text", "wall, cpu or instructions"},
        {"ranks", "count", "on the machine that was fullest"},
        {"cores", "count", "that these ranks could use; where they are fewer, ranks waited for cores"}}},
      {"grid",
       {{"extents", "list of count", "of the grid that the traffic looks like"},
        {"periodic", "list of yes or no", "for each axis"},
        {"near_bytes", "share", "of the bytes between ranks at most one step apart along each axis"},
        {"text", "text", "the grid in words"},
        {"reason", "text", "only where there is no grid: why"}}}};
}

}  // namespace toroid::cli
