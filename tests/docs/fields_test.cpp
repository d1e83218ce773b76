// The table of the fields of results (cli/result_fields.hpp) beside real documents: the table tells all fields that
// documents have and no others, and what their values are. All documents are valid by the JSON Schema, too.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/support.hpp"
#include "toroid/core/fields.hpp"

namespace toroid::test {
namespace {

using core::Json;

/// The table, held to documents.
class Fields {
 public:
  explicit Fields(Json listed) : listed_(std::move(listed)) {
    for (const auto& entry : listed_.at("fields").at("entries")) {
      const auto text = [&](const char* key) { return std::string_view(entry.at(key).get_ref<const std::string&>()); };
      if (table_.empty() || table_.back().name != text("kind")) table_.push_back({text("kind"), {}});
      table_.back().fields.push_back({text("name"), text("type"), text("help")});
      if (text("name") != "...") unseen.emplace(text("kind"), text("name"));
    }
  }

  void check(const Json& document, std::string_view object) {
    const auto see = [&](const auto& of, const auto& field) { unseen.erase({of.name, field.name}); };
    try {
      core::check_document(document, object, table_, see);
    } catch (const core::InputError& error) {
      FAIL_CHECK(object << ": " << error.what());
    }
    documents.append(object).append("\t").append(core::json_text(document)).append("\n");
  }

  std::string documents;  ///< those that were checked, a line each, behind their kinds
  std::set<std::pair<std::string_view, std::string_view>> unseen;  ///< objects and fields that no document had

