// Rules about updates of single kinds, for the table of object_updates.cc. Files: update_rules.cc, pod_updates.cc.
// Tested by tests/oracle/built_in_updates.py, tests/cli/object_updates.txt.
#pragma once

#include <cstdint>
#include <string_view>

#include "admission/builtin/access.h"
#include "admission/builtin/data.h"
#include "admission/objects/field_error.h"
#include "admission/policies/object_updates.h"

namespace portcullis::updates {

inline constexpr std::string_view kAnnotations = "metadata.annotations";
inline constexpr std::string_view kFixed = "field is immutable";

// An update. The objects are copies, which a rule may change before it compares.
struct Update {
  Arena& arena;
  builtin::Object &now, &old;
  Written written;
  FieldErrors& errors;
};

// The field at a path; absent if the path has an absent struct.
Data at(builtin::Object& object, std::string_view path);
bool same_at(Update& u, std::string_view path);
// Sets the field of `to` to that of `from`; the second one only if `to` has none.
void take(builtin::Object& to, builtin::Object& from, std::string_view path);
void take_if_absent(builtin::Object& to, builtin::Object& from, std::string_view path);
void clear(builtin::Object& object, std::string_view path);
// The text of a key of a map of texts; null if there is none.
const Value* entry(builtin::Object& object, std::string_view path, std::string_view key);
// What `now` leaves out stays as it was: members of structs, entries of maps, and items of lists.
void keep_left_out(Arena& arena, builtin::Object& now, builtin::Object& old);
// The same for the spec that a person wrote, whichever of the two it is.
void keep_spec(Update& u);

// How an error shows the new value.
enum class Shown : uint8_t {
  Json,       // a named type, a pointer, a list: its JSON
  Text,       // a string
  Hidden,     // left out: an internal struct, or what may be null or empty
  Nothing,    // null: declared immutable by a tag
  Forbidden,  // the error is Forbidden, and has no value
};

// Adds an error about the field at `path`, which the error names `said`.
void refuse(Update& u, std::string_view path, Shown shown, std::string_view said, std::string_view detail);
inline void refuse(Update& u, std::string_view path, Shown shown, std::string_view detail = kFixed) {
  refuse(u, path, shown, path, detail);
}

void check_role(Update& u);
void check_scopes(Update& u);
void check_node(Update& u);
void check_csi_node(Update& u);
void check_service_cidr(Update& u);
void check_volume(Update& u);
void check_claim(Update& u);
void check_service(Update& u);
void check_completions(Update& u);
void check_template(Update& u);
void check_pod(Update& u);
void check_debugging(Update& u);
void check_resize(Update& u);

}  // namespace portcullis::updates
