"""Starts portcullis-server for tests, makes certificates, policies and AdmissionReviews, sends requests, runs cases.

The program is the first argument of the script that imports this."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ""
SLOW = 10 if re.search("asan|tsan", os.path.dirname(os.path.abspath(PROGRAM))) else 1  # sanitizers
CASES = []


def case(function):
    CASES.append(function)
    return function


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, want {wanted!r}")


def holds(truth, what):
    if not truth:
        raise AssertionError(what)


def write(path, text):
    """Replaces a file at once, as editors do."""
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    os.replace(path.with_suffix(".new"), path)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def make_certificate(directory, name="localhost", days=2):
    """A self-signed certificate for localhost in tls.crt and tls.key; replaces both files, each at once."""
    directory = pathlib.Path(directory)
    directory.mkdir(exist_ok=True)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", days,
            "-keyout", directory / "new.key", "-out", directory / "new.crt", "-subj", f"/CN={name}",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    os.replace(directory / "new.key", directory / "tls.key")
    os.replace(directory / "new.crt", directory / "tls.crt")


def make_client_certificate(directory, authority, name, file=None):
    """A certificate for a client, signed by the authority's tls.crt. `file`: if the name is none of a file."""
    out = pathlib.Path(directory) / (file or name)
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{out}.key",
            "-out", f"{out}.csr", "-subj", f"/CN={name}")
    openssl("x509", "-req", "-in", f"{out}.csr", "-days", 2, "-CA", f"{authority}/tls.crt", "-CAkey",
            f"{authority}/tls.key", "-CAcreateserial", "-out", f"{out}.crt")
    return f"{out}.crt", f"{out}.key"


def policy(name, expression, message="no", actions=("Deny",), resources=("pods", "configmaps"), **spec):
    """A policy and its binding as one YAML text (JSON documents)."""
    rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": list(resources)}]
    made = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {"matchConstraints": {"resourceRules": rules},
                     "validations": [{"expression": expression, "message": message}], **spec}}
    binding = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
               "metadata": {"name": name}, "spec": {"policyName": name, "validationActions": list(actions)}}
    return json.dumps(made) + "\n---\n" + json.dumps(binding) + "\n---\n"


def scopeless():
    """A policy of ConfigMaps whose kind of params nobody defines, and its binding."""
    text = policy("limits", "object.metadata.name == params.spec.name", resources=("configmaps",),
                  paramKind={"apiVersion": "example.com/v1", "kind": "Limit"})
    return text.replace('"policyName": "limits"', '"policyName": "limits", "paramRef": {"name": "a", "parameterNotFoundAction": "Deny"}')


def gaps():
    """Policies each of which is not what its author thinks, with words of the warning."""
    sound, unbound = policy("named", "request.name != 'bad'"), policy("alone", "true").split("\n---\n")[0]
    params = scopeless().replace("example.com/v1", "v1").replace('"Limit"', '"ConfigMap"')
    yield policy("asks", "authorizer.path('/x').check('get').allowed()"), "no RBAC object is given"
    yield params.replace('"Deny"}', '"Allow"}'), 'no v1 ConfigMap "a" is given; where it is missing, the policy does not apply'
    yield sound + '{"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "k"}}', "policies of other engines decide nothing"
    yield sound + unbound, "no binding names this policy"
    yield sound + sound.split("\n---\n")[1].replace('"named"', '"other"'), 'names the policy "other", which is not among'


def mutation(name, patch):
    """A mutating policy with a JSON patch for ConfigMaps, and its binding."""
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
    made = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {"matchConstraints": {"resourceRules": rules}, "reinvocationPolicy": "Never",
                     "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}]}}
    binding = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
               "metadata": {"name": name}, "spec": {"policyName": name}}
    return json.dumps(made) + "\n---\n" + json.dumps(binding) + "\n---\n"


def review(uid="u", name="web", namespace="default", operation="CREATE", version="v1", kind="ConfigMap", spec=None,
           labels=None):
    """An AdmissionReview for a ConfigMap or a Pod, as a value."""
    obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace, "labels": labels or {}}}
    obj.update(spec or ({"data": {"k": "v"}} if kind == "ConfigMap" else {"spec": {"containers": [{"name": "a", "image": "b"}]}}))
    return {"apiVersion": f"admission.k8s.io/{version}", "kind": "AdmissionReview", "request": {
        "uid": uid, "operation": operation, "name": name, "namespace": namespace,
        "kind": {"group": "", "version": "v1", "kind": kind},
        "resource": {"group": "", "version": "v1", "resource": kind.lower() + "s"},
        "userInfo": {"username": "eve", "groups": ["system:authenticated"]},
        "object": None if operation == "DELETE" else obj, "oldObject": obj if operation == "DELETE" else None}}


