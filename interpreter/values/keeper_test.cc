#include "interpreter/values/keeper.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

class KeeperTest : public testing::Test {
 protected:
  Value kept(std::string_view json) {
    Arena passing;
    return keeper_.keep(*reader_.read(json, passing));
  }

  JsonReader reader_;
  Arena arena_;
  Keeper keeper_{arena_};
};

TEST_F(KeeperTest, GoStructsAndBytesStayWhatTheyAre) {
  Value copy;
  {
    Arena passing;
    MapEntry* entries = alloc_entries(passing, 1);
    entries[0] = {Value::string(passing.copy("data")), Value::bytes(passing.copy("a longer text"))};
    copy = keeper_.keep(Value::map(entries, 1).as_go_struct(7));
  }
  EXPECT_EQ(copy.flags() & kGoStruct, kGoStruct);
  EXPECT_EQ(copy.go_struct(), 7);
  EXPECT_TRUE(copy.as_map()[0].value.is(Kind::Bytes));
  EXPECT_EQ(copy.as_map()[0].key.as_text(), "data");
  EXPECT_EQ(copy.as_map()[0].value.as_text(), "a longer text");
}

TEST_F(KeeperTest, CopiesSayTheSame) {
  std::string large = "{";
  for (int i = 0; i < 40; i++)
    large += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  large += "}";
  for (std::string_view json :
       {std::string_view(
            R"({"a":[1,-2,2.5,true,null,"x",""],"b":{"c":{},"d":[]},"long":"0123456789abcdef"})"),
        std::string_view(R"(["a",["a"],[["a"]]])"), std::string_view("7"), std::string_view(large)}) {
    EXPECT_EQ(to_json(kept(json)), to_json(kept(json))) << json;
    Arena arena;
    EXPECT_EQ(to_json(kept(json)), to_json(*reader_.read(json, arena)));
  }
  EXPECT_EQ(find_member(kept(large), "k39")->as_int(), 39);
}

TEST_F(KeeperTest, EqualPartsAreThereOnce) {
  const Value a = kept(R"({"name":"a","rules":[{"verbs":["get","list"]}]})");
  const Value b = kept(R"({"name":"b","rules":[{"verbs":["get","list"]}]})");
  EXPECT_EQ(find_member(a, "rules")->as_list().data(), find_member(b, "rules")->as_list().data());
  EXPECT_NE(a.as_map().data(), b.as_map().data());
  EXPECT_EQ(a.as_map()[0].key.as_text().data(), b.as_map()[0].key.as_text().data());
  EXPECT_EQ(find_member(a, "name")->as_text(), "a");
}

TEST_F(KeeperTest, ManyEqualValuesTakeNoMemory) {
  const std::string_view json = R"({"kind":"Policy","list":[1,2,3,{"a":"b"}]})";
  kept(json);
  const size_t before = arena_.reserved();
  for (int i = 0; i < 10'000; i++) kept(json);
  EXPECT_EQ(arena_.reserved(), before);
}

}  // namespace
}  // namespace portcullis
