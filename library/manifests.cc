// Manifests of the public face: see portcullis/manifests.h.
#include "library/manifests.h"

#include "library/bridge.h"
#include "manifests/encoding.h"

namespace portcullis::v1 {

std::string Problem::message() const {
  std::string out = source;
  if (line > 0) out += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!out.empty()) out += ": ";
  return out + (severity == Severity::Error ? "error: " : "warning: ") + text;
}

Manifests::Manifests() : state_(std::make_shared<State>()) {}
Manifests::~Manifests() = default;
Manifests::Manifests(Manifests&&) noexcept = default;
Manifests& Manifests::operator=(Manifests&&) noexcept = default;

bool Manifests::add(std::string_view text, std::string_view source) {
  State& s = *state_;
  size_t before = s.problems.size();
  auto fail = [&](Position at, std::string_view what) {
    s.problems.push_back({.source = std::string(source),
                          .line = at.line,
                          .column = at.column,
                          .object = {},
                          .path = {},
                          .text = std::string(what)});
  };
  auto decoded = decode_text(std::string(text));
  if (!decoded.ok()) return fail(decoded.error().position, decoded.error().text), false;
  SourceFile& file = s.files.emplace_back();
  file.name = source;
  file.text = std::move(decoded->text);
  auto documents = read_documents(file.text, s.reader, s.arena, &file.documents);
  if (documents.ok()) {
    file.documents = std::move(*documents);
  } else {
    fail(documents.error().position, documents.error().text);
  }
  for (const YamlDocument& d : file.documents) {
    if (!d.value.is_null()) split_document(file, d, s.arena, fail, s.objects);
  }
  return s.problems.size() == before;
}

std::span<const Problem> Manifests::problems() const { return state_->problems; }
size_t Manifests::size() const { return state_->objects.size(); }

Manifest Manifests::operator[](size_t index) const {
  const InputObject& o = state_->objects[index];
  Position at = o.locate("");
  return {o.api_version, o.kind, o.name, o.namespace_name, outer(o.value), o.file->name, at.line, at.column};
}

}  // namespace portcullis::v1
