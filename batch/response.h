// Response: one line of the batch protocol in the making, and the modes that make it.
//
// Idea: members are collected by name and printed in byte order; a mode is a function from the request's tree
// to members. Tested by tests/corpus.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "admission/objects/document.h"

namespace portcullis {

class Response {
 public:
  // `json`: a piece of JSON as it is.
  void set(std::string_view name, std::string json) { members_[std::string(name)] = std::move(json); }
  void set_text(std::string_view name, std::string_view text);
  // Forgets everything else: the request makes no sense.
  void input_error(std::string_view text);
  std::string print() const;

 private:
  std::map<std::string, std::string> members_;
};

// The member of an object, null if it is absent or JSON's null.
const Document* member(const Document& object, std::string_view name);

// A list of field errors as answers write it.
std::string field_errors_json(const std::vector<FieldError>& errors);

// A mode of the batch protocol: reads the line `request` and sets the members of its response,
// `inputError` where no sense can be made of it. Never fails. Each stands in a file of its own
// (batch*.cc); batch.cc has the table.
using BatchMode = void (*)(const Document& request, Response& response);
void answer_validate(const Document& request, Response& response);
void answer_review(const Document& request, Response& response);
void answer_typecheck(const Document& request, Response& response);
void answer_condition(const Document& request, Response& response);
void answer_crdrule(const Document& request, Response& response);
void answer_decode(const Document& request, Response& response);

}  // namespace portcullis
