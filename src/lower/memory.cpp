// Where intermediate values live: the narrowest memory that everyone who reads a value can see, unless the
// term says otherwise (thesis, section 4.3.2; its Algorithm 1 multiplies sizes by the enclosing maps that
// share the memory).
#include <algorithm>

#include "lower/memory_needs.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;

loop::VariablePtr ToLoops::declare(const char* name, loop::ValueType type, loop::ValuePtr value,
                                   bool is_mutable) {
  auto variable = std::make_shared<loop::Variable>(loop::Variable{names_.fresh(name), type, is_mutable});
  emit({loop::Let{variable, std::move(value), {}}});
  return variable;
}

std::vector<int> ToLoops::spread_dimensions(ir::Term producer) const {
  // One entry for each leading dimension that a nest of maps makes: the local dimension, or -1.
  std::vector<int> result;
  while (producer) {
    if (auto* let = producer.as<ir::Let>()) {
      producer = let->body.as<ir::Lambda>()->body;
      continue;
    }
    auto* call = producer.as<ir::Call>();
    if (!call || !(ir::is_map(call->op))) break;
    result.push_back(call->op == Op::MapLocal ? static_cast<int>(call->sizes[0].constant().value_or(0)) : -1);
    producer = call->arguments[0].as<ir::Lambda>()->body;
    // Under a layout pattern the dimensions of the inner maps are no longer those of the result.
  }
  return result;
}

void ToLoops::check_local_length(arith::Expr length) const {
  const bool may_be_learned = options_.target.language == target::Language::Cuda;
  if (!may_be_learned || !arith::known_value(length))
    constant_size(length, "the length of an array in local memory");
}

bool ToLoops::is_shared_out(bool by_groups) const {
  for (int d = 0; d < 3; ++d) {
    auto is_in = [&](Parallelism parallelism) {
      return std::any_of(loops_.begin(), loops_.end(), [&](const Enclosing& outer) {
        return outer.dimension == d && outer.parallelism == parallelism;
      });
    };
    if (is_in(Parallelism::Global)) continue;
    const arith::Expr global = shape_.launch.global[static_cast<std::size_t>(d)], local = group_length(d);
    const bool is_one_group = arith::equal(global, local) == arith::Truth::Yes;
    if (!is_one_group && !is_in(Parallelism::Group)) return false;
    if (!by_groups && !local.is_constant(1) && !is_in(Parallelism::Local)) return false;
  }
  return true;
}

AddressSpace ToLoops::placed(ir::Term producer, ir::Type type, AddressSpace wanted) const {
  if (level_ == Level::Host) return AddressSpace::Global;
  if (wanted == AddressSpace::Local) return wanted;
  const std::optional<std::int64_t> bytes = bytes_of(type);
  const std::vector<int> spread = producer ? spread_dimensions(producer) : std::vector<int>();
  const bool is_spread = std::any_of(spread.begin(), spread.end(), [](int over) { return over >= 0; });
  if (wanted == AddressSpace::Private) {
    if (is_spread) return wanted;  // each work-item has a part
    std::int64_t all = bytes.value_or(0);
    for (int d = 0; d < 3 && shape_.uses_local; ++d) all *= group_length(d).constant().value_or(1);
    if (bytes && *bytes <= most_private_bytes && all <= most_private_bytes_of_group) return wanted;
  }
  // What one group writes to global memory no other group of the kernel reads, nor one work-item what another
  // writes with no barrier between: whoever computes a value there has memory of its own, by the loops that
  // share out the work.
  const bool by_groups = level_ == Level::Group && producer && default_space(producer) == AddressSpace::Local;
  if (is_shared_out(by_groups)) return AddressSpace::Global;
  if (wanted == AddressSpace::Global && !by_groups && bytes && *bytes <= most_private_bytes)
    return AddressSpace::Private;
  throw_user(
      "an array of " + (bytes ? std::to_string(*bytes) + " bytes" : ir::to_string(type)) +
          " is computed by every work-item, and is too large for each work-item to keep a copy",
      producer ? ir::to_string(producer) : "",
      bytes ? "compute it in an earlier kernel: bind it with `let` outside the parallel map that reads it"
            : "give the sizes, or compute it in an earlier kernel: bind it with `let` outside the "
              "parallel map that reads it");
}

AddressSpace ToLoops::default_space(ir::Term producer) const {
  if (level_ == Level::Host) return AddressSpace::Global;
  auto* call = producer.as<ir::Call>();
  if (call && (call->op == Op::MapLocal || call->op == Op::ReduceByKeyLocal)) return AddressSpace::Local;
  if (call && ir::is_map(call->op)) {
    ir::Term body = call->arguments[0].as<ir::Lambda>()->body;
    if (is_producer(body) && default_space(body) == AddressSpace::Local) return AddressSpace::Local;
  }
  // What a group's work-items compute is theirs together, wherever a layout puts it.
  const bool is_layout = call && ir::is_layout(call->op);
  if (is_layout && std::any_of(call->arguments.begin(), call->arguments.end(), [&](ir::Term argument) {
        return ir::is_array(argument.type()) && default_space(argument) == AddressSpace::Local;
      }))
    return AddressSpace::Local;
  return space_by_size(producer.type());
}

