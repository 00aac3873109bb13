#include "batch/rule_authorizer.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

TEST(RuleAuthorizer, FirstRuleThatMatchesAnswers) {
  Arena arena;
  Value rules = *read_json(R"([{"verb":"get","user":"eve","decision":"deny","reason":"no"},
    {"verb":"*","group":"","labelSelector":"a=b","decision":"allow","error":"oops"},
    {"fieldSelector":"error","decision":"allow"}])",
                           arena);
  RuleAuthorizer authorizer(rules);
  UserInfo eve =
      read_user_info(*read_json(R"({"username":"eve","groups":["g"],"extra":{"k":["v"]}})", arena), arena);
  ASSERT_EQ(eve.extra.size(), 1u);
  AuthorizationAttributes asked{.user = &eve, .verb = "get"};
  EXPECT_EQ(authorizer.authorize(asked, arena).decision, AuthorizationDecision::Deny);
  EXPECT_EQ(authorizer.authorize(asked, arena).reason, "no");
  asked.verb = "list";
  EXPECT_EQ(authorizer.authorize(asked, arena).decision, AuthorizationDecision::NoOpinion);
  asked.label_selector = "a = b";
  EXPECT_EQ(authorizer.authorize(asked, arena).error, "oops");
  asked.label_selector = "a";
  asked.field_selector = "nonsense";
  EXPECT_EQ(authorizer.authorize(asked, arena).decision, AuthorizationDecision::Allow);
}

}  // namespace
}  // namespace portcullis
