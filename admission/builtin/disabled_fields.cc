#include "admission/builtin/disabled_fields.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "admission/builtin/updates.h"

namespace portcullis::builtin {
namespace {

// Fields are "Struct.field", separated by spaces.
struct GateRow {
  std::string_view gate, group;     // group: of the structs' paths
  std::string_view fields;          // one of them in the stored object keeps all
  std::string_view followers = {};  // are kept with them, and keep none
  bool empties = false;             // a struct that is left without fields vanishes, too
};
constexpr GateRow kGates[] = {
    {"AtomicWriteVolumeUserFields", "core",
     "SecretVolumeSource.defaultUser ConfigMapVolumeSource.defaultUser DownwardAPIVolumeSource.defaultUser "
     "ProjectedVolumeSource.defaultUser KeyToPath.user DownwardAPIVolumeFile.user "
     "ServiceAccountTokenProjection.user ClusterTrustBundleProjection.user PodCertificateProjection.user"},
    {"CSIVolumeHealth", "core", "PodStatus.volumeHealth PersistentVolumeClaimStatus.healthStatus"},
    {"CSIVolumeHealth", "storage", "CSINodeStatus.storageHealth"},
    {"CompositePodGroup", "scheduling",
     "PodGroupSpec.parentCompositePodGroupName WorkloadSpec.compositePodGroupTemplates"},
    {"ContainerStopSignals", "core", "Lifecycle.stopSignal", {}, true},
    {"CoordinatedLeaderElection", "coordination", "LeaseSpec.strategy"},
    {"CoordinatedLeaderElection", "coordination", "LeaseSpec.preferredHolder"},
    {"DRADerivedAttributes", "resource",
     "ExactDeviceRequest.derivedAttributes DeviceSubRequest.derivedAttributes "
     "DeviceRequest.derivedAttributes"},
    {"DRADeviceCompatibilityGroups", "resource", "DeviceCounterConsumption.compatibilityGroups"},
    {"DRAListTypeAttributes", "resource",
     "DeviceAttribute.ints DeviceAttribute.bools DeviceAttribute.strings DeviceAttribute.versions"},
    {"DRANodeAllocatableResources", "core", "PodStatus.nodeAllocatableResourceClaimStatuses"},
    {"DRANodeAllocatableResources", "resource",
     "Device.nodeAllocatableResources BasicDevice.nodeAllocatableResources"},
    {"DRAOptionalNodeOperations", "resource",
     "ResourceSliceSpec.skipNodeOperations DeviceRequestAllocationResult.skipNodeOperations"},
    {"DRAPartitionableDevicesType", "resource",
     "ResourceSliceSpec.partitionTypeAttribute ResourcePoolStatusRequestSpec.defaultPartitionTypeAttribute"},
    {"DRAWorkloadResourceClaims", "scheduling", "PodGroupSpec.resourceClaims PodGroupTemplate.resourceClaims",
     "PodGroupStatus.resourceClaimStatuses"},
    {"EmptyDirVolumeMode", "core", "EmptyDirVolumeSource.mode"},
    {"EvictionRequestAPI", "core", "PodSpec.evictionResponders"},
    {"GRPCContainerProbeTLS", "core", "GRPCAction.mode"},
    {"GenericWorkload", "core", "PodSpec.schedulingGroup"},
    {"H2CContainerProbe", "core", "HTTPGetAction.protocol"},
    {"ImageVolumeWithDigest", "core", "VolumeMountStatus.volumeStatus"},
    {"InPlacePodVerticalScalingSchedulerPreemption", "core", "NodeSpec.podPreemptionPolicy"},
    {"PodGroupPreemptionPolicy", "scheduling",
     "PodGroupSpec.preemptionPolicy CompositePodGroupSpec.preemptionPolicy PodGroupTemplate.preemptionPolicy "
     "CompositePodGroupTemplate.preemptionPolicy"},
    {"TopologyAwareWorkloadScheduling", "scheduling",
     "PodGroupSpec.schedulingConstraints PodGroupTemplate.schedulingConstraints"},
    {"VolumeBindMountOptions", "core", "VolumeMount.bindMountOptions"},
    {"WorkloadWithJob", "batch", "JobSpec.scheduling"},
};
using Rows = uint32_t;  // a bit for each row
static_assert(std::size(kGates) <= 32);

// A field that a row names, or that leads to one.
struct Step {
  static constexpr int8_t kLeads = -1;
  uint8_t field;
  int8_t row = kLeads;
  bool uses = false;
  bool single = false;     // the field is no list or map
  uint16_t structure = 0;  // where it leads
};

// The steps of each struct, those of rows first; made once, then immutable.
class Steps {
 public:
  Steps() {
    std::vector<std::vector<Step>> made(all_structs().size());
    for (size_t i = 0; i < std::size(kGates); ++i) {
      add(made, kGates[i].group, kGates[i].fields, {0, static_cast<int8_t>(i), true});
      add(made, kGates[i].group, kGates[i].followers, {0, static_cast<int8_t>(i), false});
    }
    lead(made);
    starts_.reserve(made.size() + 1);
    for (const std::vector<Step>& of_struct : made) {
      starts_.push_back(static_cast<uint16_t>(all_.size()));
      all_.insert(all_.end(), of_struct.begin(), of_struct.end());
    }
    starts_.push_back(static_cast<uint16_t>(all_.size()));
  }
  std::span<const Step> of(const StructRow& row) const {
    const uint16_t* start = &starts_[struct_index(row)];
    return {all_.data() + start[0], all_.data() + start[1]};
  }

