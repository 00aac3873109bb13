#include "admission/authorization/authorizer.h"

#include "interpreter/values/member.h"

namespace portcullis {
namespace {

std::span<const std::string_view> list_texts(const Value* list, Arena& arena) {
  if (!list || !list->is(Kind::List)) return {};
  std::string_view* out = arena.array<std::string_view>(list->size());
  size_t n = 0;
  for (const Value& v : list->as_list()) {
    if (v.is(Kind::String)) out[n++] = v.as_text();
  }
  return {out, n};
}

}  // namespace

UserInfo read_user_info(const Value& json, Arena& arena) {
  UserInfo user;
  user.username = text_member(json, "username");
  user.uid = text_member(json, "uid");
  user.groups = list_texts(find_member(json, "groups"), arena);
  const Value* extra = find_member(json, "extra");
  if (!extra || !extra->is(Kind::Map)) return user;
  UserInfo::Extra* list = arena.array<UserInfo::Extra>(extra->size());
  size_t n = 0;
  for (const MapEntry& e : extra->as_map()) {
    if (e.key.is(Kind::String)) list[n++] = {e.key.as_text(), list_texts(&e.value, arena)};
  }
  user.extra = {list, n};
  return user;
}

}  // namespace portcullis
