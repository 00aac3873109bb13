// The opcode that passes over tests: see lower_chain.cc.
#include "interpreter/run/machine.h"

namespace portcullis {

// The value of the key of a map that a check names, or null. At the expected place there is no call.
static inline const Value* find_key(const Value& map, const Key& key) {
  return map.is(Kind::Map) ? find_hinted(map, key.value, key.hint) : nullptr;
}

// What is read stays where it is: `values` are pointers, `words` what a Range looks at.
OP(Chain) {
  const Value* values[Check::kReads];
  uint64_t words[Check::kReads];
  const Check* check = &m.code_.checks[pc->b];
  for (;; ++check) {
    const Value* v = nullptr;
    switch (check->kind) {
      case Check::Kind::Variable: v = m.activation_.get(check->operand); break;
      case Check::Kind::Path: {
        const Slot* slot = &m.activation_.slot(check->operand);
        if (!m.activation_.filled(*slot)) [[unlikely]] {
          if (cost + check->cost > m.limit_) goto end;
          slot = &m.fill(check->operand);
        }
        if (slot->applied == check->low) v = &slot->value;
        break;
      }
      case Check::Kind::Register: v = &r[check->operand]; break;
      case Check::Kind::Field: v = find_key(*values[check->of], m.code_.keys[check->operand]); break;
      case Check::Kind::Present: {
        const Value* found = find_key(*values[check->of], m.code_.keys[check->operand]);
        if (found == nullptr || found->is_error()) goto end;
        continue;
      }
      case Check::Kind::Absent:
        if (!values[check->of]->is(Kind::Map) || find_key(*values[check->of], m.code_.keys[check->operand]))
          goto end;
        continue;
      case Check::Kind::Range:
        if (words[check->of] - check->low > check->width) goto end;
        continue;
      case Check::Kind::Equal: {
        const Value &text = *values[check->of], &constant = m.code_.constants[check->operand];
        if (text.raw_head() != constant.raw_head() || !same_bytes(text.as_text().data(), constant.as_text()))
          goto end;
        continue;
      }
      case Check::Kind::Starts:
      case Check::Kind::Ends: {
        const std::string_view text = values[check->of]->as_text(),
                               affix = m.code_.constants[check->operand].as_text();
        const size_t from = check->kind == Check::Kind::Ends ? text.size() - affix.size() : 0;
        if ((text.size() >= affix.size() && same_bytes(text.data() + from, affix)) != (check->low != 0))
          goto end;
        continue;
      }
      case Check::Kind::End: goto end;
    }
    if (v == nullptr || failed(*v)) goto end;
    const uint64_t head = v->raw_head();
    values[check->read] = v;
    if (check->wanted != Kind::Unknown) {
      if (v->kind() != check->wanted || head == Value::string({}).raw_head()) goto end;
      words[check->read] = check->wanted == Kind::String ? head : v->raw_payload();
    }
    while (check[1].kind == Check::Kind::Range) {
      ++check;
      if (words[check->of] - check->low > check->width) goto end;
    }
  }
end:
  if (cost + check->cost > m.limit_) [[unlikely]]
    NEXT();
  cost += check->cost;
  r[pc->a] = Value::boolean((pc->flags & kNegated) == 0);
  GO(check->at);
}

}  // namespace portcullis
