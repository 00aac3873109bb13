// Manifests: Kubernetes objects out of YAML and JSON text, each with the place it came from.
//
//   Manifests manifests;
//   manifests.add(text, "policies.yaml");        // several documents, Lists, JSON: as kubectl reads files
//   for (const Problem& p : manifests.problems()) puts(p.message().c_str());
//
// Manifests belong to one thread at a time; the engines that were loaded from them do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <portcullis/value.h>

namespace portcullis::v1 {

// Something wrong with a text, or with an object in it.
struct Problem {
  enum class Severity : uint8_t { Error, Warning };
  Severity severity = Severity::Error;
  std::string source;        // the name that the text was added with
  int line = 0, column = 0;  // in that text, from 1, columns in code points; 0 where there is no place
  std::string object;        // "ValidatingAdmissionPolicy/limits"; empty if it is about no object
  std::string path;          // the field, "spec.validations[0].expression"; empty: the whole object
  std::string text;          // what is wrong; the API server's words where it has any

  // "policies.yaml:7:15: error: TEXT".
  std::string message() const;
};

// One object. Views and the value live as long as the Manifests, and any Engine that was loaded from them.
struct Manifest {
  std::string_view api_version, kind, name, namespace_name;  // the last two may be empty
  Value value;
  std::string_view source;
  int line = 0, column = 0;  // where it begins
};

class Manifests {
 public:
  Manifests();
  ~Manifests();
  Manifests(Manifests&&) noexcept;
  Manifests& operator=(Manifests&&) noexcept;

  // Reads a text and adds its objects, in order; the text is copied. `source` is what problems call it, a file's name
  // for example. False if something of it cannot be read, which problems() then tell; what stands in front of a
  // document that does not parse is added all the same. Texts in UTF-8, or in UTF-16 with a byte order mark.
  bool add(std::string_view text, std::string_view source = "<text>");

  // What could not be read, of all texts.
  std::span<const Problem> problems() const;

  size_t size() const;
  // `index` is to be below size().
  Manifest operator[](size_t index) const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }  // for Portcullis itself

 private:
  std::shared_ptr<State> state_;
};

}  // namespace portcullis::v1
