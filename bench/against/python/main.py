"""Answers the lines of ../README.md with cel-cpp, through its Python package.

A call from Python is part of each time: about 0.3 us, which `const` shows.
"""
import json
import sys
import time

from cel_expr_python import cel


def measure(milliseconds, call):
    """Nanoseconds of a call: as many calls as fill the time."""
    calls = 1
    while True:
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        taken = time.perf_counter_ns() - start
        if taken >= milliseconds * 1e6:
            return taken / calls
        calls *= 2


def answer(asked):
    environment = cel.NewEnv(variables={name: cel.Type.DYN for name in asked["vars"]})
    expression = environment.compile(asked["expr"])
    activation = environment.Activation(asked["vars"])
    return {"value": expression.eval(activation).plain_value(),
            "evalNs": measure(asked["bench"], lambda: expression.eval(activation)),
            "compileNs": measure(asked["bench"], lambda: environment.compile(asked["expr"]))}


for line in sys.stdin:
    try:
        out = answer(json.loads(line))
    except Exception as error:
        out = {"error": str(error)}
    print(json.dumps(out), flush=True)
