// The reports of coverage: what lcov and a browser make of hostile texts, and that numbers agree.
#include "cli/coverage/report.h"

#include <gtest/gtest.h>

#include "cli/coverage/loaded_policies.h"

namespace portcullis {
namespace {

// A policy whose texts try to leave their element, as nobody reviewed it.
struct Unreviewed {
  explicit Unreviewed(std::string text) : policies("<script>.yaml", std::move(text)) {
    coverage.plan(policies.cluster, *policies.engine);
  }
  LoadedPolicies policies;
  Coverage coverage;
};

constexpr const char* kPolicy = R"y(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: "\"><script>alert(1)</script>\nSF:/etc/passwd"}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations:
  - expression: |
      object.a == '<img src=x onerror="alert(1)">' &&
        object.b in ['ü', '</pre></html>']
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: "\"><script>alert(1)</script>\nSF:/etc/passwd", validationActions: [Deny]}
)y";

TEST(CoverageReport, NoTextLeavesItsElement) {
  Unreviewed bench(kPolicy);
  const std::string html = coverage_html(bench.coverage);
  for (const char* open : {"<script", "<img", "onerror=\"", "http://", "https://"})
    EXPECT_EQ(html.find(open), std::string::npos) << open;
  EXPECT_EQ(html.find("</html>"), html.rfind("</html>"));
  EXPECT_NE(html.find("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"), std::string::npos);
}

TEST(CoverageReport, NoTextForgesARecord) {
  Unreviewed bench(kPolicy);
  const std::string lcov = coverage_lcov(bench.coverage);
  EXPECT_EQ(lcov.find("\nSF:/etc"), std::string::npos);
  EXPECT_EQ(
      lcov,
      "TN:\nSF:<script>.yaml\nFN:7,\"><script>alert(1)</script>?SF:/etc/passwd/"
      "spec.validations[0].expression\n"
      "FNDA:0,\"><script>alert(1)</script>?SF:/etc/passwd/spec.validations[0].expression\nFNF:1\nFNH:0\n"
      "BRDA:7,0,0,-\nBRDA:7,0,1,-\nBRDA:8,0,0,-\nBRDA:8,0,1,-\nBRDA:9,0,0,-\nBRDA:9,0,1,-\nBRDA:11,0,0,-\n"
      "BRF:7\nBRH:0\nDA:7,0\nDA:8,0\nDA:9,0\nDA:11,0\nLF:4\nLH:0\nend_of_record\n");
}

TEST(CoverageReport, PercentIsRoundedDown) {
  EXPECT_EQ(percent_text({1999, 2000}), "99.9 %");
  EXPECT_EQ(percent_text({2000, 2000}), "100.0 %");
  EXPECT_EQ(percent_text({0, 0}), "none");
}

}  // namespace
}  // namespace portcullis
