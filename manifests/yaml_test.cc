// YAML: scalars, keys, merges, aliases, documents, positions, errors, and that written values read back.
// Expected values are those of sigs.k8s.io/yaml v1.6.0 (YAMLToJSON).
#include "manifests/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/values/member.h"
#include "interpreter/values/native.h"
#include "manifests/documents.h"

namespace portcullis {
namespace {

std::string show(const Error& e) {
  return std::to_string(e.position.line) + ":" + std::to_string(e.position.column) + " " + e.text;
}

std::string read_one(std::string_view text) {
  Arena arena;
  auto r = read_yaml(text, arena);
  return r.ok() ? to_json(*r) : show(r.error());
}

// The documents of a text as "line:json", or the error.
std::string read_all(std::string_view text) {
  Arena arena;
  JsonReader reader;
  auto r = read_documents(text, reader, arena);
  if (!r.ok()) return show(r.error());
  std::string out;
  for (const YamlDocument& d : *r) out += std::to_string(d.line) + ":" + to_json(d.value) + " ";
  return out;
}

TEST(Yaml, ScalarsAreGoyamls) {
  const std::pair<const char*, const char*> kScalars[] = {
      {"y", "true"},
      {"Yes", "true"},
      {"ON", "true"},
      {"off", "false"},
      {"N", "false"},
      {"yEs", "\"yEs\""},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"", "null"},
      {"'yes'", "\"yes\""},
      {"\"\"", "\"\""},
      {"10", "10"},
      {"010", "8"},
      {"08", "8"},
      {"0o17", "15"},
      {"0b101", "5"},
      {"-0b101", "-5"},
      {"0x1F", "31"},
      {"+5", "5"},
      {"1_000", "1000"},
      {"1__0", "10"},
      {"1.5", "1.5"},
      {"1.0", "1"},
      {"1e3", "1000"},
      {"1e21", "1e+21"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e999", "\"1e999\""},
      {"-0.0", "0"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854776000"},
      {"18446744073709551616", "18446744073709552000"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"1234567890123456768.0", "1234567890123456800"},
      {"2001-01-01", "\"2001-01-01\""},
      {"2001-12-14t21:59:43.10-05:00", "\"2001-12-14t21:59:43.10-05:00\""},
      {"12:30:45", "\"12:30:45\""},
      {"0x", "\"0x\""},
      {"1_", "1"},
      {"_1", "\"_1\""},
      {"!!str 1", "\"1\""},
      {"!!float 1", "1"},
      {"!!binary YWJj", "\"abc\""},
      {"!!binary Yf9i", "\"a\uFFFDb\""},
      {"!foo 1", "\"1\""},
      {"0.1", "0.1"},
      {"1e-7", "1e-7"},
      {"<<", "\"<<\""},
      {".", "\".\""},
      {"...x", "\"...x\""},
      {"1.2.3", "\"1.2.3\""},
      {"512Mi", "\"512Mi\""},
      {"é", "\"é\""},
  };
  for (auto& [text, json] : kScalars) {
    EXPECT_EQ(read_one(std::string("a: ") + text), std::string("{\"a\":") + json + "}") << text;
  }
}

// A program may follow the locale of its user, whose decimal point may be a comma.
TEST(Yaml, NumbersDoNotFollowTheLocale) {
  const char* const kComma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                "pt_BR.UTF-8", "de_DE",      "fr_FR"};
  if (!std::ranges::any_of(kComma, [](const char* name) { return std::setlocale(LC_ALL, name) != nullptr; }))
    GTEST_SKIP() << "no locale with a comma is installed; tests/layering.py forbids what would follow it";
  const std::string numbers = read_one("[0.4, .5, 1_000.25, 1.5e0, -2.5]");
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(numbers, "[0.4,0.5,1000.25,1.5,-2.5]");
}

TEST(Yaml, ScalarErrors) {
  EXPECT_EQ(read_one("a: .inf"), "1:4 yaml: json: unsupported value: +Inf");
  EXPECT_EQ(read_one("a: .nan"), "1:4 yaml: json: unsupported value: NaN");
  EXPECT_EQ(read_one("a: !!int x"), "1:4 yaml: cannot decode !!str `x` as a !!int");
  EXPECT_EQ(read_one("a: !!binary '*'"), "1:4 yaml: !!binary value contains invalid base64 data");
}

TEST(Yaml, KeysBecomeTexts) {
  EXPECT_EQ(read_one("on: 1\n0x10: 2\n1.5: 3\n1e6: 4\nno: 5\n2001-01-01: 6"),
            R"({"1.5":3,"16":2,"1e+06":4,"2001-01-01":6,"false":5,"true":1})");
  EXPECT_EQ(read_one("[a]: 1"), "1:1 yaml: invalid map key");
  EXPECT_EQ(read_one("~: 1").substr(0, 33), "1:1 yaml: unsupported map key of ");
}

TEST(Yaml, RefusesDuplicateKeys) {
  EXPECT_EQ(read_one("a: 1\nb: 2\na: 3"), "3:1 yaml: key \"a\" already set in map");
  std::string large;
  for (int i = 0; i < 100; i++) large += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(read_one(large + "k7: 1"), "101:1 yaml: key \"k7\" already set in map");
}

TEST(Yaml, MergesMappings) {
  EXPECT_EQ(read_one("a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}"), R"({"a":{"k":1,"l":2},"b":{"k":3,"l":2}})");
  EXPECT_EQ(read_one("a: &x {k: 1}\nb: {k: 3, <<: *x}"), R"({"a":{"k":1},"b":{"k":1}})");
  EXPECT_EQ(read_one("a: &x {k: 1}\nb: &y {k: 2, m: 1}\nc: {<<: [*x, *y]}"),
            R"({"a":{"k":1},"b":{"k":2,"m":1},"c":{"k":1,"m":1}})");
  EXPECT_EQ(read_one("b: {<<: 1}"), "1:9 yaml: map merge requires map or sequence of maps as the value");
  EXPECT_EQ(read_one("b: {'<<': 1}"), R"({"b":{"<<":1}})");
}

TEST(Yaml, Aliases) {
  EXPECT_EQ(read_one("a: &x [1, 2]\nb: *x"), R"({"a":[1,2],"b":[1,2]})");
  EXPECT_EQ(read_one("a: *x"), "1:4 yaml: unknown anchor 'x' referenced");
  EXPECT_EQ(read_one("a: &x [*x]"), "1:8 yaml: anchor 'x' value contains itself");
}

TEST(Yaml, StopsAliasBombs) {
  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 12; i++) {
    std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 8; j++) bomb += "," + last;
    bomb += "]\n";
  }
  EXPECT_NE(read_one(bomb).find("yaml: document contains excessive aliasing"), std::string::npos);
}

