// JSON: Go's rules for numbers and keys, the exact reader, error texts and positions, the writer's rules.
#include "interpreter/values/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace portcullis {
namespace {

// Reads `text` and writes the value again; or returns "line:column text" of the error. Both readers must
// agree.
std::string both(std::string_view text) {
  static JsonReader reader;
  Arena arena;
  auto show = [](const Result<Value>& r) {
    if (r.ok()) return to_json(*r);
    return std::to_string(r.error().position.line) + ":" + std::to_string(r.error().position.column) + " " +
           r.error().text;
  };
  std::string fast = show(reader.read(text, arena)), exact = show(read_json(text, arena));
  EXPECT_EQ(fast, exact) << text;
  return fast;
}

Value read_one(std::string_view text, Arena& arena) {
  static JsonReader reader;
  auto r = reader.read(text, arena);
  EXPECT_TRUE(r.ok()) << text;
  return r.ok() ? *r : Value();
}

TEST(JsonRead, Scalars) {
  for (const char* same :
       {"null", "true", "false", "0", "-1", "1.5", "\"\"", "\"abc\"", "[]", "{}", "[[],{}]"}) {
    EXPECT_EQ(both(same), same);
  }
}

TEST(JsonRead, SortsKeysOnlyWhenWriting) {
  Arena arena;
  Value v = read_one(R"({"b":1,"a":2})", arena);
  EXPECT_EQ(v.as_map()[0].key.as_text(), "b");
  EXPECT_EQ(to_json(v), R"({"a":2,"b":1})");
  std::string out;
  JsonWriter(out, JsonEscape::Plain, JsonOrder::Document).value(v);
  EXPECT_EQ(out, R"({"b":1,"a":2})");
}

struct Number {
  const char* text;
  Kind kind;
  double value;
};

TEST(JsonRead, NumbersAreGos) {
  const Number kNumbers[] = {
      {"9223372036854775807", Kind::Int, 9223372036854775807.0},
      {"-9223372036854775808", Kind::Int, -9223372036854775808.0},
      {"9223372036854775808", Kind::Double, 9223372036854775808.0},
      {"18446744073709551615", Kind::Double, 18446744073709551615.0},
      {"18446744073709551616", Kind::Double, 18446744073709551616.0},
      {"-9223372036854775809", Kind::Double, -9223372036854775809.0},
      {"100000000000000000000000000000", Kind::Double, 1e29},
      {"-0", Kind::Int, 0},
      {"-0.0", Kind::Double, 0},
      {"1.0", Kind::Double, 1},
      {"1e3", Kind::Double, 1000},
      {"1e-400", Kind::Double, 0},
      {"1E+2", Kind::Double, 100},
  };
  for (const Number& n : kNumbers) {
    both(n.text);
    Arena arena;
    Value v = read_one(n.text, arena);
    ASSERT_EQ(v.kind(), n.kind) << n.text;
    EXPECT_EQ(n.kind == Kind::Int ? static_cast<double>(v.as_int()) : v.as_double(), n.value) << n.text;
  }
}

TEST(JsonRead, TheLastOfEqualKeysWins) {
  EXPECT_EQ(both(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
  EXPECT_EQ(both(R"({"a":1,"\u0061":2})"), R"({"a":2})");
  EXPECT_EQ(both(R"({"a":{"x":1},"a":{"y":1}})"), R"({"a":{"y":1}})");
}

TEST(JsonRead, TellsEqualKeys) {
  JsonReader reader;
  Arena arena;
  std::string large = "{";
  for (int i = 0; i < 40; i++) large += "\"k" + std::to_string(i) + "\":0,";
  auto may_repeat = [&](std::string_view text) {
    EXPECT_TRUE(reader.read(text, arena).ok()) << text;
    return reader.may_repeat_keys();
  };
  for (std::string_view text : {R"([{"a":{"b":1,"c":2,"b":3}}])", R"({"a":1,"\u0061":2})", R"({"a":1e-999})"})
    EXPECT_TRUE(may_repeat(text)) << text;
  EXPECT_TRUE(may_repeat(large + R"("k7":1})"));
  for (std::string_view text :
       {R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})", R"({"abcd1":1,"abcd2":2})", "{}", "1"})
    EXPECT_FALSE(may_repeat(text)) << text;
  EXPECT_FALSE(may_repeat(large + R"("l":1})"));
}

TEST(JsonRead, RepairsTextLikeGo) {
  EXPECT_EQ(both(R"("\ud83d\ude00 \ud83d x \ude00")"), "\"😀 \xef\xbf\xbd x \xef\xbf\xbd\"");
  EXPECT_EQ(both(R"("\ud83d\u0041")"),
            "\"\xef\xbf\xbd"
            "A\"");
  EXPECT_EQ(both("\"\xff\xc3\""), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(both(R"("\u0000\b\/")"), R"("\u0000\b/")");
}

TEST(JsonRead, NestsTenThousandDeep) {
  JsonReader reader;
  for (int depth : {1000, 1023, 1024, 1025, kMaxJsonDepth}) {
    std::string text =
        std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
    Arena arena;
    EXPECT_TRUE(reader.read(text, arena).ok()) << depth;
  }
  std::string text(kMaxJsonDepth + 1, '[');
  EXPECT_EQ(both(text), "1:10001 invalid character '[' exceeded max depth");
}

TEST(JsonRead, ErrorsAreGosWithPositions) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "1:1 unexpected end of JSON input"},
      {"  ", "1:3 unexpected end of JSON input"},
      {"{", "1:2 unexpected end of JSON input"},
      {"[1,]", "1:4 invalid character ']' looking for beginning of value"},
      {"{\"a\":1,}", "1:8 invalid character '}' looking for beginning of object key string"},
      {"{\"a\" 1}", "1:6 invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "1:8 invalid character '\"' after object key:value pair"},
      {"[1 2]", "1:4 invalid character '2' after array element"},
      {"{}\n x", "2:2 invalid character 'x' after top-level value"},
      {"truth", "1:4 invalid character 't' in literal true (expecting 'e')"},
      {"nul", "1:4 invalid character ' ' in literal null (expecting 'l')"},
      {"01", "1:2 invalid character '1' after top-level value"},
      {"-", "1:2 invalid character ' ' in numeric literal"},
      {"1.", "1:3 invalid character ' ' after decimal point in numeric literal"},
      {"1ex", "1:3 invalid character 'x' in exponent of numeric literal"},
      {"\"a\nb\"", "1:3 invalid character '\\n' in string literal"},
      {"\"\\x\"", "1:3 invalid character 'x' in string escape code"},
      {"\"\\u12g4\"", "1:6 invalid character 'g' in \\u hexadecimal character escape"},
      {"\"a", "1:3 unexpected end of JSON input"},
      {"\xef\xbb\xbf{}", "1:1 invalid character 'ï' looking for beginning of value"},
      {"'a'", "1:1 invalid character '\\'' looking for beginning of value"},
      {"[\"é\", x]", "1:7 invalid character 'x' looking for beginning of value"},
      {"1e400", "1:1 json: cannot unmarshal number 1e400 into Go value of type float64"},
      {"[1e400, 1e401]", "1:2 json: cannot unmarshal number 1e400 into Go value of type float64"},
      {"[1e400,}", "1:8 invalid character '}' looking for beginning of value"},
  };
  for (auto& [text, error] : kBad) EXPECT_EQ(both(text), error) << text;
}

TEST(JsonRead, TokensMayTouchOrLieApart) {
  for (const char* bad : {R"(1"a")", R"("a"1)",     R"("a""b")",   R"(["a" "b"])", R"({"a":1"b":2})",
                          "[1true]", "[truefalse]", "[null1]",     "[-]",          "[1-]",
                          "[1\"]",   R"([1,\"a"])", R"({"a"\:1})", R"({"a" "b"})", "[]]",
                          "[}",      "{]",          "{1:2}",       "{\"a\":}",     "[,1]",
                          "[1,,2]",  "[tru]",       "[nulL]",      "[1.e1]",       "[1e]",
                          "[00]"}) {
    EXPECT_EQ(both(bad).substr(0, 2), "1:") << bad;
  }
  EXPECT_EQ(both(" \t{ \"a\" \n: [ 1 , \"x\\n\" ,\r true ] , \"b\\\\\" : \"c\" } \n"),
            R"({"a":[1,"x\n",true],"b\\":"c"})");
  EXPECT_EQ(both("\n\"a\" "), "\"a\"");
  EXPECT_EQ(both(R"(["\\","\"","a","\u00e9","bcd"])"), R"(["\\","\"","a","é","bcd"])");
}

