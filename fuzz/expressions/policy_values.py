"""What expressions of policies see, for kubernetes.py: objects, params, requests, namespaces and variables, and the rules of
an authorizer.
"""
import generate
import values

POD = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "web-0", "namespace": "default", "generateName": "web-",
                    "uid": "123e4567-e89b-12d3-a456-426614174000",
                    "labels": {"app": "web", "app.kubernetes.io/name": "shop", "tier": "front"},
                    "creationTimestamp": "2024-02-29T12:30:45Z",
                    "annotations": {"kube.io/x": "1", "cidr": "10.0.0.0/8"},
                    "finalizers": ["a.b/c", "foregroundDeletion"]},
       "spec": {"containers": [{"name": "c1", "image": "nginx:1.25",
                                "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 8443}],
                                "resources": {"limits": {"cpu": "500m", "memory": "1Gi"},
                                    "requests": {"cpu": "0.25", "memory": "512Mi"}},
                                        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000},
                                        "env": [{"name": "A", "value": "b"}, {"name": "B"}]},
                               {"name": "c2", "image": "reg.io/app@sha256:abc", "args": ["--x", "-y=1", ""]}],
                "replicas": 3, "paused": False, "ratio": 1.5, "nodeSelector": {}, "hostNetwork": True,
                "priority": -10, "size": "10Gi", "ip": "10.1.2.3",
                "url": "https://user@example.com:8443/a%20b?x=1&x=2&y", "version": "1.27.3",
                "duration": "1h30m", "none": None},
       "status": {"podIPs": [{"ip": "10.0.0.7"}, {"ip": "fd00::7"}],
                  "conditions": [{"type": "Ready", "status": "True"}]}}
CUSTOM = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
          "spec": {"replicas": 9223372036854775807, "size": "1.5Gi", "ip": "::ffff:1.2.3.4", "containers": [],
                   "version": "v1.2", "url": "../x", "duration": "-3s", "list": [3, 1, 2],
                   "doubles": [1.5, 2, 0.25], "strings": ["b", "a", "ü"],
                   "nested": {"a": {"b": {"c": [1, {"d": "e"}]}}}, "namespace": "x", "paused": "no"}}
OBJECTS = [POD, POD, POD, CUSTOM, CUSTOM, None, {},
           {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "default"},
            "data": {"a": "1", "b.c": "x" * 30}}] + values.OBJECTS
PARAMS = [None, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"},
                 "data": {"max": "5", "size": "2Gi", "regex": "^[a-z]+$", "hosts": "a,b,c"}},
          {"spec": {"max": 5, "names": ["web-0", "w"], "cidrs": ["10.0.0.0/8", "fd00::/8"], "on": True}}]
USER = {"username": "eve", "uid": "u-1", "groups": ["system:authenticated", "dev"],
        "extra": {"k": ["v", "w"], "example.com/x": []}}
