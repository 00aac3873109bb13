#include "admission/expressions/message_value.h"

#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

constexpr size_t kMaxMessage = 5120;  // bytes (MaxEvaluatedMessageExpressionSizeBytes)

}  // namespace

std::string_view unusable_message(const Value& value) {
  if (!value.is(Kind::String)) return "gives no text";
  std::string_view text = trim_space(value.as_text());
  if (text.empty()) return "gives only white space";
  if (text.size() > kMaxMessage) return "gives more than 5120 bytes";
  if (text.find('\n') != std::string_view::npos) return "gives more than one line";
  return {};
}

}  // namespace portcullis
