"""The fastest algorithm of collectives for each machine and program of a study that `toroid compare --json` wrote."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    study = json.load(file)
labels = study["labels"]
name = dict(zip(study["manifest"]["collectives"], labels["collectives"]))
size = dict(zip(study["manifest"]["traces"], labels["traces"]))
times = {(one["platform"], one["trace"], one["collectives"]): one["mean_s"] for one in study["summary"]}
for machine in study["manifest"]["platforms"]:
    won = []
    for trace in size:
        best = min(name, key=lambda one: times[machine, trace, one])
        won.append(f"{size[trace]} {name[best]} {1e6 * times[machine, trace, best]:.1f} us")
    print(f"{machine.split(',')[0]}: {', '.join(won)}")
