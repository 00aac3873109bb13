// Admission plugins that are on by default and change new objects according to other objects of the cluster
// (surroundings.h): LimitRanger, ServiceAccount, RuntimeClass, DefaultStorageClass, DefaultIngressClass.
// (Priority is in pods.cc.) Limits: plugins never refuse a request here. Source of behaviour: kubernetes
// plugin/pkg/admission. Tested by admission/builtin/plugins_test.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Each does nothing if the surroundings are null or lack the objects that it needs.
void limit_resources(const Filling& with, Object& pod);
void give_service_account(const Filling& with, Object& pod);
void run_by_class(const Filling& with, Object& pod);
void choose_storage_class(const Filling& with, Object& claim);
void choose_ingress_class(const Filling& with, Object& ingress);

}  // namespace portcullis::builtin
