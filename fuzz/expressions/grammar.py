"""Random expressions from the grammar alone, as somebody would write them who knows the words of CEL but not its types.

Idea: generate.py makes expressions that mostly have a meaning; this module makes the others: every form of literal
with bytes that parsers get wrong, any operator on anything, macros with wrong targets, arguments and shadowed
variables, message literals, names in all positions, long chains and deep nesting at the limits of recursion. Trees are
generate.Node, so compare.py can shrink them. Some shapes (SHAPES) are listed, because chance never finds them.
"""
import generate
import values
from generate import Node

NAMES = ["x", "y", "a", "b", "i", "s", "m", "l", "object", "nosuch", "x.y", "a.b", "_", "__result__",
         "@result", ".x", ".a.b"]
WORDS = ["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
         "package", "namespace", "return", "var", "void", "while", "in", "true", "false", "null", "int",
         "type", "map", "list", "dyn", "has", "all", "size", "google", "google.protobuf.Timestamp",
         "google.protobuf.NullValue.NULL_VALUE", "google.protobuf.Struct", "null_type", "optional_type",
         "cel", "timestamp", "self", "request"]
FIELDS = values.FIELDS + ["in", "true", "if", "for", "as", "size", "map", "value", "`a b`", "`a.b/c-d`",
                          "`in`", "`1a`", "``", "`é`", "_x", "A1", "é", "1", "'a'"]
BINARY = ["+", "-", "*", "/", "%", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "+", "==", "&&", "||",
          "<"]
SYMBOLS = "()[]{}.,?:+-*/%!=<>&|'\"` \\@#$;~^\t\n"
MACROS = ["all", "exists", "exists_one", "existsOne", "map", "filter", "transformList", "transformMap",
          "transformMapEntry", "optMap", "optFlatMap", "sortBy"]
WELL_KNOWN = {
    "google.protobuf.Timestamp": ["seconds", "nanos"], "google.protobuf.Duration": ["seconds", "nanos"],
    "google.protobuf.Struct": ["fields"], "google.protobuf.Value": ["null_value", "number_value",
        "string_value", "bool_value", "struct_value", "list_value"],
    "google.protobuf.ListValue": ["values"],
    "google.protobuf.Empty": ["x"],
    "google.protobuf.NullValue": ["value"], "google.protobuf.FieldMask": ["paths"],
    "google.protobuf.BoolValue": ["value"], "google.protobuf.Int32Value": ["value"],
    "google.protobuf.Int64Value": ["value"], "google.protobuf.UInt32Value": ["value"],
    "google.protobuf.UInt64Value": ["value"], "google.protobuf.FloatValue": ["value"],
    "google.protobuf.DoubleValue": ["value"], "google.protobuf.StringValue": ["value"],
    "google.protobuf.BytesValue": ["value"],
}
FIELD_VALUES = {
    "seconds": ["1", "-1", "0", "253402300799", "253402300800", "-62135596801", "9223372036854775807",
                "dyn(1u)", "dyn('a')", "dyn(1.5)", "null", "dyn(null)"],
    "nanos": ["1", "-1", "999999999", "1000000000", "-999999999", "2147483648", "dyn(1u)"],
    "fields": ["{}", "{'a': 1}", "{'a': null}", "{'a': google.protobuf.Value{}}", "{1: 'a'}",
               "dyn({'a': [1, 'b', null]})", "dyn({1: 2})", "{'a': {'b': 1u}}", "null", "dyn(1)"],
    "values": ["[]", "[1, 2]", "[null]", "['a']", "dyn([1, 'a', true, null, [1], {'a': 1}])",
               "[google.protobuf.Value{bool_value: true}]", "dyn({})", "[1u]", "[duration('1s')]"],
    "null_value": ["0", "1", "null", "google.protobuf.NullValue.NULL_VALUE", "dyn(null)"],
    "number_value": ["1.0", "-0.0", "1", "dyn(1)", "1e300", "0.0/0.0"],
    "string_value": ["''", "'a'", "dyn(b'a')", "1", "null"],
    "bool_value": ["true", "false", "dyn(1)", "null"],
    "struct_value": ["{}", "{'a': 1}", "google.protobuf.Struct{fields: {'a': true}}", "dyn([])", "null"],
    "list_value": ["[]", "[1, 2]",
            "google.protobuf.ListValue{values: [1]}", "dyn({})"],
    "paths": ["[]", "['a.b']"], "x": ["1"],
    "value": ["1", "-1", "1u", "1.5", "true", "'a'", "b'a'", "null", "dyn(null)", "dyn(1)", "dyn('a')",
              "2147483648", "4294967296u", "-2147483649", "1e39", "1e-46", "0.1", "b'\\xff'",
              "google.protobuf.Int32Value{value: 1}", "9223372036854775807", "16777217.0"],
}
CHARACTERS = ["a", "b", "Z", "0", "9", " ", "é", "ß", "İ", "ſ", "日", "本", "😀", "\u0301", "\u200d", "\u202e",
              "\ufeff", "\u2028", "\U0010ffff", "~", "%", "$", "{", "}", "/", ".", ",", "\t", "\x7f", "\x80",
              "\x85", "\xa0"]
