#!/usr/bin/env python3
"""What a webhook costs a real kube-apiserver, over HTTP/1.1 with connections that stay open.

Usage: apiserver.py SERVER SHARED [--requests N]
Creates ConfigMaps (dry run) with 1, 8 and 32 clients: without a webhook, and with one at portcullis-server that decides with
one policy, in turns, so that both see the same machine. Prints the latencies (milliseconds), what portcullis-server itself
needed for a request, and how many connections the API server made to it. Needs the binaries of SHARED/tools/cluster.
"""
import argparse
import base64
import json
import pathlib
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests/server"), str(HERE.parent / "tests/cluster")]
from cluster import Cluster, configurations
from server import Server, make_certificate, policy

SPACE = "serve-test"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE, "labels": {"team": "red"}}}


def load(cluster, clients, count):
    """Sorted milliseconds of `count` requests by some clients at once."""
    from kube_client import Client
    times, path = [], f"/api/v1/namespaces/{SPACE}/configmaps?dryRun=All"

    def run(number):
        client = Client()
        for i in range(count // clients):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"a{number}-{i}"}, "data": {"k": "v" * 200}}
            start = time.perf_counter()
            code, got, _ = client.call("POST", path, body)
            times.append((time.perf_counter() - start) * 1000)
            if code != 201:
                raise RuntimeError(str(got))

    threads = [threading.Thread(target=run, args=(n,)) for n in range(clients)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sorted(times)


def own(server):
    sums = {kind: server.metric(f'portcullis_http_request_duration_seconds_{kind}{{path="/validate"}}') for kind in ("sum", "count")}
    return sums["sum"], sums["count"], server.metric("portcullis_connections_total")


def measure(cluster, server, hook, count):
    print(f"{'clients':>8} {'without: p50':>13} {'p99':>7} {'with: p50':>10} {'p99':>7} {'of it here':>11} {'connections':>12}")
    for clients in (1, 8, 32):
        plain, asked, spent, answered, connections = [], [], 0, 0, 0
        for _ in range(3):
            plain += load(cluster, clients, count)
            cluster.install([hook])
            time.sleep(2)
            before = own(server)
            asked += load(cluster, clients, count)
            spent, answered, connections = (x + b - a for x, a, b in zip((spent, answered, connections), before, own(server)))
            cluster.remove([hook])
            time.sleep(2)
        at = lambda times, part: sorted(times)[int(part * (len(times) - 1))]
        print(f"{clients:8} {at(plain, 0.5):13.2f} {at(plain, 0.99):7.2f} {at(asked, 0.5):10.2f} {at(asked, 0.99):7.2f} "
              f"{spent / max(answered, 1) * 1000:11.3f} {connections:12.0f}  ({answered:.0f} requests)")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("server")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("--requests", type=int, default=640)
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        cluster, server = Cluster(args.shared, place), None
        try:
            cluster.client.call("POST", "/api/v1/namespaces", NAMESPACE)
            make_certificate(place / "certs")
            (place / "p.yaml").write_text(policy("named", "request.name != 'bad'") + json.dumps(NAMESPACE), encoding="utf-8")
            server = Server(place, "-p", place / "p.yaml", program=args.server)
            hook = configurations(server, base64.b64encode((place / "certs/tls.crt").read_bytes()).decode())[1]
            load(cluster, 4, 100)
            measure(cluster, server, hook, args.requests)
        finally:
            if server is not None:
                server.end()
            cluster.close()
    return 0


sys.exit(main())
