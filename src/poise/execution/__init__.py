"""Many independent jobs, behind one interface: in threads, in watched processes, on a cluster.

```python
from poise.execution import Limits, Supervised

with Supervised(workers=2, limits=Limits(seconds=600)) as executor:
    for ended in executor.run(work, jobs):
        ...
```
"""

from poise.execution.dask_cluster import OnDask as OnDask
from poise.execution.dask_worker import ClusterProblem as ClusterProblem
from poise.execution.job import Ended as Ended
from poise.execution.job import Executor as Executor
from poise.execution.job import JobLost as JobLost
from poise.execution.job import JobRaised as JobRaised
from poise.execution.job import Limits as Limits
from poise.execution.supervised import Supervised as Supervised
from poise.execution.threads import Threads as Threads
from poise.one_line import show_records as _show_records

_show_records(globals())