// A list that nests so deep around `inside`.
std::string nest(int depth, std::string_view inside = "") {
  return std::string(depth, '[').append(inside) + std::string(depth, ']');
}

// As deep as Go's readers of YAML and JSON allow, with what aliases stand for and without the level of a merge key.
TEST(Yaml, NestsAsDeepAsJson) {
  std::string blocks;
  for (int i = 0; i < kMaxJsonDepth; i++) blocks += "- ";
  const std::string alias = "a: &a " + nest(5000) + "\nb: ";
  const std::string merge = "b:\n  <<: {c: ";
  EXPECT_EQ(read_one(nest(kMaxJsonDepth)), nest(kMaxJsonDepth));
  EXPECT_EQ(read_one(blocks + "1"), nest(kMaxJsonDepth, "1"));
  EXPECT_EQ(read_one(alias + nest(4999, "*a")).size(), 2 * (5000 + 9999) + 11);
  EXPECT_EQ(read_one(merge + nest(9998) + "}"), "{\"b\":{\"c\":" + nest(9998) + "}}");
  for (const std::string& deeper :
       {nest(kMaxJsonDepth + 1), blocks + "- 1", alias + nest(5000, "*a"), merge + nest(9999) + "}"})
    EXPECT_THAT(read_one(deeper), testing::HasSubstr("yaml: exceeded max depth of 10000"));
}

TEST(Yaml, StopsDeepNesting) {
  EXPECT_NE(read_one(std::string(40000, '[')).find("exceeded max depth"), std::string::npos);
  std::string nested;
  for (int i = 0; i < 40000; i++) nested += "{a: ";
  EXPECT_NE(read_one(nested).find("exceeded max depth"), std::string::npos);
  // Each value costs as much as there are levels around it.
  std::string many;
  for (int i = 0; i < 40000; i++) many += "1,";
  EXPECT_THAT(read_one(nest(9000, many)), testing::HasSubstr("too many values lie too deep"));
}

