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

void Manifests::State::fail(std::string_view source, Position at, std::string_view what) {
  problems.push_back({.source = std::string(source),
                      .line = at.line,
                      .column = at.column,
                      .object = {},
                      .path = {},
                      .text = std::string(what)});
}

SourceFile& Manifests::State::parse(std::string_view text, std::string_view source) {
  SourceFile& file = files.emplace_back();
  file.name = source;
  file.text = std::string(text);
  auto decoded = decode_text(std::string(text));
  if (!decoded.ok()) return fail(source, decoded.error().position, decoded.error().text), file;
  file.text = std::move(*decoded);
  auto documents = read_documents(file.text, reader, arena, &file.documents);
  if (!documents.ok()) return fail(source, documents.error().position, documents.error().text), file;
  file.documents = std::move(*documents);
  return file;
}

void Manifests::State::add_objects(const SourceFile& file) {
  auto fail_here = [&](Position at, std::string_view what) { fail(file.name, at, what); };
  for (const YamlDocument& d : file.documents) {
    if (!d.value.is_null()) split_document(file, d, arena, fail_here, objects);
  }
}

bool Manifests::add(std::string_view text, std::string_view source) {
  const size_t before = state_->problems.size();
  state_->add_objects(state_->parse(text, source));
  return state_->problems.size() == before;
}

std::span<const Problem> Manifests::problems() const { return state_->problems; }
size_t Manifests::size() const { return state_->objects.size(); }

Manifest Manifests::operator[](size_t index) const {
  const InputObject& o = state_->objects[index];
  Position at = o.locate("");
  return {o.api_version, o.kind, o.name, o.namespace_name, outer(o.value), o.file->name, at.line, at.column};
}

}  // namespace portcullis::v1
