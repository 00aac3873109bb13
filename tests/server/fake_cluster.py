"""An API server for tests: lists and watches of what a test puts into it, and everything that may go wrong with them."""
import base64
import collections
import copy
import http.server
import json
import os
import socket
import ssl
import sys
import threading
import time
import urllib.parse

ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
POLICIES = ADMISSION + "validatingadmissionpolicies"
BINDINGS = ADMISSION + "validatingadmissionpolicybindings"
NAMESPACES = "/api/v1/namespaces"
CONFIGMAPS = "/api/v1/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KINDS = {  # path of a resource -> kind, namespaced
    POLICIES: ("ValidatingAdmissionPolicy", False),
    BINDINGS: ("ValidatingAdmissionPolicyBinding", False),
    ADMISSION + "mutatingadmissionpolicies": ("MutatingAdmissionPolicy", False),
    ADMISSION + "mutatingadmissionpolicybindings": ("MutatingAdmissionPolicyBinding", False),
    DEFINITIONS: ("CustomResourceDefinition", False),
    NAMESPACES: ("Namespace", False),
    CONFIGMAPS: ("ConfigMap", True),
    "/api/v1/secrets": ("Secret", True),
    "/apis/rbac.authorization.k8s.io/v1/roles": ("Role", True),
    "/apis/rbac.authorization.k8s.io/v1/clusterroles": ("ClusterRole", False),
    "/apis/rbac.authorization.k8s.io/v1/rolebindings": ("RoleBinding", True),
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings": ("ClusterRoleBinding", False),
}


def status(code, message):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message}