ESCAPES = ["\\a", "\\b", "\\f", "\\n", "\\r", "\\t", "\\v", "\\\\", "\\'", "\\\"", "\\?", "\\`", "\\x41",
           "\\xff", "\\X7f", "\\u00e9", "\\u0301", "\\U0001F600", "\\101", "\\377", "\\000", "\\x00",
           "\\u2028"]
BAD_ESCAPES = ["\\q", "\\x4", "\\xg1", "\\u12", "\\ud800", "\\udfff", "\\uDBFF\\uDC00", "\\U00110000",
               "\\U0001F60", "\\400", "\\08", "\\1", "\\9", "\\ ", "\\é", "\\U0000D800", "\\N"]
PATTERNS = ["a", "b", ".", "\\\\d", "\\\\w+", "\\\\pN", "\\\\p{Greek}", "\\\\p{^Lu}", "\\\\PL", "\\\\p{Nope}",
            "[a-z]", "[^a]", "[[:digit:]]", "[[:word:]-]", "[[:nope:]]", "(?i)", "(?i:A)", "(?s).", "(?m)^a$",
            "(?U)a+", "(?x)a", "(?P<n>a)", "(?P<n>a)(?P<n>b)", "(?P<1>a)", "(?P<n", "(?<n>a)", "(?'n'a)", "(",
            ")", "(a", "a)", "[", "]", "[a", "[]a]", "[^]a]", "[b-a]", "[a-\\\\d]", "[\\\\d-a]", "{", "}",
            "{2}", "a{", "a{2", "a{,2}", "a{2}", "a{2,}", "a{2,1}", "a{1000}", "a{1001}", "(a{100}){11}",
            "((a{10}){10}){11}", "*", "+", "?", "**", "a**", "a*+", "a+?", "a??", "a???", "|", "a||b", "^*",
            "$+", "\\\\b", "\\\\B", "\\\\A", "\\\\z", "\\\\Z", "\\\\Qa.b\\\\E", "\\\\Qa", "\\\\C", "\\\\1",
            "\\\\8", "\\\\0", "\\\\x41", "\\\\x{10FFFF}", "\\\\x{110000}", "\\\\x{", "\\\\xg", "\\\\07",
            "\\\\a", "\\\\e", "\\\\_",
            "\\\\é", "\\\\", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)", "(?#x)", "(?:", "(?", "(?z)",
            "(?-i)", "(?i-s:a)", "(?--i)", "(?i-)", "é", "日", "\\\\xff", "\\n", "\\\\N", "\\\\R", "\\\\h",
            "\\\\K", "\\\\X", "\\\\G", "\\\\c", "\\\\cA", "(?P=n)", "(?P>n)", "(?R)", "[a&&b]", "[[.a.]]",
            "[[=a=]]", "\\x00"]
FORMAT_VERBS = ["%s", "%d", "%f", "%e", "%b", "%x", "%X", "%o", "%%", "%.0f", "%.1f", "%.2e", "%.10f",
                "%.100f", "%.1000e", "%.255f", "%.f", "%.-1f",
                "%.s", "%.3s", "%.3d", "%5d", "%-s", "%+d", "%05d", "%#x", "%c", "%v", "%q", "%g", "%é", "%",
                "%.", "%.9", "% d", "%S", "%D", "%.٣f"]
LONG = ["1" * 20, "9" * 19, "0x" + "f" * 16, "0x" + "f" * 17, "0x7fffffffffffffff", "0x8000000000000000",
        "-0x8000000000000000", "-0x8000000000000001", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616u", "1" * 400, "1" * 400 + ".5", "0." + "0" * 400 + "1", "1e308", "1e309",
        "1e-323", "1e-324", "1e-400", "1e99999999999", "179769313486231570814527423731704356798070.0",
        "1.7976931348623158e308", "1.7976931348623159e308", "0000000000000000000000000001", "00", "0x00F",
        "0X1F", "0xg", "0x", "1u", "1U", "0x1U", "1uu", "1.0u", "1.", ".1", "1..2", "1.e5", ".e5", "1e",
        "1e+", "1E5", "1e+05", "1_000", "0b1", "1f", "1l", "-0", "-0u", "-0.0", "- 1", "--1", "+1", "0.1e-1",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "9007199254740993.0",
        "0.1000000000000000055511151231257827"]