 private:
  static void add(std::vector<std::vector<Step>>& made, std::string_view group, std::string_view fields,
                  Step step) {
    while (!fields.empty()) {
      const std::string_view word = next_word(fields), name = word.substr(0, word.find('.'));
      for (const StructRow& row : all_structs()) {
        if (text_at(row.name) != name || group_of(row) != group) continue;
        const int i = field_index(row, word.substr(name.size() + 1));
        if (i < 0) continue;  // of another version
        step.field = static_cast<uint8_t>(i);
        step.single = fields_of(row)[i].shape == kOne;
        made[struct_index(row)].push_back(step);
      }
    }
  }
  static void lead(std::vector<std::vector<Step>>& made) {
    std::vector<bool> leads(made.size()), whole(made.size());
    for (size_t i = 0; i < made.size(); ++i) leads[i] = !made[i].empty();
    for (const KindRow& kind : all_kinds()) whole[kind.structure] = true;
    const auto leads_on = [&](const FieldRow& f) {
      return f.scalar == kStruct && leads[f.structure] && !whole[f.structure];
    };
    for (bool more = true; more;) {
      more = false;
      for (const StructRow& row : all_structs()) {
        const size_t i = struct_index(row);
        if (leads[i] || std::ranges::none_of(fields_of(row), leads_on)) continue;
        leads[i] = more = true;
      }
    }
    for (const StructRow& row : all_structs()) {
      for (size_t i = 0; i < row.count; ++i) {
        const FieldRow& f = fields_of(row)[i];
        if (!leads_on(f)) continue;
        made[struct_index(row)].push_back(
            {static_cast<uint8_t>(i), Step::kLeads, false, f.shape == kOne, f.structure});
      }
    }
  }

  std::vector<Step> all_;
  std::vector<uint16_t> starts_;  // of each struct, and the end
};
const Steps& steps() {
  static const Steps all;
  return all;
}

template <class Do>
void each_within(const Step& step, const Value& slot, Do act) {
  if (step.single) return act(slot);
  if (slot.is(Kind::List)) {
    for (const Value& item : slot.as_list()) act(item);
  } else if (slot.is(Kind::Map)) {
    for (const MapEntry& e : slot.as_map()) act(e.value);
  }
}

// The rows of which `held`, an Object or an unchanged Map, has a field; if `used`, one that keeps the others.
Rows rows_in(const Steps& all, const StructRow& row, const Value& held, bool used) {
  Rows found = 0;
  const auto look = [&](const Step& step, const Value& slot) {
    if (step.row == Step::kLeads) {
      each_within(step, slot,
                  [&](const Value& v) { found |= rows_in(all, struct_at(step.structure), v, used); });
    } else if (!used || (step.uses && (step.single || slot.size() != 0))) {
      found |= Rows{1} << step.row;
    }
  };
  if (is_object(held)) {
    const Value* slots = as_object(held).slots;
    for (const Step& step : all.of(row)) {
      if (!is_absent(slots[step.field])) look(step, slots[step.field]);
    }
  } else if (held.is(Kind::Map) && held.size() != 0) {
    for (const Step& step : all.of(row)) {
      uint32_t at = 0;
      if (const Value* slot = find_text_key(held, kFieldKeys[row.first + step.field], at)) look(step, *slot);
    }
  }
  return found;
}

// Returns whether `o` vanishes.
bool drop(const Steps& all, Object& o, Rows rows) {
  bool empties = false;
  for (const Step& step : all.of(*o.row)) {
    Value& slot = o.slots[step.field];
    if (is_absent(slot)) continue;
    if (step.row == Step::kLeads) {
      each_within(step, slot, [&](const Value& held) {
        if ((rows_in(all, struct_at(step.structure), held, false) & rows) == 0) return;
        Value& own = const_cast<Value&>(held);  // decode() made the lists and maps of structs
        if (drop(all,
                 is_object(own) ? as_object(own) : thaw(*o.arena, own, kFieldRows[o.row->first + step.field]),
                 rows))
          own = absent();
      });
    } else if ((rows >> step.row & 1) != 0) {
      slot = absent();
      empties |= kGates[step.row].empties;
    }
  }
  return empties && std::all_of(o.slots, o.slots + o.row->count, is_absent);
}

}  // namespace

void drop_disabled_fields(Object& object, const Object* stored) {
  const Steps& all = steps();
  Rows rows = rows_in(all, *object.row, Value::opaque(&object), false);
  if (rows != 0 && stored != nullptr) rows &= ~rows_in(all, *stored->row, Value::opaque(stored), true);
  if (rows != 0) drop(all, object, rows);
}

}  // namespace portcullis::builtin
