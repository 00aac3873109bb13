// Response: an answer of the batch protocol under construction, and the functions of the modes that fill it.
//
// Idea: members are collected by name and printed in byte order. A mode is a function from the tree of a line
// to the members of its answer. Tested by tests/corpus.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "admission/objects/document.h"
#include "interpreter/values/json.h"

namespace portcullis {

class Response {
 public:
  // Sets a member: `v` as JsonWriter::member writes it, a list of objects, or a piece of JSON.
  template <class T>
  void member(std::string_view name, const T& v) {
    JsonWriter(fresh(name)).data(v);
  }
  // `write(w, item)` writes the members of the object of each item.
  template <class Items, class Write>
  void list(std::string_view name, const Items& items, const Write& write) {
    JsonWriter w(fresh(name));
    w.begin_list();
    for (const auto& item : items) {
      w.begin_object();
      write(w, item);
      w.end_object();
    }
    w.end_list();
  }
  void raw(std::string_view name, std::string json) { fresh(name) = std::move(json); }
  // Drops all other members: the request makes no sense.
  void input_error(std::string_view text);
  std::string print() const;

 private:
  std::string& fresh(std::string_view name) { return members_[std::string(name)] = {}; }
  std::map<std::string, std::string> members_;
};

// The member of an object; null if it is absent or JSON's null.
const Document* member(const Document& object, std::string_view name);

// Sets the member `errors` to field errors.
void set_errors(Response& response, const std::vector<FieldError>& errors);

// A mode of the batch protocol: reads the line `request` and sets the members of its answer. An error says why the line
// makes no sense. Each mode has its own file; batch.cc has the table.
using BatchMode = Result<void> (*)(const Document& request, Response& response);
Result<void> answer_validate(const Document& request, Response& response);
Result<void> answer_review(const Document& request, Response& response);
Result<void> answer_typecheck(const Document& request, Response& response);
Result<void> answer_condition(const Document& request, Response& response);
Result<void> answer_crdrule(const Document& request, Response& response);
Result<void> answer_decode(const Document& request, Response& response);
Result<void> answer_admit(const Document& request, Response& response);
Result<void> answer_webhook(const Document& request, Response& response);

}  // namespace portcullis
