// See baseline.h.
#include "cli/checks/baseline.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "grammar/ascii.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/documents.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

constexpr std::string_view kAgain = "write it again with --write-baseline";

// "spec.validations[].expression" of "spec.validations[3].expression".
std::string without_numbers(std::string_view path) {
  std::string out;
  for (char c : path) {
    const size_t open = out.rfind('[');
    const bool number =
        c == ']' && open != out.npos && std::all_of(out.begin() + open + 1, out.end(), is_digit);
    if (number) out.resize(open + 1);
    out += c;
  }
  return out;
}

std::string times(size_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

}  // namespace

Baseline::Warning Baseline::warning_of(const PolicyProblem& p, const std::string& text, bool false_alarm) {
  return {std::string(p.object->kind), std::string(p.object->name), without_numbers(p.path), text,
          false_alarm};
}

void Baseline::add(const std::vector<PolicyProblem>& problems) {
  for (const PolicyProblem& p : problems) {
    if (p.severity != Severity::Warning) continue;
    if (p.findings.empty()) entries_[warning_of(p, p.text)].count++;
    for (const PolicyProblem::Finding& f : p.findings) entries_[warning_of(p, f.text, f.false_alarm)].count++;
  }
}

size_t Baseline::take_known(std::vector<PolicyProblem>& problems) {
  size_t count = 0;
  const auto is_known = [&](const Warning& warning) {
    const auto at = entries_.find(warning);
    const bool known = at != entries_.end() && at->second.found < at->second.count;
    if (known) at->second.found++;
    count += known;
    return known;
  };
  std::erase_if(problems, [&](PolicyProblem& p) {
    if (p.severity != Severity::Warning) return false;
    if (p.findings.empty()) return is_known(warning_of(p, p.text));
    std::erase_if(p.findings, [&](const PolicyProblem::Finding& f) {
      return is_known(warning_of(p, f.text, f.false_alarm));
    });
    return p.findings.empty();
  });
  return count;
}

std::string Baseline::text() const {
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  w.list("warnings", entries_, [&](const auto& entry) {
    const auto& [warning, found] = entry;
    if (found.count > 1) w.member("count", found.count);
    if (warning.false_alarm) w.member("falseAlarm", true);
    w.optional("field", warning.field);
    w.member("kind", warning.kind);
    w.member("name", warning.name);
    w.member("text", warning.text);
  });
  w.end_object();
  return "# Warnings that `portcullis check --baseline` leaves out; --write-baseline writes them again.\n" +
         json_as_yaml(json);
}

bool Baseline::read(const std::string& file) {
  file_ = file_name(file);
  const auto fail = [&](const Position position, std::string_view text) {
    say(Severity::Error, file_, position, text);
    return false;
  };
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return fail({}, text.error().text);
  Arena arena;
  const Result<Value> value = read_yaml(*text, arena);
  if (!value.ok()) return fail(value.error().position, value.error().text);
  const YamlDocument document{.size = text->size(), .value = *value};
  const Value* list = value->is(Kind::Map) ? find_member(*value, "warnings", Kind::List) : nullptr;
  if (list == nullptr) return fail({}, "it has no list `warnings`, as --write-baseline writes it");
  for (size_t i = 0; i < list->size(); i++) {
    const Position at = locate(*text, document, "warnings[" + std::to_string(i) + "]");
    if (!read_entry(list->as_list()[i], at))
      return fail(at,
                  "want kind, name and text, and perhaps field, falseAlarm and a count, as --write-baseline "
                  "writes them");
  }
  return true;
}

bool Baseline::read_entry(const Value& entry, Position position) {
  if (!entry.is(Kind::Map)) return false;
  Warning warning;
  size_t count = 1;
  const std::pair<std::string_view, std::string*> texts[] = {
      {"kind", &warning.kind}, {"name", &warning.name}, {"field", &warning.field}, {"text", &warning.text}};
  for (const MapEntry& e : entry.as_map()) {
    const std::string_view name = e.key.as_text();
    const auto* text = std::ranges::find(texts, name, [](const auto& t) { return t.first; });
    if (text != std::end(texts) && e.value.is(Kind::String)) {
      *text->second = e.value.as_text();
    } else if (name == "count" && e.value.is(Kind::Int) && e.value.as_int() > 0) {
      count = static_cast<size_t>(e.value.as_int());
    } else if (name == "falseAlarm" && e.value.is(Kind::Bool)) {
      warning.false_alarm = e.value.is_true();
    } else {
      return false;
    }
  }
  Entry& known = entries_[warning];
  known.count += count;
  known.position = position;
  return find_member(entry, "kind") != nullptr && find_member(entry, "name") != nullptr &&
         find_member(entry, "text") != nullptr;
}

void Baseline::say_stale(std::span<const InputObject> objects) const {
  std::set<std::pair<std::string_view, std::string_view>> given;
  for (const InputObject& o : objects) given.emplace(o.kind, o.name);
  size_t others = 0;
  for (const auto& [w, entry] : entries_) {
    if (entry.found == entry.count) continue;
    if (!given.contains({w.kind, w.name})) {
      others++;
      continue;
    }
    const std::string wanted = entry.count == 1 ? "" : ", not " + times(entry.count);
    say(Severity::Note, file_, entry.position,
        w.kind + " " + w.name + (w.field.empty() ? "" : ": " + w.field) + ": " + w.text + ": there is " +
            (entry.found == 0 ? "no such warning any more" : "this warning " + times(entry.found) + wanted),
        {}, kAgain);
  }
  if (others > 0)
    say(Severity::Note, file_, {},
        std::to_string(others) + (others == 1 ? " entry is" : " entries are") +
            " about objects that are not among the files",
        {}, kAgain);
}

}  // namespace portcullis