 private:
  const Json listed_;
  std::vector<core::ObjectText> table_;
};

TEST_CASE("The table of fields tells all fields of results, no others, and what their values are") {
  const Scratch scratch;
  const auto captured = scratch.write(
      "captured", "toroid trace 4\nranks 1\ncomputation timed clock=wall ranks=4 cores=2\nrank 0\nc5\nend\n");
  const auto graph = scratch.write(
      "graph.json", R"({"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 3}, {"Id": 2, "NodeType": 7}]})");
  const auto times = scratch.write("times.csv",
                                   "from,to,bytes,us\n0,1,8,1.5\n0,1,1048576,213\n0,3,8,1.8\n0,3,1048576,214\n"
                                   "0,15,8,2.2\n0,15,1048576,215\n");
  const auto collectives =
      scratch.write("collectives.csv",
                    "collective,algorithm,bytes,us\nbarrier,,3,1\nbcast,binomial,8,9\nbcast,binomial,65536,90\n"
                    "allreduce,ring,8,30\nallreduce,ring,65536,120\n");
  const auto log = scratch.write("three.swf",
                                 "1 0 -1 100 10 -1 -1 10 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "2 10 -1 50 16 -1 -1 16 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "3 20 -1 30 4 -1 -1 4 40 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto bad = scratch.write("bad.xml",
                                 "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id='a' routing='Full'>"
                                 "<prop id='shape' value='4xx'/></zone></platform>\n");
  const auto deadlock = scratch.write("deadlock.ti", "0 recv 1 0 8\n1 recv 0 0 8\n");
  std::string varied;
  for (int i = 0; i < 300; ++i)
    for (int rank = 0; rank < 2; ++rank)
      varied += std::to_string(rank) + " compute " + std::to_string(100000 + 7919 * i % 5003) + "\n" +
                std::to_string(rank) + " barrier\n";
  const auto sampled = scratch.write("varied.ti", varied) + " --compute trace --engine fluid --repeats sample";
  const auto batch = scratch.write("runs.jsonl",
                                   "{\"platform\": \"mesh:2x2\", \"trace\": \"stencil:grid=2x2\", \"id\": 7}\n"
                                   "{\"platform\": \"mesh:2x2\", \"trace\": \"no such trace\"}\n");
  const std::string narrow =
      "mesh:4x4,bandwidth=50GBps,latency=200ns";  // with buffers for which engine packet has remarks
  const std::string small = " --engine packet:buffer=512";
  const std::string fluid = " --engine fluid";
  const std::vector<std::pair<std::string, std::string>> commands{
      {"run", "simulate mesh:4x4 stencil:grid=4x4 --verify --critical-path-csv /dev/null --explain" + fluid},
      {"run", "simulate mesh:4x4 stencil:grid=4x4,steps=2 --explain --at '1us:set bandwidth=x2'" + fluid},
      {"run", "simulate torus:4x4 stencil:grid=4x4,steps=50 --map auto:budget=1 --windows 0" + fluid},
      {"run", "simulate tpu-v4:4x4x4 llm:model=llama2-7b,layers=4 --compute trace" + fluid},
      {"run", "simulate mesh:2 " + sampled},
      {"comparison", "compare mesh:2 torus:3 --map consecutive --no-verify --trace " + sampled},
      {"run", "simulate " + narrow + " ft:class=S,ranks=16,iterations=1" + small},
      {"run", "simulate mesh:4x4,bandwidth=1..2GBps stencil:grid=4x4 --uncertainty 3" + fluid},
      {"comparison",
       "compare mesh:4x4,x.bandwidth=1..2GBps --trace stencil:grid=4x4,steps=1 --map snake consecutive --no-verify"
       " --uncertainty 3"},
      {"comparison",
       "compare mesh:4x4,bandwidth=0.5..1.4GBps torus:4x4 --trace stencil:grid=4x4,steps=1 --map consecutive"
       " --no-verify --uncertainty 9"},
      {"comparison",
       "compare mesh:4x4,bandwidth=1..2GBps --trace stencil:grid=2x2,steps=1 --map snake consecutive --alloc curve "
       "mc1x1"
       " --collectives mpi torus --no-verify --uncertainty 3 --baseline snake"},
      {"several jobs", "simulate " + narrow + " --job stencil:grid=2x2 --job stencil:grid=2x2,name=other" + small},
      {"several jobs",
       "simulate mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=2x2,name=other --explain"
       " --at '1us:set bandwidth=x2'" +
           fluid},
      {"several jobs", "simulate mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=2x2,name=other"},
      {"several jobs", "simulate mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=2x2,name=other --explain" + fluid},
      {"mapping", "map mesh:4x4 stencil:grid=4x4 --map random"},
      {"mapping", "map mesh:4x4 stencil:grid=4x4 --map auto:budget=1"},
      {"trace", "trace info stencil:grid=4x4"},
      {"trace", "trace info cg:class=S,ranks=16"},
      {"trace", "trace info " + captured},
      {"trace", "trace info " + graph},
      {"machine", "platform show torus:4x4,injection=1GBps"},
      {"check", "platform check " + bad},
      {"calibration", "calibrate mesh:4x4 " + times},
      {"collective calibration", "calibrate collectives mesh:4x4 " + collectives + " --fit overhead --without bytes=3"},
      {"program calibration", "calibrate program ep --from ep:class=S,ranks=8@class=S"},
      {"program calibration", "calibrate program stencil:grid=4x4 --from stencil:grid=4x4"},
      {"comparison",
       "compare mesh:4x4 --trace cg:class=S,ranks=16,iterations=1 --map random consecutive quick --repeat 3"
       " --engines fluid packet --baseline random"},
      {"comparison", "compare " + narrow +
                         " torus:4x4 --trace stencil:grid=4x4,steps=1 --map random --repeat 3"
                         " --engines fluid packet:buffer=512 --no-verify"},
      {"comparison",
       "compare mesh:4x4 --trace stencil:grid=4x4,steps=1 traffic:grid=4x4,messages=5 --map random"
       " --repeat 3 --engines fluid packet --no-verify"},
      {"comparison",
       "compare mesh:4x4 --trace traffic:grid=4x4,pattern=tornado --map snake consecutive"
       " --engines fluid packet:routing=adaptive --no-verify"},
      {"comparison",
       "compare " + narrow + " --trace stencil:grid=4x4,steps=1 --map quick --what-if bandwidth=x2" + small},
      {"comparison",
       "compare tpu-v4:4x4x4 --trace llm:model=llama2-7b,layers=4,steps=1"
       " llm:model=llama2-7b,layers=4,tensor=8,data=2,steps=1 --map consecutive --no-verify" +
           fluid},
      {"comparison",
       "compare mesh:4x4 --trace stencil:grid=2x2,steps=1 --alloc curve mc1x1 --busy random:0.5 --repeat 3 --what-if"
       " bandwidth=x2 --engines fluid packet --collectives mpi torus --no-verify"},
      {"comparison",
       "compare tpu-v4:4x4x4 --trace llm:model=llama2-7b,layers=4,steps=1"
       " llm:model=llama2-7b,layers=4,tensor=8,data=2,steps=1 --map consecutive snake --alloc curve --no-verify"
       " --collectives torus mpi" +
           fluid},
      {"comparison",
       "compare mesh:4x4,bandwidth=1..2GBps --trace ft:class=S,ranks=16,iterations=1 --map consecutive --no-verify"
       " --collectives mpi torus smpi --engines fluid packet --uncertainty 3 --baseline mpi"},
      {"comparison",
       "compare tpu-v5e:2x2 tpu-v5e:2x4 --paired --trace llm:layers=1,tensor=1,pipeline=1"
       " llm:layers=1,tensor=1,pipeline=1,data=8 --map consecutive --no-verify" +
           fluid},
      {"slice advice", "advise tpu-v5e tpu-v6e llm:model=gpt-1.7b,recompute=full --chips 4 --batch 4"},
      {"advice", "advise mesh:4x4 ft:class=S,ranks=16,iterations=2 --map mj --repeat 1"},
      {"advice",
       "advise mesh:8x8 lu:class=A,ranks=64,iterations=40 " + deadlock + " --map geom --repeat 2 --budget 1s"},
      {"log advice", "advise mesh:4x4 " + log + " --alloc consecutive submesh as-logged"},
      {"log advice", "advise mesh:4x4 derose:jobs=20,side=4 --alloc consecutive curve --repeat 2"},
      {"schedule", "schedule mesh:4x4 derose:jobs=20,side=4 --alloc mc1x1 --at '5s:fail-node 3 until 9s'"},
      {"schedule",
       "schedule mesh:4x4 " + log + " --times epochs --program 'stencil:grid={square} rounds logged' --windows 4"},
      {"schedule",
       "schedule mesh:4x4 derose:jobs=60,side=4 --times replayed --program 'ep:ranks=1,class=S if size=1'"
       " --program 'stencil:grid=2,steps=2 if size=2-3' --program 'stencil:grid=2x2,steps=2' --alloc random"},
      {"schedule", "schedule mesh:8x8 derose:jobs=40,side=4 --alloc leak"},
      {"schedule",
       "schedule mesh:4x4,router.vcs=4 derose:jobs=3,side=4 --times replayed --program 'ep:ranks={size},class=S'"},
      {"sweep", "schedule mesh:4x4 " + log +
                    " --times replayed --program 'stencil:grid={square},steps=2' --alloc curve"
                    " --alloc random --repeat 2"},
      {"sweep", "schedule mesh:4x4 " + log + " --alloc curve --alloc as-logged"},
      {"sweep", "schedule mesh:4x4 " + log + " --at '5s:fail-node 3 until 9s' --and-without"},
      {"sweep", "schedule mesh:4x4 " + log +
                    " --times epochs --program 'stencil:grid={square} rounds logged' --alloc curve --alloc random"},
      {"log", "jobs info derose:jobs=20"}};
  Fields fields(Json::parse(run_toroid("list fields --json -").out));
  for (const auto& [document, command] : commands) {
    const auto run = run_toroid(command + " --json -");  // which may fail in part
    INFO(command << "\n" << run.err);
    REQUIRE(!run.out.empty());
    fields.check(Json::parse(run.out), document);
  }
  const auto answers = run_toroid("batch " + batch).out;
  for (std::size_t at = 0, end; (end = answers.find('\n', at)) != std::string::npos; at = end + 1)
    fields.check(Json::parse(answers.substr(at, end - at)), "batch line");
  for (const auto& [object, name] : fields.unseen) FAIL_CHECK("no document has the field " << name << " of " << object);

  if (run_script("python3 -c 'import jsonschema'").exit_code != 0) {
    WARN("skipped: python3 has no jsonschema");
    return;
  }
  const auto validated = run_script("python3 '" + source_folder() + "/tests/docs/validate.py' '" +
                                    scratch.write("schema.json", run_toroid("pages schema").out) + "' '" +
                                    scratch.write("documents", fields.documents) + "'");
  CHECK(validated.out == "");
  CHECK(validated.exit_code == 0);
}

}  // namespace
}  // namespace toroid::test
