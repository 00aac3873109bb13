#include "admission/patching/outlined_pointer.h"

#include "admission/ownership/compare.h"
#include "interpreter/formats/number.h"

namespace portcullis::patching {
namespace {

using ownership::Form;
using ownership::MergeType;
using Sort = Outline::Sort;
using Step = OutlinedPointer::Step;

constexpr std::string_view kSomeName = "...", kSomeIndex = "0";

// The parts of a text: constants and unknown parts.
void add_pieces(const Outline& outline, const Selection& selection, bool& guarded,
                std::vector<const Outline*>& out) {
  const Outline& o = settled(outline, selection, &guarded);
  if (o.sort != Sort::Concat) return out.push_back(&o);
  for (const Outline* part : o.items) add_pieces(*part, selection, guarded, out);
}

// Whether an unknown text is a single name, whatever its value.
bool is_one_name(const Outline& o, Step::Sort& sort) {
  const Expr& e = *o.expr;
  if (e.kind != ExprKind::Call || e.args.size() != 1) return false;
  sort = Step::Sort::Any;
  if (e.name == "jsonpatch.escapeKey") return true;
  sort = Step::Sort::Index;
  const Type* type = e.args[0]->type;
  return e.name == "string" && e.target == nullptr && type != nullptr &&
         (type->is(TypeKind::Int) || type->is(TypeKind::Uint));
}

std::string unescaped_step(std::string_view part) {
  std::string out;
  for (size_t i = 0; i < part.size(); ++i) {
    bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    out += escape ? (part[++i] == '1' ? '/' : '~') : part[i];
  }
  return out;
}

std::string escaped(std::string_view name) {
  std::string out;
  for (char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

// Is a constant a literal that is written without escapes, so that its characters have places?
bool is_plain(const Outline& constant) {
  if (constant.expr->kind != ExprKind::Literal) return false;
  const std::u32string& runes = constant.place.source->runes();
  std::string_view text = constant.constant.as_text();
  auto start = static_cast<size_t>(constant.place.offset);
  if (start + text.size() + 1 >= runes.size()) return false;
  bool quoted =
      (runes[start] == '"' || runes[start] == '\'') && runes[start] == runes[start + 1 + text.size()];
  for (size_t i = 0; quoted && i < text.size(); ++i)
    quoted = text[i] != '\\' && runes[start + 1 + i] == static_cast<unsigned char>(text[i]);
  return quoted;
}

class Reader {
 public:
  explicit Reader(OutlinedPointer& out) : out_(out) {}

  void constant(const Outline& piece) {
    std::string_view text = piece.constant.as_text();
    out_.raw += text;
    const bool plain = is_plain(piece);
    for (size_t i = 0; i < text.size() && out_.to_end; ++i) {
      if (text[i] == '/') {
        finish();
        place_ = piece.place;
        if (plain) place_.offset += static_cast<int32_t>(i) + 2;
        started_ = true;
      } else {
        if (!started_) out_.slash = false;
        name_ += text[i];
      }
    }
  }

  void unknown(const Outline& piece) {
    Step::Sort sort;
    constant_ = false;
    if (!started_) out_.slash = false;
    if (!is_one_name(piece, sort)) {
      out_.to_end = false;
    } else {
      sort_ = name_.empty() && sort_ == Step::Sort::Name ? sort : Step::Sort::Any;
    }
  }

  void finish() {
    if (!started_) {  // the text before the first slash
      name_.clear();
      sort_ = Step::Sort::Name;
      return;
    }
    if (sort_ == Step::Sort::Index && !name_.empty()) sort_ = Step::Sort::Any;
    out_.steps.push_back({sort_, unescaped_step(name_), place_});
    name_.clear();
    sort_ = Step::Sort::Name;
  }

  void end() {
    if (out_.to_end && started_) finish();
    if (!constant_) out_.raw.clear();
  }

 private:
  OutlinedPointer& out_;
  bool started_ = false, constant_ = true;
  std::string name_;
  Step::Sort sort_ = Step::Sort::Name;
  ExpressionPoint place_;
};

}  // namespace

std::string OutlinedPointer::text() const {
  if (!raw.empty() || (steps.empty() && to_end)) return raw;
  std::string out;
  for (const Step& s : steps) {
    out += '/';
    if (s.sort == Step::Sort::Name) {
      out += escaped(s.name);
    } else {
      out += s.sort == Step::Sort::Any ? kSomeName : kSomeIndex;
    }
  }
  if (!to_end) out.append("/").append(kSomeName);
  return out;
}

OutlinedPointer pointer_of(const Outline& outline, const Selection& selection) {
  OutlinedPointer out;
  out.whole = &outline;
  std::vector<const Outline*> pieces;
  add_pieces(outline, selection, out.guarded, pieces);
  out.whole = pieces[0];
  Reader reader(out);
  for (const Outline* piece : pieces) {
    bool text = piece->sort == Sort::Constant && piece->constant.is(Kind::String);
    text ? reader.constant(*piece) : reader.unknown(*piece);
    if (!out.to_end) break;
  }
  reader.end();
  return out;
}

std::optional<int64_t> index_in_path(std::string_view name) {
  ReadValue<int64_t> index = read_int(name);
  return index ? std::optional(index.value) : std::nullopt;
}

PointerFit fit(const OutlinedPointer& pointer, const MergeType& type, bool grows) {
  using Fit = PointerFit::Sort;
  const MergeType* at = &type;
  for (size_t i = 0; i < pointer.steps.size(); ++i) {
    const Step& step = pointer.steps[i];
    bool last = i + 1 == pointer.steps.size() && pointer.to_end;
    switch (at->form) {
      case Form::Any: return {Fit::Unknown, i};
      case Form::Scalar: return {Fit::Impossible, i};
      case Form::Map:
        if (step.sort != Step::Sort::Name && at->fields != nullptr) return {Fit::Unknown, i};
        at = ownership::entry_type(*at, Value::string(step.name));
        break;
      case Form::List: {
        if (step.sort == Step::Sort::Any) return {Fit::Unknown, i};
        std::optional<int64_t> index = index_in_path(step.sort == Step::Sort::Index ? kSomeIndex : step.name);
        bool behind = grows && last && step.name == "-";
        if (!index && !behind) return {Fit::Impossible, i};
        if (index && std::abs(*index) > kMostOutlinedIndex) return {Fit::Unknown, i};
        at = at->item;
        break;
      }
    }
    if (at == nullptr) return {Fit::Impossible, i};
  }
  return pointer.to_end ? PointerFit{} : PointerFit{Fit::Unknown, pointer.steps.size()};
}

}  // namespace portcullis::patching