REQUESTS = [
    {"kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
     "resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "name": "web-0",
     "requestKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
     "requestResource": {"group": "apps", "version": "v1", "resource": "deployments"}, "namespace": "default",
     "operation": "CREATE", "userInfo": USER, "dryRun": False,
     "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"}},
    {"kind": {"group": "", "version": "v1", "kind": "Pod"},
     "resource": {"group": "", "version": "v1", "resource": "pods"}, "subResource": "scale",
     "operation": "UPDATE", "userInfo": {"username": "system:serviceaccount:a:b", "groups": []},
     "dryRun": True},
    {}, {"operation": "DELETE", "name": "é", "options": None},
]
NAMESPACES = [
    {"metadata": {"name": "default", "labels": {"env": "prod", "kubernetes.io/metadata.name": "default"},
                  "annotations": {"a": "b"}, "creationTimestamp": "2024-02-29T12:30:45Z", "uid": "x",
                  "generation": 3, "resourceVersion": "17", "finalizers": ["f"]},
     "spec": {"finalizers": ["kubernetes"]},
     "status": {"phase": "Active",
                "conditions": [{"type": "T", "status": "True", "message": "m", "reason": "r",
                                "lastTransitionTime": "2024-02-29T12:30:45Z"}]}},
    {"metadata": {"name": "x"}}, {}, None,
]
# Objects of built-in kinds, which the API server holds as Go structs.
BUILT_IN = [
    ({"group": "", "version": "v1", "kind": "Pod"}, "pods",
     {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "d", "namespace": "default",
         "labels": {"app": "web"}, "finalizers": ["a.b/c"]},
      "spec": {"securityContext": {}, "tolerations": [{"key": "a", "operator": "Exists"}],
               "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}],
               "containers": [{"name": "c1", "image": "nginx:1.25", "args": ["--x"],
                               "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1000m"}},
                               "livenessProbe": {"httpGet": {"port": "http"}}},
                                   {"name": "c2", "image": "a", "securityContext": {},
                                    "env": [{"name": "A"}]}]}}),
    ({"group": "apps", "version": "v1", "kind": "Deployment"}, "deployments",
     {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "default",
         "labels": {}, "annotations": {"a": "b"}},
      "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}},
               "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
               "template": {"metadata": {"labels": {"a": "b"}},
                            "spec": {"containers": [{"name": "c", "image": "x"}]}}}}),
    ({"group": "", "version": "v1", "kind": "ConfigMap"}, "configmaps",
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d", "namespace": "default"},
      "data": {"max": "5", "b.c": "x"}, "binaryData": {"z": "YWI="}}),
]
VARIABLES = [{}, {"a": 1, "n": 5, "list": [1, 2, 3], "name": "x", "m": {"a": "b"}, "ok": True}]
AUTHZ = generate.AUTHZ_RULES + [
    [{"user": "eve", "verb": "get", "group": "apps", "resource": "deployments", "decision": "allow",
      "reason": "rbac"}, {"decision": "deny", "reason": "no"}],
    [{"user": "system:serviceaccount:default:default", "decision": "allow"},
     {"verb": "*", "fieldSelector": "metadata.name=foo", "decision": "allow", "reason": "selected"}],
    [{"labelSelector": "a=b", "decision": "allow"}, {"labelSelector": "", "subresource": "status",
        "decision": "deny", "error": "ü\n"}],
    [{"labelSelector": "x in (y,z)", "decision": "allow", "reason": "in"},
     {"labelSelector": "a!=b,c=d", "decision": "deny"}, {"namespace": "", "reason": "cluster"}],
    [{"path": "/healthz", "verb": "get", "decision": "allow"},
     {"name": "default", "decision": "allow", "reason": "named"}, {"error": "boom"}],
]
POLICY = {
    "object": ("dyn", OBJECTS), "oldObject": ("dyn", OBJECTS), "params": ("dyn", PARAMS),
    "request": ("request", REQUESTS), "namespaceObject": ("namespace", NAMESPACES),
    "variables": ("map(string,dyn)", VARIABLES), "authorizer": ("authorizer", None),
    "authorizer.requestResource": ("resourceCheck", None),
}
TYPED = {
    "q": ("quantity", ["1Gi", "100m", "-5", "1.5k", "12345678901234567890"]),
    "q2": ("quantity", ["1", "0", "1e3"]),
    "a4": ("ip", ["10.0.0.1", "::1", "fe80::1", "0.0.0.0", "224.0.0.1"]),
    "net": ("cidr", ["10.0.0.0/8", "2001:db8::1/32", "10.1.2.3/32", "0.0.0.0/0"]),
    "ver": ("semver", ["1.2.3", "1.2.3-rc.1+b", "0.0.0"]), "u": ("url", ["https://a.b/c?d=e", "/x"]),
    "fm": ("format", ["dns1123Label", "uri", "byte"]), "lq": ("list(quantity)", [[], ["1", "2Gi", "1"]]),
    "mq": ("map(string,quantity)", [{}, {"a": "1Gi"}]),
    "li": ("list(int)", [[], [3, 1, 2, 2], list(range(12))]),
    "ls": ("list(string)", [[], ["b", "a", "b"], ["x" * 25, "ü" * 11]]),
    "ld": ("list(dyn)", [[1, "a", None, 2.5]]), "lf": ("list(double)", [[], [1.5, "NaN", -1]]),
    "lt": ("list(timestamp)", [["2024-02-29T12:30:45Z", "1970-01-01T00:00:00Z"]]),
    "ly": ("list(bytes)", [["YWJjYWJjYWJjYWJj", ""]]), "ldu": ("list(duration)", [["1h", "-1s"]]),
    "lu": ("list(uint)", [[3, 1]]), "lb": ("list(bool)", [[True, False]]),
    "s": ("string", ["", "abc", "a,b,c", "x" * 45, "日本語" * 5]),
    "ms": ("map(string,string)", [{}, {"a": "b", "c": "d" * 20}]),
    "oq": ("optional_type(quantity)", [None, "1"]), "os": ("optional_type(string)", [None, "v" * 12]),
    "ml": ("map(string,list(string))", [{}, {"a": ["x", "y"]}]),
    "ll": ("list(list(int))", [[[1, 2], [], [3]]]), "x": ("dyn", values.OBJECTS),
}
ENVIRONMENTS = [POLICY, POLICY, POLICY, POLICY, TYPED, TYPED, {**TYPED, "object": POLICY["object"]}]
