"""A cluster in events: one scheduler, workers of one thread, messages that take their time.

The scheduler does one thing at a time: handing out a task takes it `scheduler` seconds. A free worker gets the next
run, of which it reads every row. As soon as both summaries of a pair are there an addition is handed out to the
worker that has the right one; the left one travels there unless it is there already. Travelling takes nobody's thread.
"""

from __future__ import annotations

import heapq
import math
from collections import deque

from acumen.engines.blocks import BLOCK_ROWS


def simulated(work, cluster, level):
    """(seconds, tasks, bytes moved) of all passes, one after the other."""
    one = _one_pass(work, cluster, level)
    return one[0] * work.passes, one[1] * work.passes, one[2] * work.passes


def _one_pass(work, cluster, level):
    size = BLOCK_ROWS << level
    runs = -(-work.rows // size)
    lasts = [min(size, work.rows - run * size) * work.row_bytes / cluster.rate for run in (0, runs - 1)]
    travel = cluster.latency + work.summary_bytes / cluster.network
    unread = 0
    adding: deque[tuple[int, int]] = deque()  # pairs whose summaries are both there: (height, place)
    there: dict[tuple[int, int], int] = {}  # summaries by height and place: at which worker
    idle = deque(range(min(cluster.workers, runs)))
    events: list[tuple[float, int, str, tuple]] = []
    now, count, tasks, moved, busy_until = 0.0, 0, 0, 0.0, 0.0
    tops = {height: math.ceil(runs / (1 << height)) for height in range(runs.bit_length() + 1)}

    def at(time, what, *more):
        nonlocal count
        count += 1
        heapq.heappush(events, (time, count, what, more))

    def arrived(height, place, worker):
        """A summary is there; where it has no other half it is that of the run twice as long, too."""
        while tops[height] > 1 and place % 2 == 0 and place == tops[height] - 1:
            height, place = height + 1, place // 2
        there[height, place] = worker
        if tops[height] > 1 and (height, place ^ 1) in there:
            adding.append((height, place // 2))

    at(0.0, "look")
    waiting = True  # whether the scheduler will look again of itself
    end = 0.0
    while events:
        now, _, what, more = heapq.heappop(events)
        if what == "read":
            run, worker = more
            idle.append(worker)
            arrived(0, run, worker)
        elif what == "added":
            arrived(*more)
        elif what == "look":
            waiting = False
        end = max(end, now)
        if waiting or now < busy_until:
            if not waiting:
                waiting = True
                at(busy_until, "look")
            continue
        if adding:
            height, pair = adding.popleft()
            left, right = there.pop((height, 2 * pair)), there.pop((height, 2 * pair + 1))
            apart = left != right
            moved += apart * work.summary_bytes
            at(now + cluster.scheduler + apart * travel, "added", height + 1, pair, right)
        elif unread < runs and idle:
            worker = idle.popleft()
            at(now + cluster.scheduler + lasts[unread == runs - 1], "read", unread, worker)
            unread += 1
        else:
            continue
        tasks += 1
        busy_until = now + cluster.scheduler
        waiting = True
        at(busy_until, "look")
    assert len(there) == 1 and tasks == 2 * runs - 1
    return end, tasks, moved + work.summary_bytes
