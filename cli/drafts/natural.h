// What a field can hold, from the types of the API server or the schema of a definition: values that it decodes, and
// that are not left out as empty. Tested by tests/cli/test_init.txt, tests/cli/test_definitions.txt.
#pragma once

#include <optional>
#include <string>

#include "cli/drafts/objects.h"

namespace portcullis::drafts {

// In JSON, for a path of an object of the kind; the path begins with a root (plans.h). Where no type is known, a text.
std::string natural_at(const ObjectKind& kind, const Path& path);
// The same for elements of the list at the path.
std::string natural_item(const ObjectKind& kind, const Path& path);
// A struct at the path with so many of its fields; empty if it is none, or has fewer.
std::string with_fields(const ObjectKind& kind, const Path& path, int64_t count);
// Whether no type is known.
bool is_unknown(const ObjectKind& kind, const Path& path);
// Whether it is known to be a map with keys of all names.
bool is_map(const ObjectKind& kind, const Path& path);
// The first member of the same struct that is another struct, and may be absent; empty if there is none.
Path beside_of(const ObjectKind& kind, const Path& path);
// Whether an object of the kind can have the value (JSON) at the path, here without a root, as far as is known.
bool may_hold(const ObjectKind& kind, const Path& path, const std::string& json);
// The value (JSON) as it may be at a path with a root: a number or bool as a text, where that has to be one, and a
// text as a number. Nothing if it may not be there.
std::optional<std::string> fitting(const ObjectKind& kind, const Path& path, const std::string& json);

// The object with the smallest values of the kind's schema at the steps of a path without a root, where it has none.
std::string with_steps(const std::string& object, const Path& path, const ObjectKind& kind);
void add_steps(Edited& object, const Path& path, const ObjectKind& kind);

}  // namespace portcullis::drafts
