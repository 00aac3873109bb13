// RequestLine: the request and cluster in a line of the batch protocol, read strictly.
//
// Idea: it owns an arena with all texts and values. A line that makes no sense is an Error, which the
// protocol answers by `inputError`. Source of behaviour: reference/batch-protocol.md. Tested by tests/corpus,
// tests/oracle/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/authorization/authorizer.h"
#include "admission/objects/document.h"

namespace portcullis {

struct RequestLine {
  Arena arena;
  AdmissionRequest request;
  bool known_operation = true;  // false: an operation that no policy handles
  std::unique_ptr<Authorizer> authorizer;
  std::vector<const Document*> namespaces;
  std::vector<std::vector<EquivalentResource>> equivalents;
};

// Reads the parts that all modes with a request share.
Result<void> read_request_line(const Document& line, RequestLine& out);

// Reads the namespaces of the line into `out`; their values live in the arena of `line`.
Result<void> read_namespaces(RequestLine& line, ObjectsToLoad& out);

// The group, version and kind in an object; empty if its apiVersion has several slashes.
GroupVersionKind kind_of(const Document& object);
// "apps/v1, Kind=Deployment", as Go prints it.
std::string kind_text(const GroupVersionKind& kind);

// A member of an object by type; if it is absent or null, the default.
Result<std::string_view> text_member(const Document& object, std::string_view name);
Result<bool> bool_member(const Document& object, std::string_view name);
// The items of a list.
Result<std::vector<const Document*>> list_member(const Document& object, std::string_view name);

}  // namespace portcullis
