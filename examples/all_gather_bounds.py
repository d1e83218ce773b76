"""The time of an all-gather on tori over what the links of a node need for it, by the engines fluid and packet."""

import json
import math
import subprocess

for shape in "2x3", "4x8", "8x16", "4x32", "5x16", "3x3x5", "4x4x8", "5x6x7":
    extents = [int(extent) for extent in shape.split("x")]
    nodes, told = math.prod(extents), []
    for engine, size in ("fluid", 1e9), ("packet", 64e6):
        machine, program = f"torus:{shape},bw=10GBps,lat=0s", f"sharded:mesh={nodes},all-gather={size:.0f}"
        command = ["toroid", "simulate", machine, program, "--engine", engine, "--json", "-"]
        links = sum(1 if extent == 2 else 2 for extent in extents)  # a pair has one each way
        bound = size * (1 - 1 / nodes) / (10e9 * links)
        told.append(f"{engine} {json.loads(subprocess.check_output(command))['runtime_s'] / bound:.3f}")
    print(shape, ", ".join(told))
