#include "admission/builtin/time.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "grammar/ascii.h"
#include "interpreter/formats/timestamp.h"

namespace portcullis::builtin {
namespace {

bool digit_at(std::string_view s, size_t i) { return i < s.size() && is_digit(s[i]); }

// Go's time.quote: hexadecimal escapes for bytes that are not printable ASCII.
std::string quote_time(std::string_view s) {
  std::string out = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < ' ' || c >= 0x80) {
      out.append("\\x").append(1, kHexDigits[c >> 4]).append(1, kHexDigits[c & 15]);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

int days_in(int month, int year) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// Go's time.Parse over the elements of an RFC 3339 layout.
class Parser {
 public:
  Parser(std::string_view layout, std::string_view text) : layout_(layout), text_(text), rest_(text) {}

  // Returns the error, empty on success; then seconds(), nanos() and offset() are valid.
  std::string run() {
    if (!date()) return error_;
    if (layout_ != kDateOnly && (!literal("T") || !clock())) return error_;
    if ((layout_ == kRfc3339 || layout_ == kRfc3339Micro) && !zone()) return error_;
    if (!rest_.empty()) return fail_with(": extra text: " + quote_time(rest_));
    if (day_ < 1 || day_ > days_in(month_, year_)) return fail_with(": day out of range");
    return "";
  }

  int64_t seconds() const { return unix_seconds(year_, month_, day_, hour_, minute_, second_) - offset_; }
  int nanos() const { return nanos_; }
  int offset() const { return offset_; }

 private:
  bool fail(std::string_view element, std::string_view at) {
    error_ = "parsing time " + quote_time(text_) + " as " + quote_time(layout_) + ": cannot parse " +
             quote_time(at) + " as " + quote_time(element);
    return false;
  }
  std::string fail_with(const std::string& message) {
    return error_ = "parsing time " + quote_time(text_) + message;
  }
  bool out_of_range(const char* what) {
    fail_with(std::string(": ") + what + " out of range");
    return false;
  }

  bool date() {
    return year() && literal("-") && number("01", true, 1, 12, "month", month_) && literal("-") &&
           number("02", true, 0, 99, "", day_);
  }
  bool clock() {
    return number("15", false, 0, 23, "hour", hour_) && literal(":") &&
           number("04", true, 0, 59, "minute", minute_) && literal(":") &&
           number("05", true, 0, 59, "second", second_) && (layout_ == kRfc3339Micro ? micros() : fraction());
  }

  bool literal(std::string_view c) {
    if (rest_.empty() || rest_[0] != c[0]) return fail(c, rest_);
    rest_.remove_prefix(1);
    return true;
  }
  bool year() {
    if (rest_.size() < 4 || !digit_at(rest_, 0)) return fail("2006", rest_);
    for (size_t i = 0; i < 4; ++i) {
      if (!digit_at(rest_, i)) return fail("2006", rest_);
      year_ = year_ * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    return true;
  }
  bool number(std::string_view element, bool fixed, int low, int high, const char* what, int& out) {
    if (!digit_at(rest_, 0) || (!digit_at(rest_, 1) && fixed)) return fail(element, rest_);
    bool two = digit_at(rest_, 1);
    out = two ? (rest_[0] - '0') * 10 + (rest_[1] - '0') : rest_[0] - '0';
    rest_.remove_prefix(two ? 2 : 1);
    if (out < low || out > high) return out_of_range(what);
    return true;
  }
  // Seconds may have a fraction, even if the layout has none.
  bool fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !digit_at(rest_, 1)) return true;
    constexpr size_t kNanoDigits = 9;  // further digits are cut
    size_t n = 1;
    int scale = 1'000'000'000;
    for (; digit_at(rest_, n); ++n) {
      if (n > kNanoDigits) continue;
      scale /= 10;
      nanos_ += (rest_[n] - '0') * scale;
    }
    rest_.remove_prefix(n);
    return true;
  }
  bool micros() {
    constexpr std::string_view kElement = ".000000";
    if (rest_.size() < kElement.size() || (rest_[0] != '.' && rest_[0] != ',')) return fail(kElement, rest_);
    int value = 0;
    for (size_t i = 1; i < kElement.size(); ++i) {
      if (!digit_at(rest_, i)) return fail(kElement, rest_);
      value = value * 10 + (rest_[i] - '0');
    }
    nanos_ = value * 1000;
    rest_.remove_prefix(kElement.size());
    return true;
  }
  bool zone() {
    constexpr std::string_view kElement = "Z07:00";
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || rest_[3] != ':' || !digit_at(rest_, 1) || !digit_at(rest_, 2) ||
        !digit_at(rest_, 4) || !digit_at(rest_, 5)) {
      return fail(kElement, rest_);
    }
    int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0'), minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return out_of_range("time zone offset hour");
    if (minutes > 60) return out_of_range("time zone offset minute");
    if (rest_[0] != '+' && rest_[0] != '-') return fail(kElement, rest_);
    offset_ = (hours * 60 + minutes) * 60 * (rest_[0] == '-' ? -1 : 1);
    rest_.remove_prefix(6);
    return true;
  }

  std::string_view layout_, text_, rest_;
  std::string error_;
  int year_ = 0, month_ = 0, day_ = 0, hour_ = 0, minute_ = 0, second_ = 0, offset_ = 0, nanos_ = 0;
};

// Writes the last `count` digits of `value` at `at`; returns their end.
char* put_digits(char* at, int64_t value, int count) {
  for (int i = count - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
  return at + count;
}

// "2020-01-02T03:04:05Z", with six digits of `micros` unless it is negative.
std::string_view print_utc(Arena& arena, int64_t seconds, int micros) {
  const Civil c = civil_time(seconds);
  char out[64];
  char* at = out;
  if (c.year < 0) *at++ = '-';
  at = put_digits(at, std::abs(c.year),
                  c.year > 9999 ? 5 : 4);  // an offset leads out of the years that Go reads
  const struct {
    char before;
    int value;
  } parts[] = {{'-', c.month}, {'-', c.day}, {'T', c.hour}, {':', c.minute}, {':', c.second}};
  for (const auto& part : parts) {
    *at++ = part.before;
    at = put_digits(at, part.value, 2);
  }
  if (micros >= 0) {
    *at++ = '.';
    at = put_digits(at, micros, 6);
  }
  *at++ = 'Z';
  return arena.copy({out, static_cast<size_t>(at - out)});
}

}  // namespace

GoTime parse_go_time(std::string_view layout, std::string_view text) {
  Parser parser(layout, text);
  if (std::string error = parser.run(); !error.empty()) return {std::move(error)};
  return {{}, parser.seconds(), parser.nanos(), parser.offset()};
}

ParsedTime parse_time(Arena& arena, std::string_view layout, std::string_view text) {
  Parser parser(layout, text);
  if (std::string error = parser.run(); !error.empty()) return {std::move(error), {}};
  if (parser.seconds() == kMinUnixSeconds && parser.nanos() == 0) return {};
  return {"", print_utc(arena, parser.seconds(), layout == kRfc3339Micro ? parser.nanos() / 1000 : -1)};
}

std::string_view time_now(Arena& arena) { return print_utc(arena, std::time(nullptr), -1); }

}  // namespace portcullis::builtin
