// Printing a loop as a kernel.
//
// Statements and expressions are printed as they are, with what differs from C: pointers have address spaces,
// arrays of variable length do not exist, so what is more than one-dimensional is indexed as memory of its
// elements (A[i][j] becomes A[(long)i * n + j]); mathematical functions are overloaded; `_Bool` is a byte. A
// function that the loop calls is printed once for each combination of address spaces that its pointers have,
// and gets global variables as further arguments. The order of a kernel's parameters is that of
// host_text.cpp, which passes them: arrays, values, ranges, changed variables, reductions, locks.
#include "openmp/kernel_printer.hpp"

namespace hoist::openmp {

using namespace clang;

// ---- Functions and kernels ----

std::string KernelPrinter::function(const FunctionDecl* definition, const std::string& name,
                                    const std::vector<Space>& spaces,
                                    const std::vector<const VarDecl*>& globals) {
  std::string parameters;
  std::set<std::string> own;
  for (unsigned i = 0; i < definition->getNumParams(); ++i) {
    const ParmVarDecl* parameter = definition->getParamDecl(i);
    spaces_[parameter] = spaces[i];
    own.insert(kernel_name(parameter->getNameAsString()));
    parameters += (i ? ", " : "") + declared(parameter->getType(), kernel_name(parameter->getNameAsString()),
                                             spaces[i], parameter->getLocation());
  }
  for (const VarDecl* variable : globals) {
    std::string text = kernel_name(variable->getNameAsString());
    while (!own.insert(text).second) text += "_of_file";
    const SourceLocation where = variable->getLocation();
    if (!parameters.empty()) parameters += ", ";
    switch (roles_.at(variable)) {
      case Role::Array:
        spaces_[variable] = Space::Global;
        parameters +=
            space_text(Space::Global) + type(innermost_element(variable->getType()), where) + " *" + text;
        break;
      case Role::Value:
        parameters += declared(variable->getType(), text, Space::Private, where);
        break;
      case Role::Changed:
        spaces_[variable] = Space::Global;
        parameters +=
            "volatile " + space_text(Space::Global) + type(variable->getType(), where) + " *" + text;
        text = "(*" + text + ")";
        break;
      case Role::Own:
        parameters += type(variable->getType(), where) + " *" + text;
        text = "(*" + text + ")";
        break;
    }
    names_[variable] = text;
  }
  if (definition->getReturnType()->isPointerType())
    throw Untranslatable{definition->getLocation(), "a function that the loop calls gives a pointer"};
  find_spaces(definition->getBody());
  line(std::string(is_cuda() ? "__device__ " : "") +
       type(definition->getReturnType(), definition->getLocation()) + " " + name + "(" +
       (parameters.empty() ? "void" : parameters) + ") {");
  ++depth_;
  nested(definition->getBody());
  --depth_;
  line("}");
  return text_ + "\n";
}

void KernelPrinter::reduction_start(const Reduction& reduction, const std::string& type_text) {
  line(type_text + " " + names_[reduction.variable] + " = " + identity(reduction.operation, type_text) + ";");
}

/// One tree for all: compilers that cut kernels at barriers (PoCL's) take long for many.
void KernelPrinter::reductions_end(const std::vector<Reduction>& reductions) {
  if (reductions.empty()) return;
  const std::string barrier = is_cuda() ? "__syncthreads();" : "barrier(CLK_LOCAL_MEM_FENCE);";
  const std::string item = is_cuda() ? "threadIdx.x" : "get_local_id(0)",
                    size = is_cuda() ? "blockDim.x" : "get_local_size(0)";
  const std::string group = is_cuda() ? "blockIdx.x" : "get_group_id(0)";
  line("const int hoist_own = " + item + ";");
  for (const Reduction& each : reductions)
    line(names_[each.variable] + "_local[hoist_own] = " + names_[each.variable] + ";");
  line("for (int hoist_half = " + size + " / 2; hoist_half > 0; hoist_half /= 2) {");
  ++depth_;
  line(barrier);
  line("if (hoist_own < hoist_half) {");
  ++depth_;
  for (const Reduction& each : reductions) {
    const std::string part = names_[each.variable] + "_local";
    line(part + "[hoist_own] = " +
         combined(each.operation, part + "[hoist_own]", part + "[hoist_own + hoist_half]") + ";");
  }
  --depth_;
  line("}");
  --depth_;
  line("}");
  line("if (hoist_own == 0) {");
  ++depth_;
  for (const Reduction& each : reductions) {
    const std::string name = names_[each.variable];
    line(name + "_parts[" + name + "_at + " + group + "] = " + name + "_local[0];");
  }
  --depth_;
  line("}");
}

std::string KernelPrinter::kernel(const Loop& loop) {
  const SourceLocation where = loop.directive->getBeginLoc();
  names_ = loop.names;
  locks_ = loop.locks;
  has_locks_ = true;
  std::vector<std::string> parameters;
  std::vector<std::string> starts;
  const std::string global = space_text(Space::Global), local = is_cuda() ? "" : "local ";
  for (const VarDecl* array : loop.arrays) {
    const std::string name = names_[array], element = type(innermost_element(array->getType()), where);
    const std::string qualified = (loop.watched.count(array) ? "volatile " : "") + global + element;
    spaces_[array] = Space::Global;
    parameters.push_back(global + element + " *" + name + "_memory");
    parameters.push_back("long " + name + "_at");
    starts.push_back(qualified + " *" + name + " = (" + qualified + " *)((" + global + "char *)" + name +
                     "_memory + " + name + "_at);");
  }
  for (const VarDecl* value : loop.values) {
    const std::string name = names_[value];
    parameters.push_back(
        declared(value->getType(), loop.firsts.count(value) ? name + "_given" : name, Space::Private, where));
  }
  std::string items = "hoist_last - hoist_first + 1";
  std::vector<std::string> iterators;
  std::string place = "hoist_item";
  for (std::size_t i = loop.loops.size(); i-- > 0;) {
    const CanonicalLoop& each = loop.loops[i];
    const std::string name = names_[each.iterator];
    const RangePart from = first_value(each, loop, state_.context), by = step(each, loop, state_.context);
    const std::string number =
        i == 0 ? "(hoist_first + " + place + ")" : grouped(place + " % " + name + "_count");
    std::string value = from.text == "0" ? "" : from.text + (each.goes_up ? " + " : " - ");
    if (value.empty() && !each.goes_up) value = "-";
    value += by.text == "1" ? number : grouped(by.text) + " * " + number;
    const std::string type_text = type(each.iterator->getType(), where);
    iterators.insert(iterators.begin(),
                     "const " + type_text + " " + name + " = (" + type_text + ")(" + value + ");");
    if (i > 0) {
      place =
          place == "hoist_item" ? place + " / " + name + "_count" : "(" + place + ") / " + name + "_count";
      items = (items.find('*') == std::string::npos && items.front() == 'h' ? "(" + items + ")" : items) +
              " * " + name + "_count";
    }
  }
  for (std::size_t i = 0; i < loop.loops.size(); ++i) {
    const CanonicalLoop& each = loop.loops[i];
    const RangePart from = first_value(each, loop, state_.context), by = step(each, loop, state_.context);
    if (from.argument) parameters.push_back("long " + from.text);
    if (by.argument) parameters.push_back("long " + by.text);
    if (i > 0) parameters.push_back("long " + names_[each.iterator] + "_count");
  }
  if (!loop.lasts.empty()) parameters.push_back("long hoist_iterations");
  for (const VarDecl* each : loop.changed) {
    const std::string name = names_[each];
    spaces_[each] = Space::Global;
    parameters.push_back("volatile " + global + type(each->getType(), where) + " *" + name);
    names_[each] = "(*" + name + ")";
  }
  for (const VarDecl* each : loop.lasts)
    parameters.push_back(global + type(each->getType(), where) + " *" + names_[each] + "_last");
  for (const Reduction& each : loop.reductions) {
    const std::string name = names_[each.variable], element = type(each.variable->getType(), where);
    parameters.push_back(global + element + " *" + name + "_parts");
    parameters.push_back("long " + name + "_at");
    if (is_cuda()) {
      parameters.push_back("int " + name + "_local_at");
      if (&each == &loop.reductions.front())
        starts.push_back("extern __shared__ unsigned char shared_memory[];");
      starts.push_back(element + " *" + name + "_local = (" + element + " *)(shared_memory + " + name +
                       "_local_at);");
    } else {
      parameters.push_back(local + element + " *" + name + "_local");
    }
  }
  if (!loop.locks.empty()) parameters.push_back((is_cuda() ? "" : "volatile ") + global + "int *hoist_locks");
  parameters.push_back("long hoist_first");
  parameters.push_back("long hoist_last");

  find_spaces(loop.body);
  std::string head = (is_cuda() ? "extern \"C\" __global__ void " : "kernel void ") + loop.name + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // CUDA C++ by its custom: the star belongs to the type.
    std::string text = parameters[i];
    if (const auto star = text.find(" *"); is_cuda() && star != std::string::npos)
      text.replace(star, 2, "* ");
    head += (i ? ", " : "") + text;
  }
  line("/* " + loop.place + " */");
  line(head + ") {");
  ++depth_;
  for (const std::string& each : starts) line(each);
  for (const Reduction& each : loop.reductions) reduction_start(each, type(each.variable->getType(), where));
  line("const long hoist_items = " + items + ";");
  line(is_cuda() ? "for (long hoist_item = blockIdx.x * (long)blockDim.x + threadIdx.x; hoist_item < "
                   "hoist_items; hoist_item += "
                   "gridDim.x * (long)blockDim.x) {"
                 : "for (long hoist_item = get_global_id(0); hoist_item < hoist_items; hoist_item += "
                   "get_global_size(0)) {");
  ++depth_;
  for (const std::string& each : iterators) line(each);
  for (const VarDecl* each : loop.privates) {
    if (each->getType()->isArrayType()) own_arrays_.insert(each);
    const auto space = spaces_.find(each);
    line(declared(each->getType(), names_[each], space == spaces_.end() ? Space::Private : space->second,
                  where) +
         ";");
  }
  for (const VarDecl* each : loop.firsts)
    line(declared(each->getType(), names_[each], Space::Private, where) + " = " + names_[each] + "_given;");
  if (loop.lasts.empty()) {
    nested(loop.body);
  } else {
    block("do", loop.body);
    text_.pop_back();
    text_ += " while (0);\n";
    line("if (hoist_last == hoist_iterations - 1 && hoist_item == hoist_items - 1) {");
    ++depth_;
    for (const VarDecl* each : loop.lasts) line("*" + loop.names.at(each) + "_last = " + names_[each] + ";");
    --depth_;
    line("}");
  }
  --depth_;
  line("}");
  reductions_end(loop.reductions);
  --depth_;
  line("}");
  return text_ + "\n";
}

}  // namespace hoist::openmp
