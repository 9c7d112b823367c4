// Which terms need memory of their own when they are evaluated. A producer runs a pattern whose result is
// stored (mapSeq, scan, a reduction to an array); what leads to one is a producer behind layouts, tuples and
// lets, so that its memory can be that of the whole term. Everything else is a view, or a scalar in a
// register.
#include "lower/memory_needs.hpp"

#include <algorithm>

#include "ir/inspect.hpp"

namespace hoist::lower {

using ir::Op;

bool is_producer(ir::Term term) {
  auto* call = term.as<ir::Call>();
  if (!call) return false;
  switch (call->op) {
    case Op::MapGlobal:
    case Op::MapGroup:
    case Op::MapLocal:
    case Op::MapSeq:
    case Op::MapSeqUnroll:
    case Op::MapSeqSlide:
    case Op::Scan:
    case Op::ScanSeq:
    case Op::Scatter:
    case Op::ReduceByKey:
    case Op::ReduceByKeySeq:
    case Op::ReduceByKeyLocal:
    case Op::ReduceByKeyGlobal:
    case Op::IterateWhile:
      return true;
    case Op::Iterate:
      return !call->sizes[0].is_constant(0);  // no step gives the start itself
    case Op::Reduce:
    case Op::ReduceRange:
    case Op::ReduceSeq:
    case Op::ReduceSeqUnroll:
    case Op::ReduceLocal:
      return is_array_reduction(term);
    case Op::Map:
    case Op::Prefetch:
    case Op::Generate:
    case Op::Zip:
    case Op::Unzip:
    case Op::Split:
    case Op::Join:
    case Op::Transpose:
    case Op::Slide:
    case Op::Pad:
    case Op::PadValue:
    case Op::Gather:
    case Op::At:
    case Op::Take:
    case Op::Drop:
    case Op::Rotate:
    case Op::Concat:
    case Op::Update:
    case Op::ToGlobal:
    case Op::ToLocal:
    case Op::ToPrivate:
    case Op::ToImage:
    case Op::Pitch:
    case Op::LoopAt:
    case Op::LoopJam:
    case Op::LoopLanes:
    case Op::LoopLimit:
    case Op::LoopTile:
    case Op::LoopPack:
    case Op::AsVector:
    case Op::AsScalar:
    case Op::Broadcast:
    case Op::Dot:
      return false;
  }
  throw Bug("not a primitive");
}

bool is_array_reduction(ir::Term term) {
  auto* call = term.as<ir::Call>();
  return call && ir::is_reduce(call->op) && call->op != Op::ReduceLocal && ir::contains_array(term.type());
}

namespace {

/// Whether a function of one parameter only puts the parts of its argument in another order.
bool only_moves(const ir::Lambda& function) {
  ir::Term body = function.body;
  while (auto* step = body.as<ir::Call>()) {
    if (ir::Term source = step->op == Op::Zip ? unzipped_source(*step) : ir::Term()) {
      body = source;
      continue;
    }
    auto* inner = step->op == Op::Map ? step->arguments[0].as<ir::Lambda>() : nullptr;
    if (!ir::is_view(step->op) && !(inner && only_moves(*inner))) return false;
    body = step->arguments.back();
  }
  auto* variable = body.as<ir::Bound>();
  return variable && variable->index == 0;
}

}  // namespace

ir::Term unzipped_source(const ir::Call& zip) {
  ir::Term source;
  for (std::uint32_t c = 0; c < zip.arguments.size(); ++c) {
    ir::Term part = zip.arguments[c];
    for (auto* call = part.as<ir::Call>(); call; call = part.as<ir::Call>()) {
      if (!ir::is_view(call->op) || call->op == Op::Zip) return {};
      part = call->arguments.back();
    }
    auto* get = part.as<ir::Get>();
    auto* unzip = get && get->index == c ? get->tuple.as<ir::Call>() : nullptr;
    if (!unzip || unzip->op != Op::Unzip || (source && source != unzip->arguments[0])) return {};
    source = unzip->arguments[0];
  }
  const bool is_whole = ir::element_of(source.type())->elements.size() == zip.arguments.size();
  return is_whole ? source : ir::Term();
}

bool maps_producer(const ir::Call& map) {
  const auto* lambda = map.arguments[0].as<ir::Lambda>();
  return lambda && leads_to_producer(lambda->body);
}

bool leads_to_producer(ir::Term term) {
  if (is_producer(term)) return true;
  if (auto* call = term.as<ir::Call>()) {
    if (call->op == Op::Map) {
      const auto* lambda = call->arguments[0].as<ir::Lambda>();
      return maps_producer(*call) || (lambda && only_moves(*lambda) && leads_to_producer(call->arguments[1]));
    }
    if (ir::is_address_space(call->op) || ir::is_schedule(call->op) || call->op == Op::Pitch)
      return leads_to_producer(call->arguments[0]);
    if (!ir::is_view(call->op)) return false;
    for (ir::Term argument : call->arguments) {
      if (!argument.as<ir::Lambda>() && leads_to_producer(argument)) return true;
    }
    return false;
  }
  if (auto* tuple = term.as<ir::Tuple>()) {
    for (ir::Term component : tuple->components) {
      if (leads_to_producer(component)) return true;
    }
    return false;
  }
  if (auto* get = term.as<ir::Get>()) return leads_to_producer(get->tuple);
  if (auto* let = term.as<ir::Let>()) return leads_to_producer(let->body.as<ir::Lambda>()->body);
  return false;
}

bool contains_loop(ir::Term term) {
  if (auto* call = term.as<ir::Call>()) {
    if (ir::is_loop(call->op)) return true;
  }
  for (ir::Term child : ir::children(term)) {
    if (contains_loop(child)) return true;
  }
  return false;
}

std::optional<std::int64_t> bytes_of(ir::Type type) {
  std::int64_t bytes = 0;
  for (const ir::Leaf& leaf : ir::leaves(type)) {
    std::int64_t own = static_cast<std::int64_t>(size_of(leaf.scalar));
    for (arith::Expr extent : leaf.shape) {
      auto constant = extent.constant();
      if (!constant || __builtin_mul_overflow(own, *constant, &own)) return std::nullopt;
    }
    if (__builtin_add_overflow(bytes, own, &bytes)) return std::nullopt;
  }
  return bytes;
}

std::int64_t largest_of_one_work_item(ir::Term term) {
  const auto is_shared_out = [](ir::Op op) { return ir::sharing(op) != ir::Sharing::Nobody; };
  std::int64_t largest = 0;
  if (is_producer(term) && !ir::any_op(term, is_shared_out)) {
    largest = bytes_of(term.type()).value_or(0);
  }
  for (ir::Term child : ir::children(term)) largest = std::max(largest, largest_of_one_work_item(child));
  return largest;
}

}  // namespace hoist::lower
