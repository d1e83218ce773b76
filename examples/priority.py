"""Slurm's multifactor priority with EASY backfilling, as a plug-in: --plugin priority.py --scheduler multifactor"""

import math

import toroid


class Multifactor:
    """Slurm's multifactor priority (age, fair share of the user, size, queue) with EASY backfilling behind it"""

    def __init__(self, *, age=1.0, fair_share=1.0, size=1.0, queue=1.0, days=7.0, urgent=-1):
        self.age, self.fair_share, self.size, self.queue, self.urgent = age, fair_share, size, queue, urgent
        self.span = days * 86400  # after which age counts no more, and use counts half
        self.users, self.runs = set(), {}  # who has submitted; (user, nodes, start, end) of what has started, by id

    def used(self, run, now):
        """node-seconds, each of which counts half after the span: the integral over the time of the run"""
        user, nodes, start, end = run
        decay = math.log(2) / self.span
        return nodes / decay * (math.exp(-decay * (now - min(end, now))) - math.exp(-decay * (now - start)))

    def priorities(self, state):
        used = {}
        for run in self.runs.values():
            used[run[0]] = used.get(run[0], 0.0) + self.used(run, state.now)
        whole = sum(used.values())
        largest = 1 if self.urgent < 0 else 2
        for job in state.queue:
            share = used.get(job.user, 0.0) / whole * len(self.users) if whole > 0 else 0.0
            yield job, (
                self.age * min(1.0, (state.now - job.submitted) / self.span)
                + self.fair_share * 2**-share
                + self.size * job.nodes / state.machine.nodes
                + self.queue * (2 if job.queue == self.urgent else 1) / largest
            )

    def __call__(self, state):
        now, running = state.now, {job.id for job in state.running}
        for job in state.queue:
            self.users.add(job.user)
            self.runs.pop(job.id, None)  # the allocator has refused it
        for id, (user, nodes, start, end) in self.runs.items():
            if id not in running and end == math.inf:
                self.runs[id] = (user, nodes, start, now)
        queue = [job for job, _ in sorted(self.priorities(state), key=lambda pair: (-pair[1], pair[0].id))]
        ends = sorted((max(job.expected_end, now), job.nodes) for job in state.running)
        free, start = state.free, []
        while queue and queue[0].nodes <= free:  # first those at the front
            start.append(queue.pop(0))
            free -= start[-1].nodes
            ends = sorted([*ends, (now + start[-1].estimate, start[-1].nodes)])
        if queue:  # then those that do not delay the first that waits
            spare, reserved = free - queue[0].nodes, now
            for end, nodes in ends:
                if spare >= 0 and end > reserved:
                    break
                spare, reserved = spare + nodes, end
            for job in queue[1:]:
                in_time = now + job.estimate <= reserved
                if job.nodes <= free and (in_time or job.nodes <= spare):
                    start.append(job)
                    free, spare = free - job.nodes, spare - (0 if in_time else job.nodes)
        self.runs.update({job.id: (job.user, job.nodes, now, math.inf) for job in start})
        return [job.id for job in start]


toroid.register_scheduler("multifactor", Multifactor)