def leave(status):
    """Ends the program at once. Threads of fake servers may be in OpenSSL, which an ordinary end takes down under them."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


class Gone(Exception):
    """The connection ends here."""


class FakeCluster:
    def __init__(self, certificates):
        self.lock = threading.Condition()
        self.kinds = dict(KINDS)
        self.objects = {path: {} for path in self.kinds}
        self.history = {path: [] for path in self.kinds}  # (resource version, event)
        self.version = 100
        self.oldest = 0        # versions before it are gone
        self.epoch = 0         # a new one ends all watches
        self.tokens = {"secret"}
        self.basic = None      # "USER:PASSWORD", which may ask, too
        self.client_authority = None  # of clients that need no token
        self.identities = set()       # what those who were let in have shown
        self.faults = {}       # path -> function(handler, query): answers itself if it returns True
        self.held = set()      # paths whose watches send nothing
        self.bookmarks = 0.2   # seconds between two
        self.marks = collections.Counter()  # path -> bookmarks sent
        self.pieces = True     # events arrive in two
        self.asked = []        # (path, query) of all requests
        self.certificates = certificates
        self.authority = (certificates / "tls.crt").read_bytes()
        self.port = None
        self.up()

    # --- what a test does ---

    def put(self, path, *made):
        with self.lock:
            for o in made:
                kind, namespaced = self.kinds[path]
                o = copy.deepcopy(o)
                group = path.split("/")
                o["apiVersion"] = "/".join(group[2:-1])
                o["kind"] = kind
                if namespaced:
                    o["metadata"].setdefault("namespace", "default")
                key = (o["metadata"].get("namespace", ""), o["metadata"]["name"])
                self.version += 1
                o["metadata"]["resourceVersion"] = str(self.version)
                event = "MODIFIED" if key in self.objects[path] else "ADDED"
                self.objects[path][key] = o
                self.history[path].append((self.version, {"type": event, "object": o}))
            self.lock.notify_all()

    def delete(self, path, name, namespace=""):
        with self.lock:
            o = self.objects[path].pop((namespace, name))
            self.version += 1
            o["metadata"]["resourceVersion"] = str(self.version)
            self.history[path].append((self.version, {"type": "DELETED", "object": o}))
            self.lock.notify_all()

    def add_kind(self, path, kind, namespaced):
        """A kind that was not there before."""
        with self.lock:
            self.objects[path], self.history[path] = {}, []
            self.kinds[path] = (kind, namespaced)

    def remove_kind(self, path):
        with self.lock:
            del self.kinds[path]
            self.epoch += 1
            self.lock.notify_all()

    def expire(self):
        """Forgets all versions so far: watches get 410."""
        with self.lock:
            self.version += 1
            self.oldest = self.version
            for path in self.history:
                self.history[path] = []
            self.lock.notify_all()

    def cut(self):
        """Ends all watches in the middle."""
        with self.lock:
            self.epoch += 1
            self.lock.notify_all()

    def down(self):
        self.server.shutdown()
        self.server.server_close()
        self.cut()

    def up(self):
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                try:
                    fake.answer(self)
                except (OSError, Gone):
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

            def get_request(self):
                connection, address = super().get_request()
                return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

            def handle_error(self, request, client_address):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificates / "tls.crt", self.certificates / "tls.key")
        if self.client_authority:
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(cafile=self.client_authority)
        self.server = Quiet(("127.0.0.1", self.port or 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def kubeconfig(self, **user):
        data = base64.b64encode(self.authority).decode()
        return json.dumps({"kind": "Config", "apiVersion": "v1", "current-context": "c",
                           "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                           "clusters": [{"name": "k", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                                  "certificate-authority-data": data}}],
                           "users": [{"name": "u", "user": user or {"token": "secret"}}]})

    def count(self, path, watch=False):
        return sum(p == path and ("watch" in q) == watch for p, q in self.asked)

    # --- what the server sees ---

    def send(self, handler, code, value, headers=()):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        handler.send_response(code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            handler.send_header(name, text)
        handler.end_headers()
        handler.wfile.write(body)

    def answer(self, handler):
        path, _, rest = handler.path.partition("?")
        query = dict(urllib.parse.parse_qsl(rest))
        self.asked.append((path, query))
        identity = self.identify(handler)
        if identity is None:
            return self.send(handler, 401, status(401, "Unauthorized"))
        self.identities.add(identity)
        fault = self.faults.get(path)
        if fault is not None and fault(handler, query):
            return None
        if path in self.kinds:
            return self.watch(handler, path, query) if "watch" in query else self.list(handler, path, query)
        parent, _, name = path.rpartition("/")
        if parent in self.kinds and ("", name) in self.objects[parent]:
            return self.send(handler, 200, self.objects[parent][("", name)])
        if parent in self.kinds:
            return self.send(handler, 404, status(404, f'namespaces "{name}" not found'))
        return self.discover(handler, path)

    def identify(self, handler):
        """Who asks, and with which impersonation; None: nobody knows."""
        how, _, what = handler.headers.get("Authorization", "").partition(" ")
        certificate = handler.connection.getpeercert() if self.client_authority else None
        if how == "Bearer" and what in self.tokens:
            who = "token " + what
        elif how == "Basic" and base64.b64decode(what).decode() == self.basic:
            who = "basic " + self.basic
        elif certificate:
            who = "certificate " + dict(part[0] for part in certificate["subject"])["commonName"]
        else:
            return None
        user = handler.headers.get("Impersonate-User")
        return f"{who} as {user}" if user else who

    def discover(self, handler, path):
        resources = [{"name": p[len(path) + 1:], "kind": kind, "namespaced": namespaced, "verbs": ["get", "list", "watch"]}
                     for p, (kind, namespaced) in self.kinds.items() if p.rpartition("/")[0] == path]
        if not resources:
            return self.send(handler, 404, status(404, "the server could not find the requested resource"))
        return self.send(handler, 200, {"kind": "APIResourceList", "apiVersion": "v1", "resources": resources})

    def list(self, handler, path, query):
        with self.lock:
            start, version = 0, self.version
            if "continue" in query:
                at, start = map(int, query["continue"].split("."))
                if at < self.oldest:
                    return self.send(handler, 410, status(410, "The provided continue parameter is too old"))
                version = at
            limit = int(query.get("limit", 0)) or len(self.objects[path]) + 1
            items = [o for _, o in sorted(self.objects[path].items())]
            metadata = {"resourceVersion": str(version)}
            if start + limit < len(items):
                metadata["continue"] = f"{version}.{start + limit}"
            # As of built-in kinds, items have neither apiVersion nor kind.
            page = [{k: v for k, v in o.items() if k not in ("apiVersion", "kind")} for o in items[start:start + limit]]
        return self.send(handler, 200, {"kind": self.kinds[path][0] + "List", "apiVersion": "/".join(path.split("/")[2:-1]),
                                        "metadata": metadata, "items": page})

    def chunk(self, handler, data):
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        handler.wfile.flush()

    def begin_watch(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def watch(self, handler, path, query):
        version, epoch = int(query["resourceVersion"]), self.epoch
        self.begin_watch(handler)
        marked = time.monotonic()
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.epoch != epoch or version < self.oldest or
                                   any(v > version for v, _ in self.history[path]), 0.05)
                if self.epoch != epoch:
                    handler.connection.shutdown(socket.SHUT_RDWR)
                    raise Gone
                expired = version < self.oldest
                events = [] if path in self.held else [(v, e) for v, e in self.history[path] if v > version]
                now = self.version
            if expired:
                error = {"type": "ERROR", "object": status(410, f"too old resource version: {version}")}
                self.chunk(handler, json.dumps(error).encode() + b"\n")
                return self.chunk(handler, b"")
            for at, event in events:
                version = at
                line = json.dumps(event).encode() + b"\n"
                if self.pieces:
                    self.chunk(handler, line[:7])
                    line = line[7:]
                self.chunk(handler, line)
            if time.monotonic() - marked > self.bookmarks and path not in self.held:
                marked, version = time.monotonic(), max(version, now)
                mark = {"type": "BOOKMARK", "object": {"kind": self.kinds[path][0], "metadata": {"resourceVersion": str(version)}}}
                self.chunk(handler, json.dumps(mark).encode() + b"\n")
                self.marks[path] += 1


class FakeProxy:
    """An HTTP proxy that knows CONNECT alone."""

    def __init__(self):
        self.asked = []  # HOST:PORT of all tunnels
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self.tunnel, args=(client,), daemon=True).start()

    def tunnel(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        method, target, _ = head.decode().split(" ", 2)
        if method != "CONNECT":
            return client.sendall(b"HTTP/1.1 405 Method Not Allowed\r\n\r\n")
        self.asked.append(target)
        host, port = target.rsplit(":", 1)
        server = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=self.pump, args=(client, server), daemon=True).start()
        return self.pump(server, client)

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