TEST(Yaml, SyntaxErrorsAreLibyamls) {
  EXPECT_EQ(read_one("a: b: c"), "1:5 yaml: mapping values are not allowed in this context");
  EXPECT_EQ(read_one("a:\n\t- b"), "2:1 yaml: found character that cannot start any token");
  EXPECT_EQ(read_one("a: 'x"), "1:6 yaml: found unexpected end of stream");
  EXPECT_EQ(read_one("a: [--b=c:]"), "1:10 yaml: found unexpected ':'; put the text before it in quotes");
  EXPECT_EQ(read_one("a: [1"),
            "2:1 yaml: did not find expected ',' or ']' while parsing a flow sequence from line 1");
  EXPECT_EQ(read_one("a: 1\nb: \xff"), "2:4 yaml: invalid leading UTF-8 octet");
  EXPECT_EQ(read_one("a: é\x01"), "1:5 yaml: control characters are not allowed");
}

TEST(Yaml, QuestionMarksEndTextsWithinBrackets) {
  const std::string error = " yaml: found unexpected '?' within [] or {}; put the text in quotes";
  EXPECT_EQ(read_one("a: {url: https://b.example/c?d=e}"), "1:10" + error);
  EXPECT_EQ(read_one("a: [b, c ?d]"), "1:8" + error);
  EXPECT_EQ(read_one("a: {b?: c}"), "1:5" + error);
  EXPECT_EQ(read_one("[a: {\"b?\": 'c?'}, {? d : e}, {?f : g}]"),
            R"([{"a":{"b?":"c?"}},{"d":"e"},{"f":"g"}])");
  EXPECT_EQ(read_one("a: b?c"), R"({"a":"b?c"})");
}

TEST(Yaml, ReadsOneDocumentIfAskedForOne) {
  Arena arena;
  auto two = read_yaml("---\na: 1\n---\nb: 2\n", arena);
  ASSERT_FALSE(two.ok());
  EXPECT_EQ(two.error().text, "a second document begins here, and only one is read");
  EXPECT_EQ(two.error().position.line, 3);
  EXPECT_EQ(two.error().position.column, 1);
  EXPECT_TRUE(read_yaml("---\na: 1\n", arena).ok());
}

TEST(Yaml, SplitsDocuments) {
  EXPECT_EQ(read_all("a: 1\n---\nb: 2\n"), "1:{\"a\":1} 3:{\"b\":2} ");
  EXPECT_EQ(read_all("---\n# only this\n---\nb: 2\n--- # text\n---\n"), "2:null 4:{\"b\":2} ");
  EXPECT_EQ(read_all("a: 1\r\n---\r\nb: 2\r\n"), "1:{\"a\":1} 3:{\"b\":2} ");
  EXPECT_EQ(read_all("\xef\xbb\xbf"
                     "a: 1"),
            "1:{\"a\":1} ");
  EXPECT_EQ(read_all("a: 1\n---\u00a0\u2003\nb: 2"), read_all("a: 1\n---\nb: 2"));  // white space of Unicode
  EXPECT_EQ(read_all("a: 1\n--- {b: 2}"), "2:1 invalid Yaml document separator: {b: 2}");
  EXPECT_EQ(read_all(""), "");
  EXPECT_EQ(read_all("a: 1\n---\nb: c: d"),
            "3:5 document 2: yaml: mapping values are not allowed in this context");
}

TEST(Yaml, TheLastLineOfAFileEnds) {
  EXPECT_EQ(read_all("a: |\n  b"), R"(1:{"a":"b\n"} )");
  EXPECT_EQ(read_all("a: >+\n  b\n---\na: |-\n  b"), R"(1:{"a":"b\n"} 4:{"a":"b"} )");
  EXPECT_EQ(read_one("a: |\n  b"), R"({"a":"b"})");  // no file
}

TEST(Yaml, ByteOrderMarksStandAtTheStart) {
  const std::string error =
      ":1 a byte order mark (U+FEFF), which belongs at the start of a file, stands before this";
  EXPECT_EQ(read_all("---\n\ufeffa: 1"), "2" + error);
  EXPECT_EQ(read_all("---\n# from a file\n\ufeffa: 1"), "3" + error);
  EXPECT_EQ(read_all("a: 1\n---\n\n\ufeffb: 1"), "4" + error);
  EXPECT_EQ(read_all("a: 1\n---\n\ufeffb: 1"), R"(1:{"a":1} 3:{"b":1} )");
}

