// Implements interpreter/values/print.h. It is here because it needs duration.h and timestamp.h.
#include "interpreter/values/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "grammar/quote.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

struct Printer {
  bool cel;
  size_t most = kMaxText;
  std::string out = {};
  bool is_cut = false;

  void scalar(const Value& v) {
    switch (v.kind()) {
      case Kind::Null: out += cel ? "null" : "0"; break;  // Go prints the enum NullValue by its number
      case Kind::Bool: out += v.as_bool() ? "true" : "false"; break;
      case Kind::Int: out += std::to_string(v.as_int()); break;
      case Kind::Uint: out += std::to_string(v.as_uint()) + (cel ? "u" : ""); break;
      case Kind::Double: real(v.as_double()); break;
      case Kind::String: cel ? append_quoted(v.as_text()) : void(out += v.as_text()); break;
      case Kind::Bytes: bytes(v.as_text()); break;
      case Kind::Timestamp: timestamp(v); break;
      case Kind::Duration: duration(v.as_duration()); break;
      case Kind::Type: type(v.as_text()); break;
      case Kind::Error: out += v.as_error().message; break;
      default: out += type_name(v); break;
    }
  }

  // Go prints a type with parameters as a types.ListType and the like, whose parameters are dyn.
  void type(std::string_view name) {
    out += name;
    if (cel) return;
    if (name == "list" || name == "optional_type") out += "(dyn)";
    if (name == "map") out += "(dyn, dyn)";
  }

  void append_quoted(std::string_view s) {
    out += '"';
    for (char c : s) {
      if (is_full()) return cut();
      switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default:
          if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", c);
          else
            out += c;
      }
    }
    out += '"';
  }

  void real(double d) {
    std::string s = format_double(d, cel ? 21 : 6);
    if (cel && s.find_first_of(".eN") == std::string::npos && s.find("Inf") == std::string::npos) s += ".0";
    out += s;
  }

  void bytes(std::string_view s) {
    if (cel) {
      out += "b\"";
      for (unsigned char c : s) {
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
          out += static_cast<char>(c);
        else
          out += fmt::format("\\x{:02x}", c);
      }
      out += '"';
      return;
    }
    out += '[';
    for (size_t i = 0; i < s.size(); ++i) {
      out += (i > 0 ? " " : "") + std::to_string(static_cast<unsigned char>(s[i]));
    }
    out += ']';
  }

  // Prints the output of `append` as the argument of the CEL function of this name.
  template <class Append>
  void time(std::string_view function, Append append) {
    Arena arena;
    TextBuilder text(arena);
    append(text);
    if (!cel) return void(out += text.view());
    out.append(function).append("(\"").append(text.view()).append("\")");
  }
  void timestamp(const Value& v) {
    const Timestamp t{v.seconds(), v.nanos(), v.offset_minutes()};
    time("timestamp", [&](TextBuilder& to) { cel ? append_rfc3339(to, t) : append_go_time(to, t); });
  }
  void duration(int64_t d) {
    time("duration", [&](TextBuilder& to) { append_duration(to, d); });
  }

  // Recurses with the nesting of values, which JSON depth and expression depth bound.
  void print(const Value& v, int depth = 0) {
    if (depth > kMaxDepth || is_full()) return cut();
    switch (v.kind()) {
      case Kind::List:
        if (!cel && (v.flags() & kNativeList)) return native_list(v, ", ", depth);
        out += '[';
        for (size_t i = 0; i < v.size() && !is_cut; ++i) {
          if (i > 0) out += ", ";
          print(v.as_list()[i], depth + 1);
        }
        out += ']';
        break;
      case Kind::Map: entries(v.as_map(), depth, "{", "}"); break;
      case Kind::Struct:
        out += v.as_struct().type_name;
        fields(v.as_struct(), depth);
        break;
      case Kind::Optional:
        if (!v.as_optional()) return void(out += "optional.none()");
        out += cel ? "optional.of(" : "optional(";
        print(*v.as_optional(), depth + 1);
        out += ')';
        break;
      case Kind::Opaque: {
        Arena arena;
        std::string_view text = v.as_opaque().cls->print(v.as_opaque(), arena);
        out += text;
        break;
      }
      default: scalar(v);
    }
  }

  void entries(std::span<const MapEntry> map, int depth, std::string_view open, std::string_view close) {
    out += open;
    for (size_t i = 0; i < map.size() && !is_cut; ++i) {
      if (i > 0) out += ", ";
      print(map[i].key, depth + 1);
      out += ": ";
      print(map[i].value, depth + 1);
    }
    out += close;
  }

  // Prints JSON data as Go's %v does: a CEL list of it separates by commas, lists and maps inside it are Go's
  // own.
  void native_list(const Value& v, std::string_view separator, int depth) {
    out += '[';
    for (size_t i = 0; i < v.size() && !is_cut; ++i) {
      if (i > 0) out += separator;
      native(v.as_list()[i], depth + 1);
    }
    out += ']';
  }

  void native(const Value& v, int depth) {
    if (depth > kMaxDepth || is_full()) return cut();
    if (v.is_null()) return void(out += "<nil>");
    if (v.is(Kind::List)) return native_list(v, " ", depth);
    if (!v.is(Kind::Map)) return print(v, depth);
    std::vector<MapEntry> sorted(v.as_map().begin(), v.as_map().end());
    std::ranges::sort(sorted, {}, [](const MapEntry& e) { return e.key.as_text(); });
    out += "map[";
    for (size_t i = 0; i < sorted.size() && !is_cut; ++i) {
      if (i > 0) out += ' ';
      print(sorted[i].key, depth + 1);
      out += ':';
      native(sorted[i].value, depth + 1);
    }
    out += ']';
  }

  void fields(const StructValue& s, int depth) {
    out += '{';
    for (size_t i = 0; i < s.fields.size() && !is_cut; ++i) {
      if (i > 0) out += ", ";
      out += s.fields[i].key.as_text();
      out += ": ";
      print(s.fields[i].value, depth + 1);
    }
    out += '}';
  }

  // A value that shares parts may have a text without end.
  bool is_full() const { return out.size() > most; }
  // What is nested deeper than any JSON is left out alone; of a full text the rest is.
  void cut() {
    out += "...";
    is_cut = is_full();
  }

  static constexpr int kMaxDepth = 1000;
};

}  // namespace

