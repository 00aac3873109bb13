#include "admission/patching/merge_trace.h"

#include "admission/objects/difference.h"
#include "interpreter/values/json.h"

namespace portcullis::patching {

using ownership::ElementKind;

void MergeTrace::enter(const ownership::PathElement& element) {
  lengths_.push_back(path_.size());
  const Value& v = element.value;
  switch (element.kind) {
    case ElementKind::Field: append_member(path_, v.as_text()); return;
    case ElementKind::Index: path_ += "[" + std::to_string(v.as_int()); break;
    case ElementKind::Item: path_ += "[=" + to_json(v); break;
    case ElementKind::Key:
      path_ += '[';
      for (const MapEntry& e : v.as_map()) {
        if (&e != v.as_map().data()) path_ += ',';
        path_.append(e.key.as_text()).append("=").append(to_json(e.value));
      }
      break;
  }
  path_ += ']';
}

void MergeTrace::leave() {
  path_.resize(lengths_.back());
  lengths_.pop_back();
}

void MergeTrace::tell(MergeStep::Kind kind, size_t from, size_t to) {
  if (count_ == kMostMergeSteps) {
    ++untold_;
    return;
  }
  new (&steps_[count_++])
      MergeStep{kind, arena_.copy(path_), static_cast<uint32_t>(from), static_cast<uint32_t>(to)};
}

}  // namespace portcullis::patching