TEST(JsonRead, ValuesOutliveTextAndReader) {
  Arena arena;
  Value v;
  {
    auto reader = std::make_unique<JsonReader>();
    auto text = std::make_unique<std::string>(R"({"key with some length":["value with some length"]})");
    v = *reader->read(*text, arena);
    ASSERT_TRUE(reader->read("[\"something else that is long\"]", arena).ok());
  }
  EXPECT_EQ(to_json(v), R"({"key with some length":["value with some length"]})");
}

TEST(JsonRead, ReusesItsMemory) {
  JsonReader reader;
  Arena arena;
  std::string text = "[" + std::string(3000, ' ') + "\"x\", {\"a\": [1, 2, 3]}]";
  for (int i = 0; i < 3; i++) {
    arena.reset();
    ASSERT_TRUE(reader.read(text, arena).ok());
  }
  size_t reserved = arena.reserved();
  for (int i = 0; i < 100; i++) {
    arena.reset();
    ASSERT_TRUE(reader.read(text, arena).ok());
  }
  EXPECT_EQ(arena.reserved(), reserved);
}

TEST(JsonRead, LargeMapsFindTheirKeys) {
  std::string text = "{";
  for (int i = 0; i < 500; i++) text += "\"key-" + std::to_string(i % 400) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  Arena arena;
  Value v = read_one(text, arena);
  EXPECT_EQ(v.size(), 400u);
  for (int i = 0; i < 400; i++) {
    std::string name = "key-" + std::to_string(i);
    const Value* found = find_key(v, Value::string(name));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->as_int(), i < 100 ? i + 400 : i);
  }
}

