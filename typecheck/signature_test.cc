#include "typecheck/signature.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

std::string describe(std::string_view text) {
  TypePool pool;
  Result<Signature> parsed = parse_signature(text, pool);
  if (!parsed) return parsed.error().text;
  std::string out = (parsed->member ? "member " : "global ") + std::string(parsed->name);
  for (const Type* arg : parsed->args) out += " " + format_type(arg);
  return out + " -> " + format_type(parsed->result) + " / " + std::to_string(parsed->type_params.size());
}

TEST(Signature, TellsMembersFromNamespaces) {
  EXPECT_EQ(describe("string.startsWith(string) -> bool"), "member startsWith string string -> bool / 0");
  EXPECT_EQ(describe("size(list(A)) -> int"), "global size list(A) -> int / 1");
  EXPECT_EQ(describe("list(A).join(string) -> string"), "member join list(A) string -> string / 1");
  EXPECT_EQ(describe("sets.contains(list(T), list(T)) -> bool"),
            "global sets.contains list(T) list(T) -> bool / 1");
  EXPECT_EQ(describe("net.IP.family() -> int"), "member family net.IP -> int / 0");
  EXPECT_EQ(describe("ip.isCanonical(string) -> bool"), "global ip.isCanonical string -> bool / 0");
  EXPECT_EQ(describe("kubernetes.Quantity.add(int) -> kubernetes.Quantity"),
            "member add kubernetes.Quantity int -> kubernetes.Quantity / 0");
  EXPECT_EQ(describe("type(A) -> type(A)"), "global type A -> type(A) / 1");
  EXPECT_EQ(describe("cel.@mapInsert(map(K, V), K, V) -> map(K, V)"),
            "global cel.@mapInsert map(K, V) K V -> map(K, V) / 2");
}

TEST(Signature, ReadsOperators) {
  EXPECT_EQ(describe("_[_](map(A, B), A) -> B"), "global _[_] map(A, B) A -> B / 2");
  EXPECT_EQ(describe("_?._(dyn, string) -> optional_type(V)"),
            "global _?._ dyn string -> optional_type(V) / 1");
  EXPECT_EQ(describe("-_(int) -> int"), "global -_ int -> int / 0");
  EXPECT_EQ(describe("list(T).@sortByAssociatedKeys(list(int)) -> list(T)"),
            "member @sortByAssociatedKeys list(T) list(int) -> list(T) / 1");
}

TEST(Signature, OpaqueAndStructNames) {
  TypePool pool;
  EXPECT_TRUE(parse_type("net.CIDR", pool).value()->is(TypeKind::Opaque));
  EXPECT_TRUE(parse_type("kubernetes.URL", pool).value()->is(TypeKind::Struct));
  EXPECT_EQ(parse_type("google.protobuf.Timestamp", pool).value(), types::kTimestamp);
}

TEST(Signature, MistakesAreNamed) {
  EXPECT_EQ(describe("size(list(A))"), "signature 'size(list(A))': no ' -> '");
  EXPECT_EQ(describe("size -> int"), "signature 'size -> int': no arguments");
  EXPECT_EQ(describe("f(list(int, int)) -> int"),
            "signature 'f(list(int, int)) -> int': wrong number of parameters of 'list'");
  EXPECT_EQ(describe("f(int -> int"), "signature 'f(int -> int': no arguments");
  EXPECT_EQ(describe("f(int) -> int x"), "signature 'f(int) -> int x': unexpected 'x'");
}

}  // namespace
}  // namespace portcullis
