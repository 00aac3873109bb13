// See objects.h.
#include "cli/suites/objects.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/messages/messages.h"
#include "cli/suites/members.h"
#include "interpreter/values/changed.h"

namespace portcullis::suites {
namespace {

std::string binding_text(const InputObject& policy) {
  const bool mutating = is_mutating(policy);
  std::string out = "apiVersion: " + std::string(policy.api_version) + "\nkind: " + std::string(policy.kind) +
                    "Binding\nmetadata: {name: " + quote_json(policy.name) +
                    "}\nspec: {policyName: " + quote_json(policy.name);
  return out + (mutating ? "}\n" : ", validationActions: [Deny]}\n");
}

// What a selection asks for, and the member of an object that has it.
struct Choice {
  std::string_view name;
  std::string_view InputObject::* member;
};
constexpr Choice kChoices[] = {
    {"kind", &InputObject::kind}, {"name", &InputObject::name}, {"namespace", &InputObject::namespace_name}};

// `except`: what the object may have otherwise.
bool is_selected(const InputObject& o, const Value& selection, const Choice* except = nullptr) {
  return std::ranges::all_of(kChoices, [&](const Choice& c) {
    const Value* wanted = find_member(selection, c.name);
    return &c == except || wanted == nullptr || wanted->as_text() == o.*c.member;
  });
}

// Says that the selection means none of the objects, and which it may mean.
std::string none_meant(const std::vector<InputObject>& objects, const Value& selection,
                       std::string_view file) {
  std::string asked, meant;
  for (const Choice& c : kChoices) {
    const Value* wanted = find_member(selection, c.name);
    if (wanted == nullptr) continue;
    asked += (asked.empty() ? "" : ", ") + std::string(c.name) + " " + quote_json(wanted->as_text());
    std::vector<std::string> others;
    for (const InputObject& o : objects) {
      if (is_selected(o, selection, &c)) others.emplace_back(o.*c.member);
    }
    if (meant.empty()) meant = suggestion(wanted->as_text(), others);
  }
  return "no object in " + quote_json(file) + " has " + asked + meant;
}

}  // namespace

void SuiteObjects::fail(const std::string& path, std::string_view text, std::string_view hint) {
  errors_++;
  say(Severity::Error, suite_.file->name, suite_.locate(path, false), text, suite_.file->text, hint);
}

std::string SuiteObjects::beside(std::string_view file) const {
  const std::filesystem::path path(file);
  if (path.is_absolute() || suite_.file->name == "<stdin>") return std::string(file);
  return (std::filesystem::path(suite_.file->name).parent_path() / path).lexically_normal().string();
}

const std::vector<InputObject>& SuiteObjects::file(const std::string& name, const std::string& path) {
  auto [found, fresh] = files_.try_emplace(name);
  if (!fresh) return found->second;
  const std::string whole = beside(name);
  suite_.files.push_back(whole);
  std::error_code error;
  if (!std::filesystem::exists(whole, error)) {
    fail(path, "there is no file " + quote_json(whole));
    return found->second;
  }
  const size_t errors = suite_.inputs.errors();
  std::vector<Message> said;
  {
    Listening listening;
    found->second = suite_.inputs.read(std::vector{whole}, {}, true);
    said = std::move(listening.messages);
  }
  for (const Message& m : said) {  // notes are about what is left out of directories
    if (m.severity != Severity::Note) say(m);
  }
  errors_ += suite_.inputs.errors() - errors;
  if (suite_.inputs.errors() == errors && found->second.empty())
    fail(path, "there are no objects in " + quote_json(whole),
         std::filesystem::is_directory(whole, error)
             ? "a suite reads the files of a directory, but not the directories below"
             : "");
  return found->second;
}

void SuiteObjects::add(const Value& value, const std::string& path, bool short_namespaces,
                       std::vector<InputObject>& out) {
  if (value.is(Kind::List)) {
    for (size_t i = 0; i < value.size(); i++)
      add(value.as_list()[i], path + "[" + std::to_string(i) + "]", short_namespaces, out);
  } else if (value.is(Kind::String)) {
    const std::vector<InputObject>& all = file(std::string(value.as_text()), path);
    out.insert(out.end(), all.begin(), all.end());
  } else if (find_member(value, "file") != nullptr) {
    select(value, path, out);
  } else {
    add_inline(value, path, short_namespaces, out);
  }
}

void SuiteObjects::select(const Value& selection, const std::string& path, std::vector<InputObject>& out) {
  const size_t errors = errors_;
  const std::vector<InputObject>& all = file(std::string(text_member(selection, "file")), path + ".file");
  if (errors_ != errors) return;
  std::vector<InputObject> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const InputObject& o) { return is_selected(o, selection); });
  if (const Value* index = find_member(selection, "index")) {
    const auto at = static_cast<size_t>(index->as_int());
    if (at >= found.size())
      return fail(path + ".index", "there are only " + std::to_string(found.size()) + " such objects");
    found = {found[at]};
  }
  if (found.empty()) return fail(path, none_meant(all, selection, beside(text_member(selection, "file"))));
  out.insert(out.end(), found.begin(), found.end());
}

