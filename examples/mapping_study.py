"""Mappings of one program on two machines: which is fastest, is the difference significant, and what is it made of?"""

import toroid

trace = "cg:class=A,ranks=64"
machines = {"mesh": "mesh:8x8", "torus": "torus:4x4x4"}

study = toroid.compare(machines, trace, ["consecutive", "random", "multilevel"], repeat=8, verify=False)
print(study.summary[["platform", "map", "runs", "mean_s", "mean_normalized"]].to_string(index=False))
print(study.verdict)

# One of them in detail: where does its time go, and which links does it wait for?
machine = toroid.machine(machines["mesh"])
mapping = toroid.map(machine, trace, "multilevel", seed=1)
result = toroid.simulate(machine, trace, mapping, engine="fluid")
shares = {name: f"{value:.0%}" for name, value in result.critical_path.items() if name.endswith("_share")}
print(shares)
busiest = result.links.join(toroid.links(machine)["name"]).nlargest(3, "mean_utilization")
print(busiest[["name", "bytes", "mean_utilization"]].to_string(index=False))