TEST(Yaml, DirectivesBeforeASeparatorAreOfTheNextDocument) {
  EXPECT_EQ(read_all("a: 1\n%YAML 1.1\n# c\n\n---\nb: 2\n"), "1:{\"a\":1} 6:{\"b\":2} ");
  EXPECT_EQ(read_all("a: \"x\u2028y\u2028z\"\n%YAML 1.1\nb: 2\n"),
            "5:1 yaml: did not find expected <document start>");  // libyaml counts these line breaks
  EXPECT_EQ(read_all("a: 1\n%YAML 1.1\nb: 2\n"), "3:1 yaml: did not find expected <document start>");
}

TEST(Yaml, ReadsJsonAsJson) {
  EXPECT_EQ(read_all("{\"a\": 1}{\"a\": 2}\n {\"a\": \"}\\\"\"}"),
            "1:{\"a\":1} 1:{\"a\":2} 2:{\"a\":\"}\\\"\"} ");
  EXPECT_EQ(read_all("{\"a\": 1} 23 true\"b\"-4"), "1:{\"a\":1} 1:23 1:true 1:\"b\" 1:-4 ");
  EXPECT_EQ(read_all(R"({"a": "\ud83d\ude00"})"), "1:{\"a\":\"😀\"} ");
  EXPECT_EQ(read_all("{a: 1}"), "1:{\"a\":1} ");
  EXPECT_EQ(read_all("{\"a\": 1,\n \"b\" 2, \"c\": [}"), "2:6 invalid character '2' after object key");
  EXPECT_EQ(read_all("{a: 1, b: {c: [}}"),
            "1:16 yaml: did not find expected node content");  // the error of the format that it has
  EXPECT_EQ(read_all("{\"a\": 1"), "1:8 unexpected end of JSON input");
  EXPECT_EQ(read_all("{\"a\": 1e400}"),
            "1:7 json: cannot unmarshal number 1e400 into Go value of type float64");
  EXPECT_EQ(read_all("{\"a\": {\"x:\": 1,\n\"x:\": 2}}"), "2:1 key \"x:\" already set in map");
  EXPECT_EQ(read_all("---\n{\"a\": 1, \"a\": 2}"), "2:10 yaml: key \"a\" already set in map");
  EXPECT_EQ(read_all(R"({"a": 1, "\u0061": 2})"), "1:10 key \"a\" already set in map");
}

// As YAMLOrJSONDecoder does, but for the four bytes that it needs to see the space before YAML.
TEST(Yaml, TurnsToYamlAfterAtMostOneValueOfJson) {
  EXPECT_EQ(read_all("{\"a\":1}\n---\n{\"b\":2}\n---\nc: 3"), "1:{\"a\":1} 3:{\"b\":2} 5:{\"c\":3} ");
  EXPECT_EQ(read_all("{\"a\":1}\nb: 2\n---\nc: {x: z}"), "1:{\"a\":1} 2:{\"b\":2} 4:{\"c\":{\"x\":\"z\"}} ");
  EXPECT_EQ(read_all("{\"a\":1} b: 2"), "1:{\"a\":1} 1:{\"b\":2} ");
  EXPECT_EQ(read_all("{\"a\":1}\n{\"b\":2,}"), "1:{\"a\":1} 2:{\"b\":2} ");
  EXPECT_EQ(read_all("{\"a\":1} # c\n"), "1:{\"a\":1} 1:null ");
  EXPECT_EQ(read_all("{\"a\":1} #\n"), "1:{\"a\":1} 1:null ");
  EXPECT_EQ(read_all("{\"a\":nul}"), "1:{\"a\":\"nul\"} ");
  EXPECT_EQ(read_all("{\"a\":1}\n{\"b\":2}\n---\nc: 3"),
            "3:2 document 3: invalid character '-' in numeric literal; a file that begins with two values of "
            "JSON is "
            "JSON to its end, as kubectl reads it");
  EXPECT_EQ(read_all("{\"a\":1}\n{\"b\":2}\n{\"c\":3,}"),
            "3:8 document 3: invalid character '}' looking for beginning of object key string");
  EXPECT_EQ(read_all("{\"a\":1}\n---\n{\"b\":\"\\ud83d\\ude00\"}"),
            "3:9 document 2: yaml: found invalid Unicode character escape code");
  EXPECT_EQ(read_all("{\"a\":1}\n{\"b\":1e400}"),
            "2:6 document 2: json: cannot unmarshal number 1e400 into Go value of type float64");
  EXPECT_EQ(read_all("---\n{\"a\": 1e400}"), "2:{\"a\":\"1e400\"} ");
}

