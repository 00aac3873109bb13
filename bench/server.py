#!/usr/bin/env python3
"""Measures portcullis-server on this machine: latency and throughput, the engine's share, memory, reloads, the end, a restart.

Usage: server.py SERVER LOAD SHARED [--seconds S] [--long N] [PART...]    (LOAD: build/bench/load)
Fifty policies, no two alike, decide the 1.6 kB Pod of SHARED/bench/make_requests.py over TLS, on connections that stay
open. The server has one processor and its client the other, but for the parts that say both. Parts (default: all):
  closed    each connection sends its next request after its answer: one, eight, 64 connections
  both      the same with two threads, which share both processors with the client
  open      requests are due at fixed times, whether earlier ones are answered or not
  memory    resident memory during N requests (--long, default 1,000,000)
  reloads   200 reloads and 20 certificates during load: each answer is that of one of the two sets
  cluster   the same with an API server that changes policies, params and namespaces, and is away for a while
  end       SIGTERM with --shutdown-delay during load: each request is answered
  restart   kill -9; time from the start to the first decision with 100 policies
Times are in microseconds. All answers are compared; ends with status 1 if one is wrong or lost, never for a time, since
the machine may be busy.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/server"))
from fake_cluster import BINDINGS, CONFIGMAPS, NAMESPACES, POLICIES, FakeCluster, leave
from server import Server, make_certificate, write

WRONG = []


def review_of(pod):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "operation": "CREATE", "name": pod["metadata"]["name"],
        "namespace": pod["metadata"]["namespace"], "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "userInfo": {"username": "system:serviceaccount:kube-system:replicaset-controller",
                     "groups": ["system:serviceaccounts", "system:authenticated"]},
        "object": pod, "oldObject": None, "dryRun": False, "options": None}}


class Bench:
    def __init__(self, args, place):
        sys.path.insert(0, str(args.shared / "bench"))
        import make_requests
        self.make, self.args, self.place = make_requests, args, place
        self.body = place / "review.json"
        self.body.write_text(json.dumps(review_of(make_requests.POD), separators=(",", ":")), encoding="utf-8")
        (place / "policies").mkdir()
        make_certificate(place / "certs")
        self.write_policies(50)

    def write_policies(self, count, name=None):
        """`name`: the Pod of this name is denied."""
        made = [o for i in range(count) for o in (self.make.policy(f"p{i}", self.make.distinct(i)), self.make.binding(f"b{i}", f"p{i}"))]
        if name:
            made += [self.make.policy("named", f"object.metadata.name != '{name}'"), self.make.binding("named", "named")]
        write(self.place / "policies/p.yaml", "\n---\n".join(map(json.dumps, made)))

    def serve(self, *options, processors="0", threads=1, source=None):
        server = Server(self.place, *(source or ("-p", self.place / "policies")), "--threads", threads, "--log-denials", 0, *options,
                        program=self.args.server)
        os.sched_setaffinity(server.process.pid, [int(p) for p in processors.split(",")])
        for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), [int(p) for p in processors.split(",")])
        return server

    def start_load(self, server, *options, processors="1"):
        return subprocess.Popen(["taskset", "-c", processors, self.args.load, str(server.port), str(self.body), *map(str, options)],
                                stdout=subprocess.PIPE, text=True)

    def load(self, server, *options, processors="1", answers=1):
        return self.finish(self.start_load(server, *options, processors=processors), answers)

    def finish(self, process, answers=1):
        """The result, whose answers must be `answers` different ones, all of status 200."""
        out = json.loads(process.communicate()[0])
        got = out.pop("answers")
        out["sets"] = len(got)
        if out["failures"] or len(got) > answers or not all(text.startswith("200 ") for text in got):
            WRONG.append(f"{out['failures']} {dict(list(got.items())[:4])}")
        return out


def show(name, r):
    print(f"{name:34} {r['perSecond']:8.0f}/s   p50 {r['p50']:7.0f}   p99 {r['p99']:7.0f}   p99.9 {r['p999']:7.0f}   max {r['max']:8.0f}")


def used(server):
    """Seconds of the processor, in all and in the policies, and decisions."""
    text = server.status("/metrics")[1]
    values = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}
    engine = sum(v for k, v in values.items() if k.startswith("apiserver_admission_controller_admission_duration_seconds_sum"))
    count = sum(v for k, v in values.items() if k.startswith("apiserver_admission_controller_admission_duration_seconds_count"))
    return values["process_cpu_seconds_total"], engine, count


def closed(bench):
    server = bench.serve()
    bench.load(server, "--seconds", 1)  # warm
    for connections in (1, 8, 64):
        before = used(server)
        result = bench.load(server, "--connections", connections, "--seconds", bench.args.seconds)
        processor, engine, count = (a - b for a, b in zip(used(server), before))
        show(f"closed, {connections} connections", result)
        print(f"{'':34} a request takes {processor / count * 1e6:.1f} of the server's processor, of these {engine / count * 1e6:.1f}"
              f" in the policies ({engine / processor:.0%})")
    server.end()


def both(bench):
    server = bench.serve(processors="0,1", threads=2)
    bench.load(server, "--seconds", 1, processors="0,1")
    for connections in (8, 64):
        show(f"closed, both, {connections} connections",
             bench.load(server, "--connections", connections, "--seconds", bench.args.seconds, processors="0,1"))
    server.end()


def open_loop(bench):
    server = bench.serve()
    bench.load(server, "--seconds", 1)
    for rate in (1000, 5000, 10000):
        before = used(server)
        result = bench.load(server, "--connections", 64, "--rate", rate, "--seconds", bench.args.seconds)
        show(f"open, {rate} due in a second", result)
        print(f"{'':34} the server's processor is busy for {(used(server)[0] - before[0]) / result['seconds']:.0%} of the time")
    server.end()


def memory(bench):
    server = bench.serve()
    sizes, part = [], bench.args.long // 10
    for _ in range(10):
        bench.load(server, "--requests", part, "--renew", 1000)
        sizes.append(server.metric("process_resident_memory_bytes") / (1 << 20))
    print(f"memory, each {part} requests:        {' '.join(f'{s:.1f}' for s in sizes)} MiB")
    if sizes[-1] > sizes[1] * 1.05 + 1:
        WRONG.append(f"memory grows: {sizes}")
    server.end()


def reloads(bench):
    bench.write_policies(50, "nobody")
    server = bench.serve(processors="0,1", threads=2)
    loads = [bench.start_load(server, "--seconds", 90, "--connections", 8, *more, processors="0,1")
             for more in ((), ("--renew", 3))]
    wanted = server.metric('portcullis_policy_reloads_total{result="success"}')
    for number in range(200):
        bench.write_policies(50, ("web-1", "nobody")[number % 2])
        if number % 10 == 0:
            make_certificate(bench.place / "certs", f"localhost{number}")
        wanted += 1
        server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="success"}') >= wanted, f"reload {number}", 120)
        wanted = server.metric('portcullis_policy_reloads_total{result="success"}')
    certificates = server.metric('portcullis_certificate_reloads_total{result="success"}')
    for process in loads:
        process.send_signal(signal.SIGINT)
    results = [bench.finish(p, answers=2) for p in loads]
    for name, r in zip(("reloads", "reloads, new connections"), results):
        show(f"{name} ({r['sets']} sets)", r)
    print(f"{'':34} {wanted:.0f} sets, {certificates:.0f} certificates, {sum(r['connections'] for r in results)} connections")
    if certificates < 20 or results[0]["sets"] != 2:
        WRONG.append(f"{certificates} certificates, {results}")
    server.end()
    bench.write_policies(50)


def fill(api, make):
    """Fifty policies, and one with a param. The namespace of the Pod comes last, so that nothing is decided before."""
    space = make.POD["metadata"]["namespace"]
    for i in range(50):
        api.put(POLICIES, make.policy(f"p{i}", make.distinct(i)))
        api.put(BINDINGS, make.binding(f"b{i}", f"p{i}"))
    api.put(POLICIES, make.policy("limited", "int(params.data.most) >= size(object.spec.containers)", params=True))
    limited = make.binding("limited", "limited", "limit")
    limited["spec"]["paramRef"]["namespace"] = space
    api.put(BINDINGS, limited)
    put_limit(api, space, 9)
    api.put(NAMESPACES, {"metadata": {"name": space, "labels": {"kubernetes.io/metadata.name": space}}})
    return space


def put_limit(api, space, most):
    api.put(CONFIGMAPS, {"metadata": {"name": "limit", "namespace": space}, "data": {"most": str(most)}})


def cluster(bench):
    api = FakeCluster(bench.place / "certs")
    space = fill(api, bench.make)
    (bench.place / "kubeconfig").write_text(api.kubeconfig(), encoding="utf-8")
    server = bench.serve(processors="0,1", threads=2, source=("--kubeconfig", bench.place / "kubeconfig"))
    loads = [bench.start_load(server, "--seconds", 120, "--connections", 8, *more, processors="0,1")
             for more in ((), ("--renew", 3))]
    sets, exchanges = 'portcullis_policy_reloads_total{result="success"}', "portcullis_cluster_data_exchanges_total"
    for number in range(20):
        loaded = server.metric(sets)
        api.put(POLICIES, bench.make.policy("p0", f"object.metadata.name != '{('web-1', 'nobody')[number % 2]}'"))
        server.wait(lambda: server.metric(sets) > loaded, f"set {number}", 120)
        exchanged = server.metric(exchanges)
        put_limit(api, space, 9 + number)
        api.put(NAMESPACES, {"metadata": {"name": f"n{number}"}})
        server.wait(lambda: server.metric(exchanges) > exchanged, f"exchange {number}", 120)
        if number % 5 == 4:
            api.cut()
        if number == 10:
            api.down()
            server.wait(lambda: server.metric("portcullis_cluster_connected") == 0, "lost", 120)
            api.up()
            server.wait(lambda: server.metric("portcullis_cluster_connected") == 1, "there again", 120)
    changes = server.metric(sets), server.metric(exchanges)
    for process in loads:
        process.send_signal(signal.SIGINT)
    results = [bench.finish(p, answers=2) for p in loads]
    for name, r in zip(("cluster", "cluster, new connections"), results):
        show(f"{name} ({r['sets']} sets)", r)
    print(f"{'':34} {changes[0]:.0f} sets, {changes[1]:.0f} exchanges of params and namespaces")
    status = server.end()
    if results[0]["sets"] != 2 or status != 0:
        WRONG.append(f"exit status {status}, {results}")
    api.down()


def end(bench):
    server = bench.serve("--shutdown-delay", "2s")
    process = bench.start_load(server, "--seconds", 10, "--connections", 16, "--rate", 2000, "--reconnect")
    time.sleep(2)
    server.process.send_signal(signal.SIGTERM)
    result = bench.finish(process)
    show("SIGTERM after two seconds", result)
    status = server.process.wait(30)
    print(f"{'':34} {result['requests']} answered, {len(result['failures'])} failed; exit status {status}")
    if status != 0:
        WRONG.append(f"exit status {status}")


def restart(bench):
    bench.write_policies(100)
    for _ in range(3):
        server = bench.serve()
        server.end(signal.SIGKILL)
        start = time.perf_counter()
        server = bench.serve()
        bench.load(server, "--requests", 1, "--connections", 1)
        print(f"restart: the first decision with 100 policies after {(time.perf_counter() - start) * 1000:.0f} ms")
        server.end()
    bench.write_policies(50)


PARTS = {"closed": closed, "both": both, "open": open_loop, "memory": memory, "reloads": reloads, "cluster": cluster, "end": end, "restart": restart}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("server")
    ap.add_argument("load")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--long", type=int, default=1_000_000)
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(args, pathlib.Path(place))
        try:
            for name in args.parts or PARTS:
                PARTS[name](bench)
        finally:
            while Server.running:
                Server.running.pop().end(signal.SIGKILL)
    for text in WRONG:
        print(f"WRONG: {text[:1000]}")
    return 1 if WRONG else 0


leave(main())
