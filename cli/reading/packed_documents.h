// Documents of a file packed into bytes, a tenth of what their values take in memory.
//
// Idea: many manifests are needed again long after they were read (manifest_stream.h), and YAML takes twenty times as
// long to read as this. Places
// are offsets into the text, numbers have as many bytes as they need, and a key has its text once.
// Limits: what the readers of YAML and JSON make: no other kinds of values, and keys that are texts; nothing that takes
// more than its text, as aliases can.
// Tested by cli/reading/packed_documents_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "manifests/object.h"

namespace portcullis {

// `documents` have their values; null beyond the limits.
std::shared_ptr<const std::string> pack(std::span<const YamlDocument> documents);

// Appends the documents. Texts of values are those in `packed`, which must live as long as the arena.
void unpack(const std::string& packed, Arena& arena, std::vector<YamlDocument>& out);

}  // namespace portcullis