ODD = ("in", "?.", "[?", "{?", "..", "//", "/*", "&&&", "=", "===", "=>", "|", "&", "!in", "<>",
       "**", "@", "#", "\\", "r", "b", "é", "\u00a0", "\ufeff", "\x00", "\x0b", "日本")


class GrammarGenerator:
    def __init__(self, generator):
        self.typed = generator  # makes literals of a type
        self.r = generator.r
        self.environment = generator.environment
        self.vars = []
        self.left = self.r.choice((3, 6, 10, 15, 25, 40))

    def node(self, *parts, loose=False):
        return Node("any", list(parts), loose)

    def pick(self, pool):
        return self.r.choice(pool)

    # --- literals

    def text(self, quote, raw, triple):
        r, out = self.r, []
        for _ in range(r.choice((0, 0, 1, 1, 2, 3, 5, 8))):
            dice = r.random()
            if dice < 0.62:
                out.append(r.choice(CHARACTERS))
            elif dice < 0.9:
                out.append(r.choice(ESCAPES))
            elif dice < 0.93:
                out.append(r.choice(BAD_ESCAPES))
            elif dice < 0.97:
                out.append(r.choice("'\""))
            elif triple:
                out.append(r.choice(("\n", "\r\n", "\r", "''", "\"\"")))
        text = "".join(out)
        if not raw and r.random() < 0.95:
            text = text.replace(quote[0], "\\" + quote[0]) if "\\" + quote[0] not in text else text
        return text

    def string(self, prefixes=("", "", "", "", "r", "R", "b", "B", "br", "Br", "bR", "BR", "rb")):
        prefix, quote = self.pick(prefixes), self.pick(("'", "'", "\"", "'''", '"""'))
        return prefix + quote + self.text(quote, "r" in prefix.lower(), len(quote) == 3) + (quote
            if self.r.random() < 0.995 else "")

    def number(self):
        r = self.r
        dice = r.random()
        if dice < 0.25:
            return r.choice(values.INTS + values.UINTS + values.DOUBLES)
        if dice < 0.45:
            return r.choice(LONG)
        if dice < 0.6:
            return str(r.choice((2 ** 31, 2 ** 32, 2 ** 53, 2 ** 62, 2 ** 63, 2 ** 64, 10 ** 6, 10 ** 15,
                                 10 ** 16, 10 ** 21)) + r.randrange(-2,
                    3)) + r.choice(("", "", "u", ".0", ".5"))
        if dice < 0.75:
            return "%s%d.%d%s" % (r.choice(("", "-")), r.randrange(10 ** r.randrange(1, 18)),
                                  r.randrange(10 ** r.randrange(1, 18)), r.choice(("",
                    "e%d" % r.randrange(-330, 310), "E+%d" % r.randrange(30))))
        if dice < 0.85:
            return r.choice(("0x%x", "0x%X", "0x%xu", "-0x%x")) % r.getrandbits(r.choice((8, 31, 32, 63, 64,
                65)))
        return "%d%s" % (r.getrandbits(r.choice((4, 8, 31, 53, 63, 64))) * r.choice((1, 1, -1)),
                         r.choice(("", "", "u")))

    def literal(self):
        dice = self.r.random()
        if dice < 0.3:
            return self.number()
        if dice < 0.55:
            return self.string()
        if dice < 0.65:
            return self.pick(("true", "false", "null", "[]", "{}", "''", "b''", "0", "1", "1u", "1.0"))
        kind = self.pick(("int", "uint", "double", "bool", "string", "bytes", "null_type", "duration",
                          "timestamp", "quantity", "ip", "cidr", "semver", "url", "format", "type",
                          "list(int)", "list(string)", "map(string,int)", "map(int,string)",
                          "optional_type(int)", "list(dyn)", "map(uint,dyn)", "list(list(string))",
                          "optional_type(list(int))", "map(bool,bool)"))
        return self.typed.literal(kind, 0)

    # --- names

    def name(self):
        r = self.r
        dice = r.random()
        if self.vars and dice < 0.5:
            return r.choice(self.vars)
        if self.environment and dice < 0.8:
            return r.choice(list(self.environment))
        return r.choice(NAMES if dice < 0.93 else WORDS)

    def variable(self):
        return self.pick(("x", "x", "y", "a", "b", "i", "k", "v", "e", "_", "x",
                          "x")) if self.r.random() < 0.9 else self.pick(NAMES + WORDS
                              + ["1", "'x'", "x.y", "[x]", "f(x)", "-x", "`x`", "x[0]"])

    def field(self):
        return self.pick(FIELDS if self.r.random() < 0.25 else ["a", "b", "c", "name", "spec", "x", "items"])

    # --- expressions

    def operand(self, depth):
        child = self.expr(depth)
        return self.node("(", child, ")") if child.loose and self.r.random() < 0.9 else child

    def atom(self):
        return self.node(self.name() if self.r.random() < 0.4 else self.literal())

    def expr(self, depth):
        self.left -= 1
        if depth <= 0 or self.left <= 0 or self.r.random() < 0.08:
            return self.atom()
        makers = (self.binary, self.binary, self.binary, self.unary, self.ternary, self.select, self.select,
                  self.index, self.call, self.call, self.call, self.method, self.method, self.method,
                  self.list, self.map, self.macro, self.macro, self.macro, self.macro, self.message, self.has,
                  self.numbers, self.numbers, self.lookup, self.format, self.pattern, self.absorb, self.bind,
                  self.paren)
        return self.pick(makers)(depth - 1)

    def paren(self, d):
        return self.node("(", self.expr(d), ")")

    def binary(self, d):
        return self.node(self.operand(d), self.pick((" ", " ", " ", "", "\n")) + self.pick(BINARY)
                         + self.pick((" ", " ", " ", "")), self.operand(d),
                         loose=True) if self.r.random() < 0.7 else self.chain(d)

    def chain(self, d):
        op = self.pick(BINARY)
        parts = [self.operand(d - 1)]
        for _ in range(self.r.choice((2, 3, 4, 7))):
            parts += [" %s " % (op if self.r.random() < 0.8 else self.pick(BINARY)), self.operand(d - 2)]
        return self.node(*parts, loose=True)

    def unary(self, d):
        return self.node(self.pick(("!", "-", "!!", "--", "!!!", "---", "-!", "!-", "- ", "! ")),
                         self.operand(d), loose=True)

    def ternary(self, d):
        return self.node(self.operand(d)
                         if self.r.random() < 0.5 else self.pick(("true", "false", "dyn(true)", "dyn(1)",
                             "1/0 == 1", "x", "null")), " ? ", self.operand(d), " : ", self.expr(d),
                                 loose=True)

    def select(self, d):
        return self.node(self.operand(d), self.pick((".", ".", ".", ".?")), self.field())

    def index(self, d):
        return self.node(self.operand(d), self.pick(("[", "[", "[?")), self.expr(d)
                         if self.r.random() < 0.5 else self.number(), "]")

    def args(self, d):
        parts = []
        for i in range(self.r.choice((0, 1, 1, 1, 2, 2, 3, 4))):
            parts += [", "] * (i > 0) + [self.expr(d)]
        return parts

    def call(self, d):
        name = self.pick(values.FUNCTIONS + ["type", "dyn", "int", "string", "size"] * 4)
        if self.r.random() < 0.25:
            name = self.pick(values.NAMESPACES) + "." + name
        if self.r.random() < 0.6:
            return self.node(self.pick(("." if self.r.random() < 0.1 else "",)) + name + "(", self.expr(d),
                             ")")
        return self.node(name + "(", *self.args(d), ")")

    def method(self, d):
        return self.node(self.operand(d), "." + self.pick(values.FUNCTIONS) + "(", *self.args(d), ")")

    def list(self, d):
        parts = ["["]
        for i in range(self.r.choice((0, 1, 2, 2, 3, 5))):
            parts += [", "] * (i > 0) + ["?"] * (self.r.random() < 0.06) + [self.expr(d)]
        return self.node(*parts, self.pick(("]", "]", "]", ",]")))

    def key(self, d):
        if self.r.random() < 0.3:
            return self.node(self.pick(("string(", "int(", "(1 == ")), self.expr(d), ")")
        return self.node(self.pick(("1", "1u", "1.0", "'a'", "'b'",
            "true", "null", "2", "-1", "dyn(1)", "dyn(1.0)", "dyn(1u)", "dyn('a')",
            "9007199254740993", "18446744073709551615u", "dyn(0.5)", "timestamp('2024-01-01T00:00:00Z')",
            "duration('1s')", "int", "1.5", "dyn(null)")))

    def map(self, d):
        parts = ["{"]
        for i in range(self.r.choice((0, 1, 1, 2, 2, 3))):
            parts += [", "] * (i > 0) + ["?"] * (self.r.random() < 0.06) + [self.key(d), ": ", self.expr(d)]
        return self.node(*parts, self.pick(("}", "}", "}", ",}")))

    def range(self, d):
        """The range of a comprehension."""
        dice = self.r.random()
        if dice < 0.5:
            return self.node(self.pick(("[1, 2, 3]", "[3, 1, 2]", "['a', 'b']", "{'a': 1, 'b': 2}",
                                        "[[1, 2], [3]]", "[1, 'a', 2.0]", "{1: 'x', 2: 'y'}", "[]", "{}",
                                        "[null]", "[{'a': 1}, {'b': 2}]", "lists.range(5)", "[1u, 2u]",
                                        "[1.5, 2.5]", "[true, false]", "dyn([1, 2, 3])", "dyn({'a': [1]})",
                                        "[optional.of(1), optional.none()]", "optional.of(1)",
                                        "optional.of([1, 2])", "[1, 1, 2]", "[dyn(1), dyn('a'), dyn(null)]",
                                        "{'a': {'b': 1}}", "'abc'", "dyn(1)")))
        return self.operand(d)

    def body(self, d, count):
        """An expression that probably uses the innermost names."""
        dice = self.r.random()
        if dice < 0.3 and self.vars:
            v = self.vars[-self.r.randrange(1, min(count, len(self.vars)) + 1)]
            return self.node(self.pick(("%s", "%s > 1", "%s == 'a'", "%s + %s", "%s * 2", "-%s", "%s.a",
                                        "%s[0]", "string(%s)", "type(%s)", "size(%s)", "[%s]", "{%s: %s}",
                                        "%s in [1, 2]", "10 / %s == 5", "%s == %s", "!%s", "dyn(%s)",
                                        "%s < 2 || %s > 5", "%s %% 2 == 0", "{'k': %s}", "optional.of(%s)",
                                        "%s.size() > 1", "has(%s.a)", "%s ? 1 : 2", "%s.?a", "%s[?0]",
                                        "%s != null", "1 / (%s - 2) > 0", "{string(%s): %s}")).replace("%%",
                                            "%").replace("%s", v))
        return self.expr(d)

    def macro(self, d):
        r = self.r
        name = r.choice(MACROS)
        two = r.random() < (0.85 if name.startswith("transform") else 0.0
                            if name in ("map", "filter", "optMap", "optFlatMap",
                "sortBy") and r.random() < 0.9 else 0.3)
        names = [self.variable() for _ in range(2 if two else 1)]
        if r.random() < 0.05:
            names = names[:1] * r.choice((0, 2, 3))
        parts = [self.range(d), "." + name + "(", ", ".join(names)]
        self.vars += names
        bodies = 1 if r.random() < 0.75 else r.choice((0, 2, 2, 2, 3))
        for i in range(bodies):
            parts += [", "] * (bool(names) or i > 0) + [self.body(d, len(names) or 1)]
        if names:
            del self.vars[-len(names):]
        return self.node(*parts, ")")

    def bind(self, d):
        v = self.variable()
        init = self.expr(d)
        self.vars.append(v)
        body = self.body(d, 1)
        self.vars.pop()
        return self.node(self.pick(("cel.bind(", "[", "[")),
                         *((v, ", ", init, ", ", body, ")") if self.r.random() < 0.1 else (init, "].map(%s, "
                             % v, body, ")[0]")))

    def message(self, d):
        r = self.r
        name = r.choice(list(WELL_KNOWN)) if r.random() < 0.75 else r.choice(values.MESSAGES)
        parts, fields = [r.choice(("", "", "", "", ".")) + name + "{"], WELL_KNOWN.get(name, values.FIELDS)
        for i in range(r.choice((0, 1, 1, 1, 1, 2, 2, 3))):
            field = r.choice(fields) if r.random() < 0.9 else self.field()
            optional = r.random() < 0.07
            value = self.expr(d) if r.random() < 0.25 or field not in FIELD_VALUES else self.node(
                r.choice(FIELD_VALUES[field]))
            parts += [", "] * (i > 0) + ["?"] * optional + [field, ": "] + (["optional.of(", value, ")"]
                if optional and r.random() < 0.8 else [value])
        return self.node(*parts, r.choice(("}", "}", "}", ",}")),
                         *((r.choice((".", ".", ".?")), r.choice(fields)) if r.random() < 0.2 else ()))

    def has(self, d):
        return self.node("has(", self.operand(d), "." + self.field()
                         if self.r.random() < 0.85 else self.pick(("", "['a']", ".a()", ".?a", "[?0]",
                ".a.b.c", "[0].a", ".size()", ", 1", ".a, 1")), ")")

    def numbers(self, d):
        """Numbers of different types compared, converted and indexed with."""
        r = self.r
        a, b = self.number(), self.number()
        a, b = ["dyn(%s)" % n if r.random() < 0.5 else n for n in (a, b)]
        return self.node(r.choice(("%s == %s", "%s < %s", "%s >= %s", "%s != %s", "%s in [%s]",
                                   "[%s] == [%s]", "{%s: 1} == {%s: 1}", "{%s: 1, %s: 2}", "{%s: 'v'}[%s]",
                                   "{%s: 'v'}[?%s]", "%s in {%s: 1}", "[1, 2, 3][%s] == %s", "int(%s) == %s",
                                   "uint(%s) == %s", "double(%s) == %s", "string(%s) == string(%s)",
                                   "[%s, %s].min()", "[%s, %s].max()", "[%s, %s].sum()",
                                   "[%s, %s].isSorted()", "[%s].indexOf(%s)", "[%s].includes(%s)",
                                   "sets.contains([%s], [%s])", "[%s, %s].distinct()", "[%s, %s].sort()",
                                   "%s + %s", "%s - %s", "%s * %s", "%s / %s", "%s %% %s",
                                   "duration(string(%s) + 's') + duration(string(%s) + 'ns')",
                                   "timestamp(%s) - timestamp(%s)", "'%%s %%s'.format([%s, %s])",
                                   "type(%s) == type(%s)", "optional.of(%s) == optional.of(%s)",
                                   "'abc'.substring(%s, %s)", "['%%d']  == ['%%d'.format([%s])] || %s > 0",
                                   "{'a': {%s: {%s: 1}}}.a[1][1]", "dyn([1, 2])[%s] == dyn([1])[%s]"))
                                       % (a, b), loose=True)

    def lookup(self, d):
        return self.node(self.operand(d)
                         if self.r.random() < 0.4 else self.pick(("{'a': 1}", "{1: 'a', 2u: 'b'}",
                             "{true: 1}", "[1, 2]", "dyn({'a': {'b': [1]}})", "object", "[[1], {'a': 2}]",
                             "{dyn(1): 1, dyn('a'): 2}", "'abc'", "null", "1")),
                         self.pick((".a", "['a']", "[0]", "[1]", "[-1]", "[2]", "[1.0]", "[1u]", "[0.5]",
                                    "[null]", "[true]", "[b'a']", ".nosuch", "['nosuch']", "[?0]", "[?'a']",
                                    ".?a", ".?a.b", ".a.b.c", "[0][0]", "[1]['a']", "[dyn(0)]", "[int]",
                                    "[timestamp(0)]", "[[]]", "[{}]")),
                         self.pick(("", "", "", ".a", "[0]", ".?b", ".orValue(1)", ".hasValue()", ".value()",
                                    " == 1", "[?0]", ".size()")))

    def format(self, d):
        r = self.r
        verbs = "".join(r.choice(("", "", "a ", "é",
                                  ":")) + r.choice(FORMAT_VERBS if r.random() < 0.35 else FORMAT_VERBS[:13])
                                      for _ in range(r.choice((1, 1, 2, 3))))
        parts = ["'%s'.format([" % verbs]
        for i in range(r.choice((verbs.count("%"), verbs.count("%"), 0, 1, 2))):
            parts += [", "] * (i > 0) + [self.expr(d - 1)]
        return self.node(*parts, self.pick(("])", "])", "])", "], 'de')")) if r.random() < 0.1 else "])")

    def pattern(self, d):
        r = self.r
        pattern = "".join(r.choice(PATTERNS) for _ in range(r.choice((1, 1, 2, 3))))
        subject = self.node(r.choice(("'abc'", "'aaa bbb'", "'日本a'", "''", "'a.b'", "'A1_b2'", "dyn('a')",
                                      "'a\\nb'", "'\\u00e9'"))) if r.random() < 0.8 else self.operand(d)
        quote = "'" if "'" not in pattern else "\""
        text = quote + pattern + quote if r.random() < 0.9 else "dyn(%s%s%s)" % (quote, pattern,
                quote) if r.random() < 0.5 else "%s%s%s + ''" % (quote, pattern, quote)
        return self.node(*r.choice(((subject, ".matches(", text, ")"), (subject, ".matches(", text, ")"),
                                    ("matches(", subject, ", ", text, ")"), (subject, ".find(", text, ")"),
                                    (subject, ".findAll(", text, ")"), (subject, ".findAll(", text, ", 2)"))))

    def absorb(self, d):
        """Errors next to operators that may absorb them."""
        r = self.r
        bad = ("1/0 == 1", "[][0]", "{}.a", "dyn(1)", "dyn('a')", "dyn(null)", "[1][5] == 1",
               "duration('x') == duration('1s')", "'a'.matches('(')", "int('x') == 1", "dyn({}).a.b",
               "optional.none().value()", "x.nosuch", "!dyn(1)", "9223372036854775807 + 1 > 0",
               "[1, 2].all(x, 1 / (x - 1) > 0)", "[1/0, 1].exists(x, x == 1)", "dyn([])", "-dyn('a') == 1")
        parts = []
        for i in range(r.choice((2, 2, 3, 4, 5))):
            term = r.choice((*bad, "true", "false", "dyn(true)", "dyn(false)",
                             "1 == 1")) if r.random() < 0.75 else None
            parts += [r.choice((" && ", " || "))] * (i > 0) + ([r.choice(("", "", "", "!")), "(", term, ")"]
                if term else [self.operand(d)])
        return self.node(*parts, loose=True)

    # --- shapes that chance never finds

    def deep(self):
        """One wrapper nested about as often as the limits allow."""
        n = self.pick((5, 12, 13, 20, 24, 25, 26, 49, 50, 51, 60, 83, 84, 99, 100, 101, 124, 125, 126, 150,
                       200, 248, 249, 250, 251, 252, 260, 300, 500))
        inner = self.pick(("1", "x", "a.b", "true", "[1, 2]", "'a'", "", "1 +", "object.a"))
        before, after = self.pick((("(", ")"), ("[", "]"), ("-(", ")"), ("!(", ")"), ("!", ""), ("-", ""),
                                   ("{1: ", "}"), ("", " + 1"), ("1 + ", ""), ("", ".a"), ("", "[0]"),
                                   ("", "[?0]"), ("", ".?a"), ("f(", ")"), ("dyn(", ")"), ("size(", ")"),
                                   ("", ".size()"), ("true ? ", " : 1"), ("true ? 1 : ", ""),
                                   ("(true ? ", " : 1)"), ("", " && true"), ("true || ", ""),
                                   ("[1].map(x, ", ")"), ("", ".map(x, x)"), ("[1].all(x, ", ")"),
                                   ("", " == 1"), ("1 in ", ""), ("", " < 2"), ("",
                                           " * 2"), ("[[", "]]"),
                                   ("{'a': [", "]}"), ("a.b{c: ", "}"), ("optional.of(", ")"),
                                   ("", ".filter(y, true)"), ("(", ""), ("[", ""), ("{",
                                           ""), ("", ")"), ("cel.bind(x, 1, ", ")"), ("x.", ""),
                                               ("", ".f(1)"), ("'a' + (", ")"), ("", " ? 1 : 2"),
                                               ("1 - (", ")"), ("", " in [1]"), ("has(", ".a)"),
                                               ("google.protobuf.Value{list_value: [", "]}"), ("-", " - 1"),
                                               ("[?", "]"), ("optional.of(", ").value()")))
        if before.startswith(("[", "{", "google")) or after.startswith((" ?", ".filter", ".map")):
            n %= 50  # with deeper nesting, Kubernetes takes seconds for types and for error recovery
        return self.node(before * n + inner + after * n)

    def soup(self):
        """Tokens in any order."""
        r = self.r
        out = []
        for _ in range(r.choice((1, 2, 3, 4, 6, 9, 14))):
            dice = r.random()
            if dice < 0.3:
                out.append(r.choice(SYMBOLS))
            elif dice < 0.45:
                out.append(r.choice(BINARY))
            elif dice < 0.55:
                out.append(self.number())
            elif dice < 0.65:
                out.append(self.string())
            elif dice < 0.9:
                out.append(r.choice(WORDS + NAMES))
            else:
                out.append(r.choice(ODD))
        return self.node(r.choice((" ", "", " ", "\n")).join(out))

    def zones(self):
        r = self.r
        stamp = "%04d-%02d-%02dT%02d:%02d:%02d%s%s" % (
            r.choice((1, 2, 1582, 1883, 1900, 1916, 1945, 1969, 1970, 1999, 2000, 2007, 2023, 2024, 2037,
                      2038, 2100, 9998, 9999, 10000, 0)),
            r.choice((1, 2, 3, 10, 11, 12, 13, 0) if r.random() < 0.2 else range(1, 13)),
            r.randrange(1, 32 if r.random() < 0.2 else 29),
            r.randrange(25 if r.random() < 0.05 else 24),
            r.randrange(61 if r.random() < 0.05 else 60),
            r.randrange(61 if r.random() < 0.05 else 60),
            r.choice(("", "", ".5", ".123", ".123456789", ".1234567891", ".", ",5", ".000")),
            r.choice(("Z", "Z", "Z", "+00:00", "-00:00", "+01:00", "-08:30", "+14:00", "+23:59", "+24:00",
                      "+1:00", "+0100", "z", "", " ")))
        zone = r.choice(("", "UTC", "America/New_York", "Europe/London", "Europe/Berlin", "Asia/Kolkata",
                         "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns",
                         "Africa/Casablanca", "Europe/Dublin", "Antarctica/Troll", "US/Pacific", "EST",
                         "EST5EDT", "CET", "Etc/GMT+5", "Local", "GMT", "Zulu", "nope/x", "../x", "utc",
                         "+01:00", "-01:00", "01:00", "+1:0", "1:2:3", ":", "+:", "-00:30", "+00:59",
                         "+00:60", "-12:-30", "+99:00", "+ 1:00", "٣:00", "America/New_York ", "\\u0000",
                         "/etc/localtime", "posix/UTC", "America", "Asia/Calcutta", "Factory"))
        base = r.choice(("timestamp('%s')" % stamp, "timestamp('%s')" % stamp, "dyn(timestamp('%s'))" % stamp,
                         "timestamp(%d)" % r.choice((0, -1,
                253402300799, 253402300800, -62135596800, -62135596801, r.randrange(-10 ** 11, 10 ** 11))),
                "(timestamp('%s') + duration('%dh%dm'))"
                % (stamp, r.randrange(-10 ** 6, 10 ** 6), r.randrange(60))))
        get = r.choice(("getFullYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDate", "getDayOfWeek",
                        "getHours", "getMinutes", "getSeconds", "getMilliseconds"))
        return self.node(base
                         + r.choice((".%s('%s')" % (get, zone), ".%s('%s')" % (get, zone), ".%s()" % get,
                                     " - timestamp('2020-01-01T00:00:00Z')", " - duration('%s')"
                                     % r.choice(("1h", "-1ns", "2562047h47m16.854775807s")),
                                     " == timestamp('2024-01-01T00:00:00Z')", "", ".%s(dyn('%s'))" % (get,
                                                  zone))) if r.random() < 0.9 else "string(%s)" % base)

    def durations(self):
        r = self.r
        text = r.choice(("", "", "-", "+",
                         "--")) + "".join(r.choice(("%d", "%d.%d" % (r.randrange(100), r.randrange(10 ** 10)),
                             ".5", "1.", "")).replace("%d",
                                 str(r.randrange(10 ** r.choice((1, 2, 5, 10, 19)))))
                                     + r.choice(("h", "m", "s", "s", "ms", "us", "µs", "μs", "ns",
                        "d", "S", "")) for _ in range(r.choice((1, 1, 1, 2, 3))))
        return self.node(r.choice(("duration('%s')", "string(duration('%s'))", "int(duration('%s'))",
                                   "duration('%s').getHours()", "duration('%s').getMilliseconds()",
                                   "-duration('%s')", "duration('%s') + duration('1ns')",
                                   "timestamp('2000-01-01T00:00:00Z') + duration('%s')",
                                   "'%%s'.format([duration('%s')])", "duration(dyn('%s')).getSeconds()",
                                   "[duration('%s'), duration('1s')].sum()", "{'a': duration('%s')}",
                                   "duration('%s') < duration('1s')")) % text)

    def top(self):
        dice = self.r.random()
        if dice < 0.04:
            return self.deep()
        if dice < 0.1:
            return self.soup()
        if dice < 0.17:
            return self.zones()
        if dice < 0.2:
            return self.durations()
        return self.expr(self.r.choice((1, 2, 2, 3, 3, 4, 5)))


def request(seed, index, versions=False):
    """(tree or None, request), like generate.request."""
    return generate.request(seed, index, versions, lambda g: GrammarGenerator(g).top())