std::string_view type_name(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return "null_type";
    case Kind::Bool: return "bool";
    case Kind::Int: return "int";
    case Kind::Uint: return "uint";
    case Kind::Double: return "double";
    case Kind::String: return "string";
    case Kind::Bytes: return "bytes";
    case Kind::Timestamp: return "google.protobuf.Timestamp";
    case Kind::Duration: return "google.protobuf.Duration";
    case Kind::List: return "list";
    case Kind::Map: return "map";
    case Kind::Type: return "type";
    case Kind::Optional: return "optional_type";
    case Kind::Struct: return v.as_struct().type_name;
    case Kind::Opaque: return v.as_opaque().cls->type_name;
    case Kind::Unknown: return "unknown";
    case Kind::Error: return "error";
  }
  return {};
}

Value type_of(const Value& v, Arena& arena) {
  if (v.is(Kind::Opaque) && !v.as_opaque().cls->type_error.empty())
    return make_error(arena, v.as_opaque().cls->type_error);
  bool other = v.is(Kind::Opaque) && !v.as_opaque().cls->type_of.empty();
  return Value::type(other ? v.as_opaque().cls->type_of : type_name(v));
}

std::string format_go(const Value& v) {
  Printer p{.cel = false};
  p.print(v);
  return std::move(p.out);
}

std::string format_native(const Value& v) {
  Printer p{.cel = false};
  p.native(v, 0);
  return std::move(p.out);
}

std::string format_cel(const Value& v, size_t most) {
  Printer p{.cel = true, .most = most};
  p.print(v);
  return std::move(p.out);
}

}  // namespace portcullis
