#include "interpreter/formats/duration.h"

#include "grammar/ascii.h"
#include "interpreter/formats/number.h"

namespace portcullis {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 63;  // the largest magnitude: that of the smallest duration

struct Unit {
  std::string_view name;
  uint64_t nanos;
};

constexpr Unit kUnits[] = {
    {"ns", 1},         {"us", 1000},         {"\u00b5s", 1000},     {"\u03bcs", 1000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};

// Reads digits; false if their value exceeds kLimit.
bool take_whole(std::string_view& text, uint64_t& value) {
  value = 0;
  while (!text.empty() && is_digit(text[0])) {
    if (value > kLimit / 10) return false;
    value = value * 10 + static_cast<uint64_t>(text[0] - '0');
    if (value > kLimit) return false;
    text.remove_prefix(1);
  }
  return true;
}

// Reads the digits of a fraction, value / scale. Digits that do not fit are dropped, as in Go.
void take_fraction(std::string_view& text, uint64_t& value, double& scale) {
  value = 0;
  scale = 1;
  bool overflow = false;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    if (overflow) continue;
    if (value > (kLimit - 1) / 10) {
      overflow = true;
      continue;
    }
    uint64_t next = value * 10 + static_cast<uint64_t>(text[0] - '0');
    if (next > kLimit) {
      overflow = true;
      continue;
    }
    value = next;
    scale *= 10;
  }
}

const Unit* take_unit(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && text[n] != '.' && !is_digit(text[n])) ++n;
  std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  for (const Unit& u : kUnits) {
    if (u.name == name) return &u;
  }
  return nullptr;
}

// Reads one number with its unit and adds it to `sum`.
bool take_term(std::string_view& text, uint64_t& sum) {
  if (text[0] != '.' && !is_digit(text[0])) return false;
  uint64_t whole, fraction = 0;
  double scale = 1;
  size_t before = text.size();
  if (!take_whole(text, whole)) return false;
  bool digits = text.size() != before;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    before = text.size();
    take_fraction(text, fraction, scale);
    digits = digits || text.size() != before;
  }
  if (!digits) return false;
  const Unit* unit = take_unit(text);
  if (unit == nullptr || whole > kLimit / unit->nanos) return false;
  whole *= unit->nanos;
  if (fraction > 0) {
    whole +=
        static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit->nanos) / scale));
    if (whole > kLimit) return false;
  }
  sum += whole;
  return sum <= kLimit;
}

// Appends `value` / 10^digits without trailing zeros: "1.5", "2".
void append_scaled(TextBuilder& out, uint64_t value, int digits) {
  uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  append_uint(out, value / scale);
  uint64_t rest = value % scale;
  if (rest == 0) return;
  out.append('.');
  for (scale /= 10; rest != 0; scale /= 10) {
    out.append(static_cast<char>('0' + rest / scale));
    rest %= scale;
  }
}

}  // namespace

std::optional<int64_t> parse_duration(std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  uint64_t sum = 0;
  while (!text.empty()) {
    if (!take_term(text, sum)) return std::nullopt;
  }
  if (negative) return static_cast<int64_t>(uint64_t{0} - sum);
  if (sum == kLimit) return std::nullopt;
  return static_cast<int64_t>(sum);
}

double duration_seconds(int64_t nanos) {
  return static_cast<double>(nanos / kNanosPerSecond) + static_cast<double>(nanos % kNanosPerSecond) / 1e9;
}

void append_duration_seconds(TextBuilder& out, int64_t nanos) {
  append_decimal(out, duration_seconds(nanos));
  out.append('s');
}

void append_duration(TextBuilder& out, int64_t nanos) {
  if (nanos == 0) return out.append("0s");
  uint64_t u = nanos < 0 ? uint64_t{0} - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  if (nanos < 0) out.append('-');
  if (u < 1000) {
    append_uint(out, u);
    return out.append("ns");
  }
  if (u < 1'000'000) {
    append_scaled(out, u, 3);
    return out.append("\u00b5s");
  }
  if (u < 1'000'000'000) {
    append_scaled(out, u, 6);
    return out.append("ms");
  }
  uint64_t minutes = u / 60'000'000'000;
  if (minutes >= 60) {
    append_uint(out, minutes / 60);
    out.append('h');
  }
  if (minutes > 0) {
    append_uint(out, minutes % 60);
    out.append('m');
  }
  append_scaled(out, u % 60'000'000'000, 9);
  out.append('s');
}

}  // namespace portcullis
