"""What tests of rows on a cluster share."""

import pytest


@pytest.fixture(scope="module")
def client():
    """Two worker processes of one thread each."""
    import distributed

    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings, silence_logs=50) as cluster, distributed.Client(cluster) as client:
        yield client
