#include "admission/builtin/managed.h"

#include <gtest/gtest.h>

#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

class ManagedTest : public testing::Test {
 protected:
  std::string fields_of(const Value& object, size_t entry = 0) {
    Value list = member(member(object, "metadata"), "managedFields");
    return entry < list.size() ? to_json(member(list.as_list()[entry], "fieldsV1")) : "none";
  }
  std::string create(std::string_view json, std::string_view subresource = {}) {
    DecodeOptions options;
    options.phase = Phase::Validating;
    options.manager = "m";
    options.subresource = subresource;
    return fields_of(normalize(arena_, *read_json(json, arena_), options).object);
  }
  Arena arena_;
};

TEST_F(ManagedTest, NewObjects) {
  EXPECT_EQ(
      create(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","annotations":{"a":"b"}},
                     "spec":{"selector":{"x":"y"},"ports":[{"port":80}],"externalIPs":["1.2.3.4"]}})"),
      R"({"f:metadata":{"f:annotations":{".":{},"f:a":{}}},"f:spec":{"f:externalIPs":{},"f:externalTrafficPolicy":{},)"
      R"("f:internalTrafficPolicy":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},)"
      R"("f:protocol":{},"f:targetPort":{}}},"f:selector":{},"f:sessionAffinity":{},"f:type":{}}})");
  EXPECT_EQ(create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"}})"), "none");
  EXPECT_EQ(create(R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",
                     "metadata":{"name":"s","labels":{"a":"b"}},"spec":{"signerName":"a/b"}})"),
            R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}}})");
}

TEST_F(ManagedTest, MissingKeysAreTheirDefaults) {
  EXPECT_EQ(
      create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},
                     "status":{"resourceClaimStatuses":[{}],"podIPs":[{}]}})"),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},)"
      R"("f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},)"
      R"("f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}})");
}

// An item lacks all of its keys, which have no default: the API server then tracks nothing.
TEST_F(ManagedTest, WhatDoesNotConformHasNone) {
  constexpr std::string_view kFits =
      R"({"apiVersion":"internal.apiserver.k8s.io/v1alpha1","kind":"StorageVersion","metadata":{"name":"a.b","labels":{"a":"b"}},
      "spec":{},"status":{"storageVersions":[{"apiServerID":"x"}]}})";
  std::string fails(kFits);
  fails.replace(fails.find(R"("apiServerID":"x")"), 17, "");
  EXPECT_EQ(create(kFits), R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}}})");
  EXPECT_EQ(create(fails), "none");
}

TEST_F(ManagedTest, UpdatesShareWithOthers) {
  Value stored =
      *read_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"u","managedFields":[
      {"manager":"you","operation":"Update","apiVersion":"v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1",
       "fieldsV1":{"f:data":{".":{},"f:a":{},"f:b":{}}}}]},"data":{"a":"1","b":"2"}})",
                 arena_);
  Value sent = *read_json(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"3"}})", arena_);
  DecodeOptions options;
  options.manager = "me";
  Value made = normalize_update(arena_, sent, stored, options).object.object;
  EXPECT_EQ(fields_of(made, 0), R"({"f:data":{".":{},"f:a":{}}})");
  EXPECT_EQ(fields_of(made, 1), R"({"f:data":{"f:b":{}}})");
}

TEST_F(ManagedTest, SubresourcesKeepToTheirFields) {
  Value stored =
      *read_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u","managedFields":[
      {"manager":"you","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:x":{}}}]},
      "spec":{"containers":[{"name":"c"}]}})",
                 arena_);
  Value sent = *read_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},
      "spec":{"nodeName":"n","containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}})",
                          arena_);
  DecodeOptions options;
  options.manager = "me";
  options.subresource = "resize";
  Value made = normalize_update(arena_, sent, stored, options).object.object;
  EXPECT_EQ(
      fields_of(made, 1),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:resources":{"f:limits":{".":{},"f:cpu":{}},)"
      R"("f:requests":{".":{},"f:cpu":{}}}}}}})");
}

// An entry of another version is compared at that version.
TEST_F(ManagedTest, OtherVersions) {
  Value stored = *read_json(
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h","uid":"u","managedFields":[
      {"manager":"you","operation":"Update","apiVersion":"autoscaling/v1","fieldsType":"FieldsV1",
       "fieldsV1":{"f:spec":{"f:maxReplicas":{},"f:targetCPUUtilizationPercentage":{}}}}]},
      "spec":{"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]}})",
      arena_);
  Value sent =
      *read_json(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},
      "spec":{"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}]}})",
                 arena_);
  DecodeOptions options;
  options.manager = "me";
  Value made = normalize_update(arena_, sent, stored, options).object.object;
  EXPECT_EQ(fields_of(made, 0), R"({"f:spec":{"f:maxReplicas":{}}})");
  EXPECT_EQ(fields_of(made, 1), R"({"f:spec":{"f:metrics":{}}})");
}

}  // namespace
}  // namespace portcullis::builtin