TEST(Yaml, LocatesNodes) {
  Arena arena;
  JsonReader reader;
  std::string text = "a: 1\n---\nspec:\n  rules:\n  - x: 1\n    y:\n      k.l/m: 2\n  - x: 3\n";
  auto documents = read_documents(text, reader, arena);
  ASSERT_TRUE(documents.ok());
  auto at = [&](std::string_view path, bool key = false) {
    Position p = locate(text, (*documents)[1], path, key);
    return std::to_string(p.line) + ":" + std::to_string(p.column);
  };
  EXPECT_EQ(at("spec"), "4:3");
  EXPECT_EQ(at("spec", true), "3:1");
  EXPECT_EQ(at("spec.rules[1].x"), "8:8");
  EXPECT_EQ(at("spec.rules[0].y[k.l/m]"), "7:14");
  EXPECT_EQ(at("spec.rules[0].y[k.l/m]", true), "7:7");
  EXPECT_EQ(at("spec.rules[5].x"), "5:3");
  EXPECT_EQ(at("nothing"), "3:1");
  EXPECT_EQ(at(""), "3:1");
}

TEST(Yaml, WritesKeysThatAreNoTextsAsJsonDoes) {
  Arena arena;
  MapEntry entries[] = {{Value::integer(1), Value::integer(2)},
                        {Value::boolean(true), Value::string("a")},
                        {Value::uinteger(3), Value::boolean(false)}};
  const Value map = Value::map(entries, 3);
  EXPECT_EQ(to_yaml(map), "\"1\": 2\n\"true\": a\n\"3\": false\n");
  auto again = read_yaml(to_yaml(map), arena);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_json(*again), to_json(map));
}

TEST(Yaml, WritesWhatReadsBack) {
  const char* kTexts[] = {
      R"({"a":[1,2.5,true,null,"x",{},[]],"b":{"c":{"d":"e"}}})",
      R"({"l":[[1,[2]],{"a":1,"b":[{"c":2}]}],"m":[{"a":{"b":1}}]})",
      R"({"yes":"no","":"","0x1":"1e3","a b":" a","2001-01-01":"2001-01-01","#":"a: b","-":"- a"})",
      R"({"s":["line\nline\n","line\nno end","\n\n","a\n\nb\n","tab\t\n"," lead\n","é😀","it's","'","\u0001"]})",
      R"("top")",
      "[]",
      "{}",
      R"("... a")",
      R"({"...":"..."})",
      R"("- a\n  b\n")",
      R"(["\u007f","\u0080\u0085\u009f","\ufeffa","\ufffe\uffff\ufffd","a\u2028\nb\n","a\u0085\nb\n","a\tb\n","a\rb\n"])",
      R"(["~","null",".inf","<<","*a","&a","!a","%a","@a","`a","a #b","a:","?"])",
  };
  const std::string long_key = R"([{"a":{")" + std::string(2000, 'k') + R"(":{"b":[1]},"c":2}}])";
  std::vector<std::string> texts(std::begin(kTexts), std::end(kTexts));
  texts.push_back(long_key);
  for (const std::string& json : texts) {
    Arena arena;
    std::string yaml = to_yaml(*read_json(json, arena));
    auto back = read_yaml(yaml, arena);
    ASSERT_TRUE(back.ok()) << yaml << show(back.error());
    EXPECT_EQ(to_json(*back), to_json(*read_json(json, arena))) << yaml;
  }
}

// What is read from JSON prints as Go's plain values, wherever a number became another.
TEST(Documents, NumbersAreAsKubectlSendsThem) {
  const std::string text = R"({"a":1.0,"b":[2.50,{"c":1e3}],"d":[{"e":-0.0}],"f":{"g":1e19}})";
  EXPECT_EQ(read_all(text),
            R"(1:{"a":1,"b":[2.5,{"c":1000}],"d":[{"e":0}],"f":{"g":10000000000000000000}} )");
  EXPECT_EQ(read_all(R"({"kind":"AdmissionReview","a":-0.0})"), R"(1:{"a":-0,"kind":"AdmissionReview"} )");
  Arena arena;
  JsonReader reader;
  const auto documents = read_documents(text, reader, arena);
  const Value& v = documents->front().value;
  EXPECT_TRUE(v.flags() & kNativeMap);
  EXPECT_TRUE(find_member(v, "b")->flags() & kNativeList);
  EXPECT_TRUE(find_member(v, "d")->as_list()[0].flags() & kNativeMap);
}

}  // namespace
}  // namespace portcullis
