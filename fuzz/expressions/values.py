"""Literals of every type and texts of every role, with the boundaries where implementations go wrong."""

TEXTS = {
    "string": ["''", "'a'", "'b'", "'abc'", "'Hello, World'", "'aXbXc'", "'  trim me\\t'", "'αβγ'", "'日本語'", "'😀x😀'", "'\\u00e9'",
               "'a\\nb'", "'kube-system'", "'registry.io/app:v1'", "r'\\d+'", "\"it's\"", "'100'", "'-1'", "'true'", "'1.5'",
               "'ABC'", "'a,b,,c'", "'\\x00'", "'%s'", "'x' + 'y'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "'''tri'ple'''"],
    "regex": ["'a'", "'^a.*c$'", "'[a-z]+'", "'(a|b)+'", "'[0-9]{2,3}'", "''", "'('", "'[z-a]'", "'(?i)ABC'", "'\\\\d+'", "'a**'", "'(?P<n>x)'",
              "'\\\\pL+'", "'.'", "'a{2,1}'", "'(?=x)'", "'^$'", "'X|,'", "'[[:alpha:]]+'", "'a{1001}'", "'\\\\8'", "'(?<n>a)'"],
    "tz": ["'UTC'", "''", "'America/New_York'", "'Europe/Berlin'", "'Asia/Kolkata'", "'+01:00'", "'-08:30'", "'05:30'", "'1:00'", "'Foo/Bar'",
           "'+25:00'", "'x:y'", "'-00:30'", "'europe/berlin'", "'+01:99'", "'Australia/Lord_Howe'"],
    "booltext": ["'true'", "'false'", "'t'", "'TRUE'", "'True'", "'1'", "'0'", "'yes'", "''", "'tRUE'", "'F'"],
    "inttext": ["'0'", "'42'", "'-1'", "'+7'", "'9223372036854775807'", "'9223372036854775808'", "'-9223372036854775808'", "'1e3'", "''", "' 1'",
                "'0x10'", "'18446744073709551615'", "'18446744073709551616'", "'007'", "'1_000'", "'٣'"],
    "doubletext": ["'0'", "'1.5'", "'-1e10'", "'NaN'", "'inf'", "'-Infinity'", "'1e400'", "'0x1p4'", "''", "'abc'", "'.5'", "'5.'", "'1_0.0'", "'1e-400'"],
    "tstext": ["'2024-01-01T00:00:00Z'", "'2020-02-29T12:34:56.789Z'", "'1970-01-01T00:00:00Z'", "'0001-01-01T00:00:00Z'", "'9999-12-31T23:59:59Z'",
               "'2023-10-29T02:30:00+02:00'", "'2023-02-30T00:00:00Z'", "'not a time'", "'2024-01-01'", "'2024-01-01t00:00:00z'",
               "'2009-02-13T23:31:30.999999999-08:00'", "'10000-01-01T00:00:00Z'", "'2016-12-31T23:59:60Z'", "'2024-03-10T07:00:00.5+05:30'"],
    "durtext": ["'0s'", "'1h'", "'1h30m'", "'-1.5s'", "'100ms'", "'1us'", "'1ns'", "'1d'", "''", "'abc'", "'2562047h47m16.854775807s'",
                "'2562048h'", "'1h-1m'", "'0'", "'+5m'", "'.5s'", "'1µs'", "'87600h'"],
    "urltext": ["'https://example.com:80/path?a=1&b=2&a=3'", "'http://[::1]:8080/x'", "'/abs/path'", "'../rel'", "''", "'https://user@host/%20x'",
                "'mailto:a@b.c'", "'https:://kubernetes.io/'", "'http://a b/'", "'HTTP://EXAMPLE.com'", "'http://x/%zz'", "'ftp://h/p#frag'",
                "'https://h?x=%41&y&z=;q'", "'http://h:port/'", "'//host/p'"],
    "iptext": ["'10.0.0.1'", "'127.0.0.1'", "'::1'", "'fe80::1'", "'2001:DB8::1'", "'::ffff:1.2.3.4'", "'fe80::1%eth0'", "'256.1.1.1'", "'1.2.3'", "''",
               "'0.0.0.0'", "'::'", "'224.0.0.1'", "'169.254.1.1'", "'01.2.3.4'", "'x'", "'1:2:3:4:5:6:7:8:9'", "'ff02::1'", "'255.255.255.255'", "'2001:db8:0:0:0:0:0:1'"],
    "cidrtext": ["'10.0.0.0/8'", "'192.168.1.0/24'", "'192.168.1.5/24'", "'::/0'", "'2001:db8::/32'", "'10.0.0.0/33'", "'10.0.0.0'", "''", "'::ffff:1.2.3.4/112'",
                 "'10.0.0.1/08'", "'0.0.0.0/0'", "'fe80::1%a/64'", "'10.0.0.0/'", "'10.0.0.0/-1'", "'x/8'", "'10.1.2.3/32'"],
    "quantitytext": ["'1'", "'100m'", "'1Gi'", "'1.5Gi'", "'0'", "'-2k'", "'1e3'", "'1E'", "'10Mo'", "''", "'1e'", "'0.0000000001'", "'12345678901234567890'",
                     "'1Ei'", "'100Ti'", "'.5'", "'1.'", "'+3M'", "'1u'", "'2n'", "'1e-9'", "'1.0'", "'50.703k'", "'9223372036854775807'", "'1 Gi'", "'0x1'", "'1024Mi'", "'8Ei'"],
    "semvertext": ["'1.2.3'", "'0.0.0'", "'v1.2.3'", "'1.2'", "'1'", "'1.2.3-alpha.1+build'", "'01.2.3'", "''", "'1.2.3.4'", "'1.2.3-'", "'1.2.x'", "'1.10.0'",
                   "'99999999999999999999.0.0'", "'1.2.3-rc1'", "'1.2-beta'", "'v01.02'", "'1.2.3+a.b'", "'1.2.3-01'"],
    "formattext": ["'dns1123Label'", "'dns1123Subdomain'", "'dns1035Label'", "'qualifiedName'", "'dns1123LabelPrefix'", "'dns1123SubdomainPrefix'",
                   "'dns1035LabelPrefix'", "'labelValue'", "'uri'", "'uuid'", "'byte'", "'date'", "'datetime'", "'nope'", "''", "'URI'"],
    "formatted": ["'abc'", "'a-b'", "'A_b'", "'-x'", "'a.b.c'", "'example.com/name'", "'a/b/c'", "'/x'", "'https://h/p'", "'::'", "'aGk='", "'aGk'", "'2024-01-31'",
                  "'2024-02-30'", "'2024-01-01T00:00:00Z'", "'2024-01-01t24:00:00z'", "'123e4567-e89b-12d3-a456-426614174000'", "''", "'1abc'", "'abc-'",
                  "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "'x-'", "'é'"],
    "fmt1": ["'%s'", "'%d'", "'%f'", "'%.2f'", "'%e'", "'%.3e'", "'%b'", "'%x'", "'%X'", "'%o'", "'%%'", "'a%sb'", "'%'", "'%z'", "'%.s'", "'%.1001f'", "'%.0f'",
             "'x %s %s'", "'%.10f'", "'%5d'"],
    "fmt2": ["'%s %s'", "'%d:%s'", "'%s'", "'%s%%%s'", "'%f %d'", "'%x-%s'", "'%s %s %s'"],
    "name": ["''", "'apps'", "'deployments'", "'get'", "'default'", "'pods'", "' '", "'Bad_Name'", "'/healthz'", "'status'", "'kube-system'"],
    "selector": ["''", "'a=b'", "'a!=b,c=d'", "'x in (y,z)'", "'metadata.name=foo'", "'!!'", "'a in'", "'!a'", "'a==b'", "'a>1'"],
}

FIELDS = ["spec", "metadata", "name", "labels", "replicas", "containers", "image", "a", "b", "x", "nope", "namespace", "items", "n", "app", "size", "enabled",
          "__dot__", "`kube.io/x`", "`a-b`", "package"]
FORMAT_NAMES = ["dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix",
                "labelValue", "uri", "uuid", "byte", "date", "datetime"]

# Of mistakes.txt.
FUNCTIONS = ["size", "contains", "startsWith", "matches", "int", "uint", "double", "string", "bytes", "bool", "timestamp", "duration", "dyn", "type", "getHours",
             "getFullYear", "map", "filter", "all", "exists", "exists_one", "existsOne", "has", "hasValue", "value", "or", "orValue", "optMap", "format", "join", "split",
             "substring", "indexOf", "replace", "charAt", "trim", "reverse", "sort", "sortBy", "slice", "flatten", "distinct", "first", "last", "unwrapOpt", "sum", "min",
             "max", "isSorted", "includes", "find", "findAll", "url", "getHost", "quantity", "add", "isLessThan", "asInteger", "ip", "family", "cidr", "containsIP", "semver",
             "major", "validate", "named", "quote", "range", "of", "none", "transformList", "transformMap", "nosuch", "if", "package", "_+_", "greatest", "least", "encode"]
NAMESPACES = ["math", "sets", "strings", "lists", "optional", "format", "ip", "cel", "base64", "regex", "nosuch", "google.protobuf", "a.b", "jsonpatch"]
UNDECLARED = ["nosuch", "a.b.c", "Object", "cel", "math", "optional", "format", "request", "self", "variables", "x.y.z", "null_type", "list", "google.protobuf.Timestamp",
              "int", "size", "@result", "true.x", "if", "import", "_", "__result__", "resource", "strings.quote"]
MESSAGES = ["google.protobuf.Duration", "google.protobuf.Timestamp", "google.protobuf.Struct", "google.protobuf.Int64Value", "google.protobuf.Value", "Object", "Object.spec",
            "JSONPatch", "int", "list", "map", "type", "nosuch", "a.b.C", ".nosuch", "string", "net.IP", "kubernetes.Quantity", "optional_type", "dyn", "timestamp"]

INTS = ["0", "1", "2", "3", "-1", "7", "10", "42", "100", "-5", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "0x1F", "1000000", "2147483648"]
UINTS = ["0u", "1u", "2u", "3u", "7u", "42u", "18446744073709551615u", "9223372036854775808u", "0x1Fu", "100u"]
DOUBLES = ["0.0", "1.0", "-1.5", "2.5", "3.14159", "1e10", "1e300", "-0.0", "1e-7", "123456.0", "1000000.0", "0.1", "9007199254740993.0", "1e21", "2e-9",
           "9223372036854775807.0", "18446744073709551616.0", "5e-324", "1.7976931348623157e308", ".5", "(0.0/0.0)", "(1.0/0.0)"]

LITERALS = {
    "int": INTS, "uint": UINTS, "double": DOUBLES,
    "bool": ["true", "false"],
    "string": TEXTS["string"],
    "bytes": ["b''", "b'abc'", "b'\\xff'", "b'\\303\\277'", "b'αβ'", "b'a'", "b'hello world'", "b'\\x00\\x01'"],
    "null_type": ["null"],
    "type": ["int", "string", "type", "list", "map", "null_type", "bool", "double", "bytes", "uint", "google.protobuf.Timestamp", "net.IP"],
    "index": ["0", "1", "2", "-1", "3", "5", "100", "9223372036854775807", "-9223372036854775808"],
    "size": ["0", "1", "5", "10", "20", "50"],
    "small": ["0", "1", "3", "5", "10", "-1"],
}

# JSON values of the untyped variables.
OBJECTS = [
    {"apiVersion": "apps/v1", "kind": "Deployment",
     "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web", "tier": "front"}, "annotations": {"kube.io/x": "1", "a-b": "y"}},
     "spec": {"replicas": 3, "paused": False, "ratio": 1.5, "containers": [{"name": "c1", "image": "nginx:1.25", "ports": [{"containerPort": 80}]},
                                                                        {"name": "c2", "image": "reg.io/app@sha256:abc", "size": 10}], "items": []}},
    {"spec": {"replicas": None, "containers": [], "name": "", "n": 0, "x": {"a": {"b": {"x": 1}}}}, "a": 1, "b": "two", "x": [1, 2.5, "3", None, True, [1], {"a": 1}]},
    {"a": [1, 2, 3], "b": {"x": 1}, "name": "obj", "n": 9007199254740993, "size": 12, "enabled": True, "items": [{"a": 1, "b": 2}, {"a": 2}, {"b": 3}, 5],
     "kube.io/x": "dotted", "a-b": "dashed", "package": "reserved", "labels": {"app": "x"}},
    {}, [], [1, 2, 3], "text", 42, None, True, 1.5, [[1], [2, [3]]], ["a", "b", "a"], {"a": {"a": {"a": {}}}},
    {"x": "10.0.0.1", "a": "1Gi", "b": "2024-01-01T00:00:00Z", "name": "1.2.3", "items": ["10.0.0.0/8", "1.5", "abc"], "n": 18446744073709551615, "size": -1},
]