void SuiteObjects::add_inline(const Value& object, const std::string& path, bool short_namespaces,
                              std::vector<InputObject>& out) {
  InputObject o{.file = suite_.file, .document = suite_.document, .path = path, .value = object};
  Arena& arena = suite_.inputs.arena();
  if (short_namespaces && find_member(object, "kind") == nullptr && find_member(object, "name") != nullptr) {
    o.value = with_member(arena, no_members(), "apiVersion", Value::string("v1"));
    o.value = with_member(arena, o.value, "kind", Value::string("Namespace"));
    o.value = with_member(arena, o.value, "metadata", object);
  }
  o.api_version = text_member(o.value, "apiVersion");
  o.kind = text_member(o.value, "kind");
  for (std::string_view name : {"kind", "apiVersion"}) {
    const Value* member = find_member(o.value, name);
    if (member != nullptr && !member->is(Kind::String))
      return fail(path + "." + std::string(name), no_text(o, name));
    if (text_member(o.value, name).empty())
      return fail(path,
                  "an object with apiVersion and kind is wanted here; " + std::string(name) + " is missing");
  }
  if (const Value* metadata = find_member(o.value, "metadata")) {
    o.name = text_member(*metadata, "name");
    o.namespace_name = text_member(*metadata, "namespace");
  }
  out.push_back(std::move(o));
}

std::optional<InputObject> SuiteObjects::only(const Value& value, const std::string& path) {
  const size_t errors = errors_;
  std::vector<InputObject> found;
  add(value, path, false, found);
  if (errors_ != errors) return std::nullopt;
  if (found.size() == 1) return found[0];
  fail(path, "one object is wanted here, not " + std::to_string(found.size()));
  return std::nullopt;
}

Value SuiteObjects::value(const Value& value, const std::string& path) {
  if (!value.is(Kind::String) && find_member(value, "file") == nullptr) return value;
  std::optional<InputObject> found = only(value, path);
  return found ? found->value : Value();
}

void SuiteObjects::bind_all(std::vector<InputObject>& policies) {
  std::set<std::pair<std::string_view, bool>> bound;
  for (const InputObject& o : policies) {
    if (role_of(o) == Role::Binding) bound.insert({bound_policy(o), is_mutating(o)});
  }
  std::vector<InputObject> made;
  for (const InputObject& o : policies) {
    if (role_of(o) != Role::Policy || o.name.empty() || bound.contains({o.name, is_mutating(o)})) continue;
    auto& known = bindings_[std::string(o.kind) + "/" + std::string(o.name)];
    if (known.empty())
      known = suite_.inputs.read_text(binding_text(o), "(binding of " + std::string(o.name) + ")");
    made.insert(made.end(), known.begin(), known.end());
  }
  policies.insert(policies.end(), made.begin(), made.end());
}

}  // namespace portcullis::suites