TEST(JsonWrite, Numbers) {
  const std::pair<double, const char*> kDoubles[] = {
      {2.0, "2"},
      {0.1, "0.1"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-10, "1.5e-10"},
      {1e20, "100000000000000000000"},
      {9223372036854775808.0, "9223372036854776000"},
      {-18446744073709551616.0, "-18446744073709552000"},
      {123456789012345678.0, "123456789012345680"},
      {1e16, "10000000000000000"},
      {9007199254740993.0, "9007199254740992"},
      {1e21, "1e+21"},
      {-0.0, "-0"},
      {1e300, "1e+300"},
      {NAN, "null"},
  };
  for (auto& [d, text] : kDoubles) EXPECT_EQ(to_json(Value::real(d)), text);
  EXPECT_EQ(to_json(Value::integer(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(to_json(Value::uinteger(UINT64_MAX)), "18446744073709551615");
}

TEST(JsonWrite, Escapes) {
  EXPECT_EQ(quote_json("\"\\/\b\f\n\r\t\x01\x1f\x7f"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(quote_json("é\xe2\x80\xa8\xe2\x80\xa9\xff😀"), "\"é\\u2028\\u2029\\ufffd😀\"");
  EXPECT_EQ(quote_json("<a&b>"), "\"<a&b>\"");
  EXPECT_EQ(quote_json("<a&b>", JsonEscape::Go), "\"\\u003ca\\u0026b\\u003e\"");
}

TEST(JsonWrite, PartByPart) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("a");
  w.begin_list();
  w.integer(1);
  w.string("x");
  w.begin_object();
  w.end_object();
  w.null();
  w.end_list();
  w.member("b", true);
  w.raw("c", "[1]");
  w.end_object();
  EXPECT_EQ(out, R"({"a":[1,"x",{},null],"b":true,"c":[1]})");
}

TEST(JsonWrite, Members) {
  Arena arena;
  const std::vector<std::string> texts = {"x", "y"}, none;
  const std::vector<std::pair<std::string, int>> counts = {{"b", 1}, {"a", -2}};
  std::string out;
  JsonWriter w(out, JsonEscape::Plain, JsonOrder::Document);
  w.begin_object();
  w.member("text", "t");
  w.member("view", std::string_view("v"));
  w.member("yes", true);
  w.member("least", INT64_MIN);
  w.member("most", UINT64_MAX);
  w.member("real", 0.5);
  w.member("value", *read_json(R"({"z":null,"a":[]})", arena));
  w.member("texts", texts);
  w.member("no texts", none);
  w.member("counts", counts);
  w.raw("raw", "[1]");
  w.object("object", [&] { w.member("a", 1); });
  w.object("nothing", [] {});
  w.list("list", texts, [&](const std::string& t) { w.member("is", t); });
  w.list("empty", none, [](const std::string&) {});
  w.optional("given", std::string("g"));
  w.optional("line", 3);
  w.optional("all", texts, [&](const std::string& t) { w.member("is", t); });
  w.optional("left out", std::string());
  w.optional("left out", none);
  w.optional("left out", 0);
  w.optional("left out", -1);
  w.optional("left out", none, [](const std::string&) {});
  w.end_object();
  EXPECT_EQ(out,
            R"({"text":"t","view":"v","yes":true,"least":-9223372036854775808,"most":18446744073709551615,)"
            R"("real":0.5,"value":{"z":null,"a":[]},"texts":["x","y"],"no texts":[],"counts":{"b":1,"a":-2},)"
            R"("raw":[1],"object":{"a":1},"nothing":{},"list":[{"is":"x"},{"is":"y"}],"empty":[],)"
            R"("given":"g","line":3,"all":[{"is":"x"},{"is":"y"}]})");
}

TEST(JsonWrite, Base64) {
  EXPECT_EQ(to_json(Value::bytes("")), "\"\"");
  EXPECT_EQ(to_json(Value::bytes("a")), "\"YQ==\"");
  EXPECT_EQ(to_json(Value::bytes("ab")), "\"YWI=\"");
  EXPECT_EQ(to_json(Value::bytes("abc")), "\"YWJj\"");
}

}  // namespace
}  // namespace portcullis
