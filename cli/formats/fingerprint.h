// Names findings so that the next run finds the same ones again: for SARIF and GitLab, which show what is new.
//
// Idea: a hash of what stays when lines move, texts are reworded or other findings come and go: the file and name of
// the item, the rule, the binding, the param, the field. Several that agree in all of it are counted in order. The
// hash is 128 bits of FNV-1a: it names, it does not protect. Tested by cli/formats/formats_test.cc.
#pragma once

#include <string>
#include <unordered_map>

#include "cli/formats/outcomes.h"

namespace portcullis::formats {

class Fingerprints {
 public:
  // That of a finding of this item; 32 hexadecimal digits, different for each call.
  std::string of(const outcomes::Item& item, const outcomes::Finding& finding);

 private:
  std::unordered_map<std::string, int> seen_;
};

}  // namespace portcullis::formats
