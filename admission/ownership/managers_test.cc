#include "admission/ownership/managers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "interpreter/values/json.h"

namespace portcullis::ownership {
namespace {

// Data without a schema at the versions v1 and v2; updates of a subresource own nothing but what is below
// "spec".
class FreeVersions final : public Versions {
 public:
  explicit FreeVersions(std::string_view reset = "status") : reset_(reset) {}
  std::optional<Versioned> at(Arena&, const Value& object, std::string_view api_version) const override {
    if (api_version != "v1" && api_version != "v2") return {};
    return Versioned{object, &any_};
  }
  FieldSet without_reset(Arena& arena, const FieldSet& set, std::string_view) const override {
    return subtract(arena, set, path_set(arena, reset_), true);
  }

 private:
  MergeType any_{.form = Form::Any};
  std::string_view reset_;
};

class ManagersTest : public testing::Test {
 protected:
  Value read(std::string_view json) { return *read_json(json, arena_); }
  std::string manage(std::string_view before, std::string_view after, std::string_view list,
                     std::string_view after_list = "null",
                     Manager manager = {"me", "v1", "", "2020-01-01T00:00:05Z"},
                     std::string_view reset = "status") {
    Change change{read(before), read(after), read(list), read(after_list), list == "null"};
    Value made = manage_fields(arena_, manager, change, FreeVersions(reset));
    std::string out;
    for (size_t i = 0; made.is(Kind::List) && i < made.size(); ++i) {
      const Value& e = made.as_list()[i];
      auto part = [&](std::string_view name) {
        const Value* v = find_key(e, Value::string(name));
        return v == nullptr ? std::string() : v->is(Kind::String) ? std::string(v->as_text()) : to_json(*v);
      };
      std::string time = part("time");
      out += part("manager") + " " + part("operation").substr(0, 1) + part("subresource") + " " +
             part("apiVersion") + " " + (time.empty() ? "-" : time.substr(17, 2)) + " " + part("fieldsV1") +
             "\n";
    }
    return out;
  }
  static std::string entry(std::string_view manager, std::string_view fields,
                           std::string_view more = R"("time":"2020-01-01T00:00:01Z")",
                           std::string_view version = "v1", std::string_view operation = "Update") {
    return R"({"manager":")" + std::string(manager) + R"(","operation":")" + std::string(operation) +
           R"(","apiVersion":")" + std::string(version) + R"(","fieldsType":"FieldsV1",)" +
           std::string(more) + R"(,"fieldsV1":)" + std::string(fields) + "}";
  }
  Arena arena_;
};

TEST_F(ManagersTest, CreateOwnsAllButWhatIsNobodys) {
  EXPECT_EQ(
      manage(
          R"({"spec":{},"status":{}})",
          R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":1}})",
          "null"),
      R"(me U v1 05 {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:x":{}}})"
      "\n");
  EXPECT_EQ(manage("{}", R"({"metadata":{"name":"n"}})", "null"), "");
}

TEST_F(ManagersTest, OthersYieldWhatIsTaken) {
  std::string list =
      "[" + entry("you", R"({"f:a":{},"f:b":{},"f:c":{}})") + "," + entry("one", R"({"f:a":{}})") + "]";
  EXPECT_EQ(manage(R"({"a":1,"b":1,"c":1})", R"({"a":2,"c":1})", list),
            "you U v1 01 {\"f:c\":{}}\nme U v1 05 {\"f:a\":{}}\n");
}

TEST_F(ManagersTest, NothingNewLeavesTheTime) {
  std::string list = "[" + entry("me", R"({"f:a":{},"f:b":{}})") + "]";
  EXPECT_EQ(manage(R"({"a":1,"b":2})", R"({"a":1,"b":2})", list), "me U v1 01 {\"f:a\":{},\"f:b\":{}}\n");
  EXPECT_EQ(manage(R"({"a":1,"b":2})", R"({"a":1})", list), "me U v1 01 {\"f:a\":{}}\n");
  EXPECT_EQ(manage(R"({"a":1,"b":2})", R"({"a":1,"b":3})", list), "me U v1 05 {\"f:a\":{},\"f:b\":{}}\n");
}