AddressSpace ToLoops::space_by_size(ir::Type type) const {
  const std::optional<std::int64_t> bytes = bytes_of(type);
  return bytes && *bytes <= options_.max_private_bytes ? AddressSpace::Private : AddressSpace::Global;
}

namespace {

/// How many blocks of an array's rows lie side by side in its image: as few as its height allows.
int blocks_side_by_side(arith::Expr rows, arith::Expr width, const target::Target& target) {
  const auto count = rows.constant(), length = width.constant();
  if (!count || !length) return 1;
  const auto widest = static_cast<std::int64_t>(target.largest_image[0]),
             highest = static_cast<std::int64_t>(target.largest_image[1]);
  for (int blocks = 1; blocks * *length <= widest && blocks <= *count; ++blocks) {
    if (*count % blocks == 0 && *count / blocks <= highest) return blocks;
  }
  return 1;
}

}  // namespace

View ToLoops::as_image(const ir::Call& call, const EnvironmentPtr& env) {
  ir::Type type = call.arguments[0].type();
  // Arrays of three dimensions are images of all their rows.
  arith::Expr rows = type->size;
  ir::Type row = ir::element_of(type);
  for (; ir::is_array(ir::element_of(row)); row = ir::element_of(row)) rows = rows * row->size;
  const ir::Type pixel = ir::element_of(row);
  const bool is_vector = ir::is_vector(pixel);
  const bool fits = (ir::is_scalar(pixel) || (is_vector && pixel->size.is_constant(4))) &&
                    (pixel->scalar == Scalar::F32 || pixel->scalar == Scalar::I32);
  if (!fits) {
    throw_unsupported("an image of " + ir::to_string(pixel), ir::to_string(call.arguments[0]),
                      "images hold f32, i32, f32x4 or i32x4");
  }
  // Rows that are put together, or cut, lie as they did.
  ir::Term own = call.arguments[0];
  for (const auto* layout = own.as<ir::Call>();
       layout != nullptr && (layout->op == Op::Join || layout->op == Op::Split); layout = own.as<ir::Call>())
    own = layout->arguments[0];
  const View memory = eval(own, env);
  auto* leaf = memory->memory ? &memory->memory->leaves[0] : nullptr;
  auto input = leaf ? inputs_.find(leaf->buffer.get()) : inputs_.end();
  const int channels = is_vector ? 4 : 1;
  if (input == inputs_.end() || leaf->buffer->scalars != rows * row->size * arith::constant(channels)) {
    throw_user("toImage is applied to an array that is not an input of the program",
               ir::to_string(call.arguments[0]),
               "apply it to the parameter itself, `u |> toImage |> pad2(1, 1, clamp)`, or to its rows put "
               "together, `u |> join |> toImage |> split(H)`");
  }
  if (options_.target.has_images() && options_.use_images) {
    input->second->image =
        loop::ImageShape{channels, row->size, blocks_side_by_side(rows, row->size, options_.target)};
  }
  return own == call.arguments[0] ? memory : eval(call.arguments[0], env);
}

MemoryRegion ToLoops::allocate(ir::Term producer, ir::Type type, AddressSpace space, const char* name) {
  MemoryRegion region{type, {}};
  std::optional<arith::Expr> pitch;
  if (auto* call = producer ? producer.as<ir::Call>() : nullptr; call && call->op == Op::Pitch)
    pitch = call->sizes[0];
  std::vector<int> spread;
  if (space == AddressSpace::Private && producer) spread = spread_dimensions(producer);
  for (const ir::Leaf& leaf : ir::leaves(type)) {
    // Every loop whose iterations share this memory but hold values of their own adds a dimension.
    std::vector<const Enclosing*> shared;
    for (const Enclosing& outer : loops_) {
      bool has_own = outer.parallelism != Parallelism::Sequential &&
                     (space == AddressSpace::Global ||
                      (space == AddressSpace::Local && outer.parallelism == Parallelism::Local));
      if (has_own) shared.push_back(&outer);
    }
    auto buffer = std::make_shared<loop::Buffer>();
    buffer->space = space;
    buffer->type = {leaf.scalar, 1};
    if (space == AddressSpace::Private && leaf.is_vector) {
      buffer->type.width = static_cast<int>(constant_size(leaf.shape.back(), "a vector's width"));
    }
    MemoryLeaf memory;
    arith::Expr stride = 1;
    std::vector<Dimension> dimensions(leaf.shape.size());
    for (std::size_t d = leaf.shape.size(); d-- > 0;) {
      arith::Expr extent = leaf.shape[d];
      Dimension& dimension = dimensions[d];
      dimension.stride = stride;
      int over = d < spread.size() ? spread[d] : -1;
      if (over >= 0) {
        dimension.spread_over = over;
        dimension.local_size = group_length(over);
        dimension.owners = &local_ids_;
        extent = arith::ceiling_quotient(extent, dimension.local_size);
      }
      if (space == AddressSpace::Private) constant_size(extent, "the length of an array in private memory");
      if (space == AddressSpace::Local) check_local_length(extent);
      stride = stride * extent;
      if (d == 1 && pitch) stride = stride / extent * *pitch;
    }
    memory.dimensions = std::move(dimensions);
    for (std::size_t s = shared.size(); s-- > 0;) {
      memory.offset = memory.offset + shared[s]->variable * stride;
      stride = stride * shared[s]->extent;
    }
    if (space == AddressSpace::Local) check_local_length(stride);
    buffer->scalars = largest_in_any_step(stride);
    buffer->name = names_.fresh(name);
    memory.buffer = buffer;
    if (space == AddressSpace::Global) {
      plan_.temporaries.push_back(buffer);
    } else if (space == AddressSpace::Local) {
      kernel_top_->push_back({loop::Allocate{buffer}});
    } else {
      emit({loop::Allocate{buffer}});
    }
    region.leaves.push_back(std::move(memory));
  }
  return region;
}

