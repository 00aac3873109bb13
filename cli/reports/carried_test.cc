#include "cli/reports/carried.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

class Carried : public ::testing::Test {
 protected:
  std::string carry(std::string_view manifest, std::string_view before, std::string_view after) {
    return to_json(portcullis::carry(arena_, read(manifest), read(before), read(after)));
  }
  Value read(std::string_view json) { return *read_json(json, arena_); }
  Arena arena_;
};

TEST_F(Carried, OnlyWhatChangedIsInTheManifest) {
  struct Case {
    std::string_view manifest, before, after, carried;
  };
  const Case cases[] = {
      {R"({"a":1})", R"({"a":1,"d":9})", R"({"a":1,"d":9})", R"({"a":1})"},
      {R"({"a":1})", R"({"a":1,"d":9})", R"({"a":2,"d":9})", R"({"a":2})"},
      {R"({"a":1})", R"({"a":1,"d":9})", R"({"a":1,"d":8})", R"({"a":1,"d":8})"},
      {R"({"a":1})", R"({"a":1,"d":{"x":1,"y":2}})", R"({"a":1,"d":{"x":1,"y":3}})",
       R"({"a":1,"d":{"y":3}})"},
      {R"({"a":1,"b":2})", R"({"a":1,"b":2,"d":9})", R"({"a":1,"d":9})", R"({"a":1})"},
      // The API server drops unknown fields and normalises known ones: both stay as written.
      {R"({"typo":1,"cpu":"0.5","a":1})", R"({"cpu":"500m","a":1})", R"({"cpu":"500m","a":2})",
       R"({"a":2,"cpu":"0.5","typo":1})"},
      // A default item after those of the manifest, and an item that a policy inserts at the front.
      {R"({"l":[{"name":"a"}]})", R"({"l":[{"name":"a","d":1},{"name":"default"}]})",
       R"({"l":[{"name":"new"},{"name":"a","d":1},{"name":"default"}]})",
       R"({"l":[{"name":"new"},{"name":"a"}]})"},
      {R"({"l":[1,2,3]})", R"({"l":[1,2,3]})", R"({"l":[1,3]})", R"({"l":[1,3]})"},
  };
  for (const Case& c : cases) EXPECT_EQ(carry(c.manifest, c.before, c.after), c.carried) << c.manifest;
}

TEST_F(Carried, DefaultsOfNewValuesAreTakenOut) {
  // A server that sets `pull` of each item and `kind` of the root.
  auto served = [&](const Value& object) {
    std::string items;
    for (const Value& item : find_member(object, "items")->as_list()) {
      bool has = find_member(item, "pull") != nullptr;
      std::string pull = has ? std::string(text_member(item, "pull")) : "Always";
      items += (items.empty() ? "" : ",") +
               (R"({"name":")" + std::string(text_member(item, "name")) + R"(","pull":")" + pull + R"("})");
    }
    return read("{\"items\":[" + items + "],\"kind\":\"K\"}");
  };
  Value carried =
      read(R"({"items":[{"name":"a"},{"name":"b","pull":"Always"},{"name":"c","pull":"Never"}]})");
  Value manifest = read(R"({"items":[{"name":"a"}]})");
  EXPECT_EQ(to_json(without_defaults(arena_, carried, manifest, served)),
            R"({"items":[{"name":"a"},{"name":"b"},{"name":"c","pull":"Never"}]})");
}

}  // namespace
}  // namespace portcullis
