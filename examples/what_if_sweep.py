"""What would faster links along one dimension bring? One mapping on a hundred machines that differ in nothing else."""

import toroid

trace = toroid.trace("stencil:grid=4x4x4,bytes=64KiB")
base = toroid.machine("torus:8x8", bandwidth="1GBps")
mapping = toroid.map(base, trace, "mj", seed=1)

print("factor  run time [us]")
for step in range(1, 101):
    factor = step / 50
    machine = toroid.machine(base, **{"y.bandwidth": f"x{factor}"})
    result = toroid.simulate(machine, trace, mapping, engine="fluid")
    if step % 20 == 0:
        print(f"{factor:6.1f}  {result.runtime * 1e6:.1f}")