# Values with a tag, for untyped variables that JSON cannot have.
TAGGED = [{"uint64": "5"}, {"bytes": "YWJj"}, {"timestamp": {"seconds": "1700000000", "nanos": 500000000}}, {"duration": {"seconds": "-90", "nanos": 0}},
          {"optional": None}, {"optional": {"int64": "3"}}, {"type": "int"}, {"quantity": "1Gi"}, {"ip": "10.0.0.1"}, {"cidr": "10.0.0.0/8"}, {"semver": "1.2.3"},
          {"double": "NaN"}, {"double": "Infinity"}, {"double": "-0"}, {"list": [{"uint64": "1"}, {"optional": {"string": "a"}}, {"bytes": ""}]},
          {"map": [[{"int64": "1"}, {"string": "a"}], [{"bool": True}, {"double": "1.5"}], [{"uint64": "7"}, {"null": None}]]},
          {"map": [[{"string": "a"}, {"timestamp": {"seconds": "0", "nanos": 0}}], [{"string": "spec"}, {"map": [[{"string": "name"}, {"bytes": "AA=="}]]}]]},
          {"list": [{"duration": {"seconds": "1", "nanos": 0}}, {"duration": {"seconds": "0", "nanos": 5}}]}, {"null": None}, {"int64": "-9223372036854775808"}]