class Server:
    """A running portcullis-server. `options` follow those that every test needs."""

    running = []

    def __init__(self, directory, *options, ready=True, certificates=None, program=PROGRAM, preexec_fn=None,
                 environment=None, stderr=None, log_format="json"):
        self.directory = pathlib.Path(directory)
        self.port, self.status_port = free_port(), free_port()
        self.certificates = pathlib.Path(certificates or self.directory / "certs")
        self.log_path = self.directory / f"log.{self.port}"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, "--listen", f"127.0.0.1:{self.port}", "--metrics-listen", f"127.0.0.1:{self.status_port}",
                 "--cert-dir", str(self.certificates), "--log-format", log_format, *map(str, options)], stderr=stderr or log,
                stdout=log, preexec_fn=preexec_fn, env={**os.environ, **(environment or {})})
        Server.running.append(self)
        if ready:
            self.wait(lambda: self.status("/readyz")[0] == 200, "ready")

    def log(self):
        """The lines of the log so far; lines that are no JSON (of sanitizers) end the test. A thread writes them, a moment
        after what they tell."""
        size = -1
        while size != (size := self.log_path.stat().st_size):
            time.sleep(0.05 * SLOW)
        return [json.loads(line) for line in self.log_path.read_text(encoding="utf-8").splitlines()]

    def logged(self, text):
        return sum(text in line["msg"] for line in self.log())

    def wait(self, condition, what, seconds=20):
        """Waits until the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {self.log_path.read_text(encoding='utf-8')}")
            try:
                if condition():
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError(f"not {what} after {seconds} s: {self.log_path.read_text(encoding='utf-8')[-2000:]}")

    def status(self, path):
        """Code and text of the status port."""
        connection = http.client.HTTPConnection("127.0.0.1", self.status_port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def metric(self, name):
        """The value of a metric with its labels as they are printed; 0 if it is absent."""
        for line in self.status("/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return 0.0

    def tls(self, client=None):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if client:
            context.load_cert_chain(*client)
        return context

    def connect(self, client=None):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.tls(client))

    def raw(self):
        """A TLS connection without HTTP."""
        return self.tls().wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=20))

    def send(self, value, path="/validate", connection=None, headers=None, method="POST"):
        """Status, headers and body of the answer; the body as a value if it is JSON."""
        own = connection or self.connect()
        body = value if isinstance(value, (bytes, type(None))) else json.dumps(value).encode()
        own.request(method, path, body, {"Content-Type": "application/json"} if headers is None else headers)
        answer = own.getresponse()
        data = answer.read()
        if connection is None:
            own.close()
        try:
            data = json.loads(data)
        except ValueError:
            pass
        return answer.status, answer.headers, data

    def end(self, how=signal.SIGTERM, seconds=30):
        """Sends a signal, and returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(seconds)


def simple(place, *options, text=None, **more):
    """A server with one policy: ConfigMaps and Pods named bad are denied."""
    policies = place / "policies"
    policies.mkdir(exist_ok=True)
    (policies / "p.yaml").write_text(text or policy("named", "request.name != 'bad'"), encoding="utf-8")
    make_certificate(place / "certs")
    return Server(place, "-p", policies, *options, **more)


def allowed(answer):
    status, _, value = answer
    equal(status, 200, f"status of {value}")
    return value["response"]["allowed"]


def run_cases(first):
    """Runs the cases of the script, or those that are named from its argument `first` on. The exit status."""
    if shutil.which("openssl") is None:
        print("skipped: there is no program openssl")
        return 77
    passed = failed = 0
    for function in CASES:
        if sys.argv[first:] and function.__name__ not in sys.argv[first:]:
            continue
        with tempfile.TemporaryDirectory() as place:
            try:
                function(pathlib.Path(place))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {function.__name__}\n{traceback.format_exc()}")
                for log in pathlib.Path(place).glob("log.*"):
                    print(log.read_text(encoding="utf-8", errors="replace")[-3000:])
            finally:
                while Server.running:
                    Server.running.pop().end(signal.SIGKILL)
    print(f"{passed} passed, {failed} failed")
    return failed > 0