View ToLoops::materialise(ir::Term term, const EnvironmentPtr& env, std::optional<AddressSpace> space) {
  auto* call = term.as<ir::Call>();
  if (call && ir::is_iterate(call->op)) return iterate(*call, env, space);
  if (is_array_reduction(term)) {
    View x = eval(call->arguments.back(), env), init = eval(call->arguments[1], env);
    if (level_ != Level::Host) return reduce_array(*call, x, init, env);
  }
  const AddressSpace where = placed(term, term.type(), space.value_or(default_space(term)));
  if (level_ != Level::Host && call && (call->op == Op::MapGlobal || call->op == Op::MapGroup) &&
      level_ == Level::Thread) {
    throw_user(std::string(ir::primitive(call->op).name) +
                   " inside a kernel that has already distributed its work-items",
               ir::to_string(term),
               "compute it before the kernel: bind it with `let` outside the parallel map");
  }
  const char* name = where == AddressSpace::Global ? "tmp" : where == AddressSpace::Local ? "tile" : "reg";
  MemoryRegion region = allocate(term, term.type(), where, name);
  write(term, env, memory_destination(region));
  return memory_view(region);
}

View ToLoops::in_space(ir::Term term, const EnvironmentPtr& env, AddressSpace space) {
  if (space == AddressSpace::Local && level_ == Level::Group && is_stored_by_group(term)) {
    MemoryRegion region = allocate(term, term.type(), space, "tile");
    write(term, env, memory_destination(region));
    return memory_view(region);
  }
  if (is_producer(term)) return materialise(term, env, space);
  if (auto* let = term.as<ir::Let>()) {
    View value = eval(let->value, env);
    return in_space(let->body.as<ir::Lambda>()->body, bind(let->body, {value}, env), space);
  }
  if (auto* call = term.as<ir::Call>()) {
    if (ir::is_view(call->op) && leads_to_producer(term)) {
      std::vector<View> arguments;
      for (ir::Term argument : call->arguments) {
        if (argument.as<ir::Lambda>()) {
          arguments.emplace_back();
        } else if (leads_to_producer(argument)) {
          arguments.push_back(in_space(argument, env, space));
        } else {
          arguments.push_back(eval(argument, env));
        }
      }
      return eval_layout(term, *call, arguments, env);
    }
    if (ir::is_address_space(call->op) || ir::is_schedule(call->op) || call->op == Op::Pitch)
      return in_space(call->arguments[0], env, space);
  }
  if (auto* tuple = term.as<ir::Tuple>()) {
    std::vector<View> components;
    for (ir::Term component : tuple->components) components.push_back(in_space(component, env, space));
    return tuple_view(term.type(), std::move(components));
  }
  if (!ir::is_array(term.type())) return once(eval(term, env));
  // A view with nobody to copy it: work-items that each hold their own copy may; a group must say who does
  // what.
  if (space == AddressSpace::Private || level_ == Level::Thread || level_ == Level::Host) {
    return materialise(term, env, space);
  }
  throw_user("nothing says which work-items copy this array to local memory", ir::to_string(term),
             "copy it with mapLcl: `... |> mapLcl(0, id) |> toLocal`");
}

void ToLoops::copy_spread(const View& view, const std::vector<Dimension>& dimensions, std::size_t first,
                          const Destination& destination) {
  if (!ir::is_array(view->type) || first >= dimensions.size()) return copy(view, destination);
  int over = dimensions[first].spread_over;
  for_each(over >= 0 ? Parallelism::Local : Parallelism::Sequential, std::max(over, 0), view->type->size,
           over >= 0 ? "l" : "i",
           [&](arith::Expr i) { copy_spread(view->at(i), dimensions, first + 1, destination->at(i)); });
}

void ToLoops::initialise(const MemoryRegion& region, const View& view) {
  if (ir::is_tuple(region.type)) {
    for (std::uint32_t i = 0; i < region.type->elements.size(); ++i) initialise(region.get(i), view->get(i));
    return;
  }
  copy_spread(view, region.leaves[0].dimensions, 0, memory_destination(region));
}

}  // namespace hoist::lower
