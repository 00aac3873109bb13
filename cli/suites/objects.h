// The objects that a suite names: in files beside it, each read once, or inline. Tested by tests/cli/test.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/suites/suite.h"

namespace portcullis::suites {

class SuiteObjects {
 public:
  explicit SuiteObjects(Suite& suite) : suite_(suite) {}

  // Adds the objects that the checked value at `path` means: files, selections, objects, or a list of these.
  // `short_namespaces`: a mapping with a name and labels is a Namespace.
  void add(const Value& value, const std::string& path, bool short_namespaces, std::vector<InputObject>& out);
  // The only object that it means; nothing, with an error, if it means none or several.
  std::optional<InputObject> only(const Value& value, const std::string& path);
  // The mapping itself, or the content of a file.
  Value value(const Value& value, const std::string& path);
  // Adds a binding that denies for each policy in the list that no binding there names.
  void bind_all(std::vector<InputObject>& policies);

  // A path of the suite, relative to the suite's directory.
  std::string beside(std::string_view file) const;
  // All objects of a file or directory. `path`: who names it.
  const std::vector<InputObject>& file(const std::string& name, const std::string& path);

  size_t errors() const { return errors_; }

 private:
  void fail(const std::string& path, std::string_view text, std::string_view hint = {});
  void select(const Value& selection, const std::string& path, std::vector<InputObject>& out);
  void add_inline(const Value& object, const std::string& path, bool short_namespaces,
                  std::vector<InputObject>& out);

  Suite& suite_;
  std::map<std::string, std::vector<InputObject>> files_;
  std::map<std::string, std::vector<InputObject>> bindings_;  // that bind_all made, by kind and name
  size_t errors_ = 0;
};

}  // namespace portcullis::suites
