#include "admission/expressions/managed_fields_use.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

TEST(ManagedFieldsUse, WhatAnExpressionCouldSee) {
  SharedParses parses;
  for (std::string_view blind :
       {"object.spec.replicas > 1", "has(object.metadata.labels) && 'a' in object.metadata.labels",
        "object.spec.containers.all(c, c.image != oldObject.metadata.name)", "request.name == 'a'",
        "variables.object == 1", "object.?metadata.?labels['a'].orValue('') == object['metadata'][?'name']",
        "[JSONPatch{op: 'add', path: '/metadata/labels/' + object.kind, value: '/metadata/managedFields'}]",
        "[JSONPatch{op: 'move', from: '/metadata/managedFieldsX', path: '/metadata/m'}]",
        "[JSONPatch{op: 'add', path: '/spec' + '/metadata/managedFields'}]",
        "[JSONPatch{op: 'add', path: '/meta', value: ''}, JSONPatch{op: 'remove'}]"})
    EXPECT_FALSE(expression_sees_managed_fields(blind, parses)) << blind;
  for (std::string_view seeing :
       {"object == oldObject",
        "object.metadata.managedFields.size() > 1",
        "has(object.metadata)",
        "oldObject.metadata.exists(k, true)",
        "object['metadata']",
        "{'a': [object]}.size() == 1",
        "object.?metadata",
        "object.?metadata[?'managedFields']",
        "object['meta' + 'data'].name",
        ".object.metadata == null",
        "[1].map(x, object)",
        "no expression",
        "[JSONPatch{op: 'remove', path: '/metadata/managedFields'}]",
        "[JSONPatch{op: 'test', path: '/metadata/managedFields/0/operation', value: 'Update'}]",
        "[JSONPatch{op: 'copy', from: '/metadata/managedFields/0/manager', path: '/spec/a'}]",
        "[1].map(x, JSONPatch{op: 'remove', path: 'x/metadata/managedFields'})",
        "{'a': .JSONPatch{path: '/metadata'}}",
        "JSONPatch{op: 'test', path: ''}",
        "JSONPatch{path: object.spec.path}",
        "JSONPatch{path: '/metadata/' + object.kind}",
        "JSONPatch{path: '/meta' + 'data/managedFields/0'}",
        "JSONPatch{path: '/metadata/managedFields' + object.kind}",
        "JSONPatch{?path: object.?kind}"})
    EXPECT_TRUE(expression_sees_managed_fields(seeing, parses)) << seeing;
}

TEST(ManagedFieldsUse, AllExpressionsOfAPolicyCount) {
  Arena arena;
  SharedParses parses;
  auto sees = [&](std::string_view json) {
    return policy_sees_managed_fields(*read_json(json, arena), parses);
  };
  EXPECT_FALSE(sees(R"({"spec":{"validations":[{"expression":"object.spec.x == 1","message":"object"}]}})"));
  EXPECT_TRUE(sees(R"({"spec":{"validations":[{"expression":"true","messageExpression":"object.kind + object"
}]
}
})"));
  EXPECT_TRUE(sees(R"({"spec":{"variables":[{"name":"m","expression":"object.metadata"}]}})"));
}

}  // namespace
}  // namespace portcullis
