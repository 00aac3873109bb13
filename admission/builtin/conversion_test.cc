#include "admission/builtin/conversion.h"

#include <gtest/gtest.h>

#include "admission/builtin/normalize.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

std::string converted(std::string_view json, std::string_view group, std::string_view version,
                      std::string_view kind) {
  Arena arena;
  Result<Value> object = read_json(json, arena);
  Normalized n = normalize(arena, *object);
  return to_json(convert_to(arena, n.object, group, version, kind));
}

TEST(Conversion, AutoscalerOfV1BecomesV2AndBack) {
  EXPECT_EQ(
      converted(
          R"j({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50}})j",
          "autoscaling", "v2", "HorizontalPodAutoscaler"),
      R"j({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":50,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"kind":"","name":""}},"status":{"currentMetrics":null,"desiredReplicas":0}})j");
  EXPECT_EQ(
      converted(
          R"j({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"1Gi"}}}]}})j",
          "autoscaling", "v1", "HorizontalPodAutoscaler"),
      R"j({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"1Gi\"}}]"},"name":"h"},"spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"kind":"","name":""}},"status":{"currentReplicas":0,"desiredReplicas":0}})j");
}

TEST(Conversion, RequestsOfClaimsAreFlatInTheBeta) {
  EXPECT_EQ(
      converted(
          R"j({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{},"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}]}}})j",
          "resource.k8s.io", "v1", "ResourceClaim"),
      R"j({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c"},"name":"r"}]}},"status":{}})j");
}

TEST(Conversion, OtherKindsOnlyChangeTheirName) {
  EXPECT_EQ(converted(R"j({"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{"a":"b"}})j",
                      "example.com", "v2", "Thing"),
            R"j({"apiVersion":"example.com/v2","data":{"a":"b"},"kind":"Thing","metadata":{}})j");
}

}  // namespace
}  // namespace portcullis::builtin
