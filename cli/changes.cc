// See changes.h.
#include "cli/changes.h"

#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// A key as a step of a JSON pointer.
std::string step(std::string_view key) {
  std::string out = "/";
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

class Changes {
 public:
  Changes() : writer_(out_) { writer_.begin_list(); }

  std::string finish() {
    writer_.end_list();
    return std::move(out_);
  }

  void compare(const Value& before, const Value& after, const std::string& path) {
    if (before.is(Kind::Map) && after.is(Kind::Map)) return compare_maps(before, after, path);
    if (before.is(Kind::List) && after.is(Kind::List)) return compare_lists(before, after, path);
    if (to_json(before) != to_json(after)) add("replace", path, &before, &after);
  }

 private:
  void add(std::string_view operation, const std::string& path, const Value* before, const Value* after) {
    writer_.begin_object();
    if (before != nullptr) {
      writer_.key("old");
      writer_.raw(to_json(*before));
    }
    writer_.key("op");
    writer_.string(operation);
    writer_.key("path");
    writer_.string(path);
    if (after != nullptr) {
      writer_.key("value");
      writer_.raw(to_json(*after));
    }
    writer_.end_object();
  }

  void compare_maps(const Value& before, const Value& after, const std::string& path) {
    for (const MapEntry& e : before.as_map()) {
      std::string at = path + step(e.key.as_text());
      const Value* now = find_member(after, e.key.as_text());
      now == nullptr ? add("remove", at, &e.value, nullptr) : compare(e.value, *now, at);
    }
    for (const MapEntry& e : after.as_map()) {
      if (find_member(before, e.key.as_text()) == nullptr)
        add("add", path + step(e.key.as_text()), nullptr, &e.value);
    }
  }

  // The last of a longer list are removed from behind, so that indices stay.
  void compare_lists(const Value& before, const Value& after, const std::string& path) {
    auto a = before.as_list(), b = after.as_list();
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
      compare(a[i], b[i], path + "/" + std::to_string(i));
    for (size_t i = a.size(); i > b.size(); i--)
      add("remove", path + "/" + std::to_string(i - 1), &a[i - 1], nullptr);
    for (size_t i = a.size(); i < b.size(); i++) add("add", path + "/-", nullptr, &b[i]);
  }

  std::string out_;
  JsonWriter writer_;
};

}  // namespace

std::string changes_json(const Value& before, const Value& after) {
  Changes changes;
  changes.compare(before, after, "");
  return changes.finish();
}

}  // namespace portcullis
