// Objects and places of files in the model of reports: an item, a region with the lines around it. Tested by tests/cli/formats.txt.
#pragma once

#include <string_view>

#include "cli/formats/outcomes.h"
#include "cli/reading/input.h"

namespace portcullis {

// The place of a field of an object; the object's own if the path is empty.
outcomes::Region region_of(const InputObject& object, std::string_view path);
// A position in a file.
outcomes::Region region_at(const SourceFile& file, Position position);

// The item of an object, without a status.
outcomes::Item item_of(const InputObject& object);

}  // namespace portcullis
