// Manifests: Kubernetes objects from YAML and JSON texts, each with its place in the text.
//
//   Manifests manifests;
//   manifests.add(text, "policies.yaml");        // several documents, Lists, JSON: as kubectl reads files
//   for (const Problem& p : manifests.problems()) puts(p.message().c_str());
//
// Manifests belong to one thread at a time; the engines loaded from them may be shared. Texts may be added after
// Engine::load: the engines that are there do not have their objects, and other threads may go on using them.
// Tested by library/load_test.cc and tests/client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <portcullis/value.h>

namespace portcullis::v1 {

// A mistake in a text, or in an object of it.
struct Problem {
  enum class Severity : uint8_t { Error, Warning };
  Severity severity = Severity::Error;
  std::string source;        // the name given to add()
  int line = 0, column = 0;  // in that text, from 1, columns in code points; 0: unknown
  std::string object;        // "ValidatingAdmissionPolicy/limits"; empty: no object
  std::string path;          // the field, "spec.validations[0].expression"; empty: the whole object
  std::string text;          // the mistake; in the API server's words if it has any
  // The member of LoadOptions that would solve it, "LoadOptions::param_scopes": the end of `text`, which callers may
  // replace by what their users can set. Empty: none.
  std::string option = {};

  // "policies.yaml:7:15: error: TEXT".
  std::string message() const;
};

// One object. Views and value live as long as the Manifests or an Engine that was loaded from them, whichever is
// longer.
struct Manifest {
  std::string_view api_version, kind, name, namespace_name;  // the last two may be empty
  Value value;
  std::string_view source;
  int line = 0, column = 0;  // where it begins
};

// Manifests that were moved from may only be destroyed or assigned to.
class Manifests {
 public:
  Manifests();
  ~Manifests();
  Manifests(Manifests&&) noexcept;
  Manifests& operator=(Manifests&&) noexcept;

  // Reads a text and adds its objects in order. The text is copied; it is UTF-8, or UTF-16 with a byte order mark,
  // and bytes that are neither are read as U+FFFD. Numbers are what kubectl sends (1 for 1.0), except in an
  // AdmissionReview. `source` is its name in problems, for example a file name. Returns false if a part cannot be
  // read; problems() then has the reasons. Documents before one that cannot be parsed are added nevertheless.
  bool add(std::string_view text, std::string_view source = "<text>");

  // The mistakes of all texts that could not be read. Valid until the next add().
  std::span<const Problem> problems() const;

  size_t size() const;
  // `index` must be below size().
  Manifest operator[](size_t index) const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }  // for Portcullis itself

 private:
  std::shared_ptr<State> state_;
};

}  // namespace portcullis::v1