TEST_F(ManagersTest, OwnersAreToldApart) {
  std::string list = "[" + entry("me", R"({"f:a":{}})", R"("subresource":"status")") + "," +
                     entry("me", R"({"f:a":{}})", R"("time":null)", "v2") + "," +
                     entry("me", R"({"f:b":{}})", R"("time":null)", "v1", "Apply") + "]";
  EXPECT_EQ(manage("{}", R"({"c":1})", list),
            "me A v1 - {\"f:b\":{}}\nme Ustatus v1 - {\"f:a\":{}}\nme U v2 - {\"f:a\":{}}\nme U v1 05 "
            "{\"f:c\":{}}\n");
}

TEST_F(ManagersTest, WhatIsSentCountsIfItIsValid) {
  std::string stored = "[" + entry("you", R"({"f:a":{}})") + "]",
              sent = "[" + entry("new", R"({"f:a":{}})") + "]";
  std::string bad = "[" + entry("new", R"({"a":{}})") + "]";
  constexpr std::string_view kSame = R"({"a":1})";
  EXPECT_EQ(manage(kSame, kSame, stored, sent), "new U v1 01 {\"f:a\":{}}\n");
  EXPECT_EQ(manage(kSame, kSame, stored, bad), "you U v1 01 {\"f:a\":{}}\n");
  EXPECT_EQ(manage(kSame, kSame, stored, "[]"), "");
  EXPECT_EQ(manage(kSame, kSame, stored, "[{}]"), "");
  Manager status{"me", "v1", "status", "2020-01-01T00:00:05Z"};
  EXPECT_EQ(manage(kSame, R"({"a":1,"spec":{"x":1},"status":{"x":1}})", stored, sent, status, "spec"),
            "you U v1 01 {\"f:a\":{}}\nme Ustatus v1 05 {\"f:status\":{\".\":{},\"f:x\":{}}}\n");
}

TEST_F(ManagersTest, VersionsThatAreNoMoreGo) {
  std::string list = "[" + entry("you", R"({"f:a":{}})", R"("time":null)", "v0") + "]";
  EXPECT_EQ(manage(R"({"a":1})", R"({"a":1})", list), "");
}

TEST_F(ManagersTest, TheOldestOfManyBecomeOne) {
  std::string list = "[";
  for (int i = 0; i < 11; ++i) {
    std::string field = "{\"f:f" + std::to_string(i) + "\":{}}",
                time = R"("time":"2020-01-01T00:00:)" + std::to_string(10 + i) + "Z\"";
    list += (i == 0 ? "" : ",") + entry("m" + std::to_string(i), field, time);
  }
  std::string made = manage("{}", "{}", list + "]");
  EXPECT_EQ(std::count(made.begin(), made.end(), '\n'), 10);
  EXPECT_TRUE(made.starts_with("ancient-changes U v1 11 {\"f:f0\":{},\"f:f1\":{}}\nm2 U v1 12 ")) << made;
}

// A client chooses the list that it sends, so memory must grow with the length of the list, not with its
// square.
TEST_F(ManagersTest, ManyManagersTakeMemoryOfTheirNumber) {
  constexpr int kManagers = 20000;
  std::string object = "{", list = "[";
  for (int i = 0; i < kManagers; ++i) {
    std::string name = std::to_string(i), comma = i == 0 ? "" : ",";
    object += comma + "\"f" + name + "\":1";
    list += comma + entry("m" + name, "{\"f:f" + name + "\":{}}");
  }
  std::string made = manage(object + "}", object + "}", list + "]");
  EXPECT_EQ(std::count(made.begin(), made.end(), '\n'), 10);
  EXPECT_LT(arena_.reserved(), size_t{kManagers} * 4096);
}

}  // namespace
}  // namespace portcullis::ownership
