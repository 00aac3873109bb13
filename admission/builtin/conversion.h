// Conversion between the versions of a kind, on plain data, through one common version of the kind.
//
// Idea: most versions differ only in missing fields, so decoding into the struct of the other version
// converts them. This file has the rest: autoscaling/v1 with its annotations, events.k8s.io,
// resource.k8s.io/v1beta1 and others. The common version is v2 for autoscalers, core/v1 for events, v1 for
// claims.
// Limits: versions that 1.37 serves. Source of behaviour: kubernetes pkg/apis/*/v*/conversion.go.
// Tested by admission/builtin/conversion_test.cc and tests/decoded.cc.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// `object` is normalised (or about to be printed) and of the struct `row`. The results live in the arena.
Value to_common(Arena& arena, const StructRow& row, const Value& object);
Value from_common(Arena& arena, const StructRow& row, const Value& object);

// The annotation in which DaemonSets keep a field that apps/v1 does not have.
inline constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
// Annotations in which autoscaling/v1 keeps what its fields cannot hold.
inline constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
inline constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
inline constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
inline constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";

// `object`, an HPA of autoscaling/v1 that mutations made of `former`, with what the conversion of `object` leaves in the internal
// object of `former`: metrics, behavior and parts of the status that neither fields nor annotations give.
Value over_former_autoscaler(Arena& arena, const Value& object, const Value& former);

// The member of a plain map; null if it is absent or `map` is no map.
Value member(const Value& map, std::string_view name);

}  // namespace portcullis::builtin
