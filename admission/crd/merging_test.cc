// managedFields of custom resources: by their schemas, for creates and updates.
#include "admission/crd/merging.h"

#include <gtest/gtest.h>

#include "admission/crd/definition.h"
#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

class CustomManaged : public testing::Test {
 protected:
  void define(const std::string& properties, const std::string& more = "") {
    std::string text =
        R"({"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},"versions":[
        {"name":"v1")" +
        more + R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":)" + properties + "}}}]}}";
    definition_ = Definition::read(*read_json(arena_.copy(text), arena_));
  }
  // The entries of an object with these members besides metadata, each as "manager: fields".
  std::string managed(std::string_view members, std::string_view old_members = "") {
    auto object = [&](std::string_view m) {
      std::string text = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},)";
      return *read_json(arena_.copy(text + std::string(m) + "}"), arena_);
    };
    Value now = object(members), old = old_members.empty() ? Value() : object(old_members);
    FieldManagers managers{"me", "you", "2020-01-01T00:00:00Z"};
    Context context;
    ObjectOutcome outcome =
        definition_->review("v1", now, old_members.empty() ? nullptr : &old, arena_, context, &managers);
    const Value* list =
        find_key(*find_key(outcome.object, Value::string("metadata")), Value::string("managedFields"));
    std::string out;
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const Value& e = list->as_list()[i];
      out += std::string(find_key(e, Value::string("manager"))->as_text()) + ": " +
             to_json(*find_key(e, Value::string("fieldsV1"))) + "\n";
    }
    return out;
  }

  Arena arena_;
  std::shared_ptr<const Definition> definition_;
};

TEST_F(CustomManaged, BySchema) {
  define(R"({"spec":{"type":"object","properties":{
    "list":{"type":"array","items":{"type":"integer"}},"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n","p"],"items":{"type":"object",
       "required":["n"],"properties":{"n":{"type":"string"},"p":{"type":"integer","default":5}}}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
    "leaf":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
    "port":{"x-kubernetes-int-or-string":true}}}})");
  EXPECT_EQ(
      managed(
          R"("spec":{"list":[1],"set":["b","a"],"map":[{"n":"x"}],"free":{"a":{"b":[1]}},"leaf":{"k":"v"},"port":"x","gone":1})"),
      R"(me: {"f:spec":{".":{},"f:free":{".":{},"f:a":{".":{},"f:b":{}}},"f:leaf":{},"f:list":{},)"
      R"("f:map":{".":{},"k:{\"n\":\"x\",\"p\":5}":{".":{},"f:n":{},"f:p":{}}},"f:port":{},)"
      R"("f:set":{".":{},"v:\"a\"":{},"v:\"b\"":{}}}})"
      "\n");
  // Validation comes later, but no field is tracked if the object does not fit the schema.
  EXPECT_EQ(managed(R"("spec":{"set":"x"})"), "");
}

TEST_F(CustomManaged, StatusAndUpdates) {
  constexpr const char* kProperties =
      R"({"spec":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},
          "status":{"type":"object","properties":{"c":{"type":"integer"}}}})";
  define(kProperties);
  EXPECT_EQ(managed(R"("spec":{"a":1},"status":{"c":1})"),
            "me: {\"f:spec\":{\".\":{},\"f:a\":{}},\"f:status\":{\".\":{},\"f:c\":{}}}\n");
  define(kProperties, R"(,"subresources":{"status":{}})");
  EXPECT_EQ(managed(R"("spec":{"a":1},"status":{"c":1})"), "me: {\"f:spec\":{\".\":{},\"f:a\":{}}}\n");
  EXPECT_EQ(managed(R"("spec":{"a":1,"b":2})", R"("spec":{"a":1,"b":1})"),
            "me: {\"f:spec\":{\"f:b\":{}}}\nyou: {\"f:spec\":{\".\":{},\"f:a\":{}}}\n");
}

}  // namespace
}  // namespace portcullis::crd
