// The C code that `hoist export` writes, as far as all runtimes share it. It prints a launch plan
// (execute/launch_plan.hpp): what Executable does when a program runs in Hoist, gemv.c does in an
// application. For `--name gemv` the files are
//
//   gemv.h  declares gemv_create, gemv_run (on arrays in the host's memory), gemv_run_device (on arrays in
//           the device's memory), gemv_destroy and gemv_error_text, and numbers the statuses
//   gemv.c  has the kernels' source as strings, or declarations of them; a function launch_K for each kernel
//           K; `run_steps`, which calls these in the plan's order; and the functions of the header
//
// Texts are written with $n for the name and $N for the name in capitals, which `expand` puts in. Each call
// in the C code is skipped after the first that failed: `if (!status) status = ...`.
//
// Read `files`, `header` and `source` first: they list the parts. `steps` prints tasks as statements, and a
// repetition as a loop. The constructor gives arrays and scalars names that are neither keywords nor names
// that the C code uses itself (`fresh`, `used_inside`). What differs between runtimes is a virtual function
// of CText (c_text.hpp): opencl_text.cpp, cuda_text.cpp and host_text.cpp fill these in. A program that runs
// in tasks has another gemv.c, which stream_text.cpp writes, and one for ranks of MPI that of ranks_text.cpp.
#include "export/c_text.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "lower/lower.hpp"

namespace hoist::exporting {

namespace {

/// The keywords of C99 and of C++20, by whose compilers the header may be read.
constexpr std::string_view keywords[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "auto",
                                         "bitand",
                                         "bitor",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "char8_t",
                                         "class",
                                         "co_await",
                                         "co_return",
                                         "co_yield",
                                         "compl",
                                         "concept",
                                         "const",
                                         "const_cast",
                                         "consteval",
                                         "constexpr",
                                         "constinit",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "long",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "restrict",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "thread_local",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "union",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};

/// Names that the generated functions use themselves, and names that headers define.
constexpr std::string_view used_inside[] = {
    "NULL",     "i0",        "i1",       "i2",         "i3",           "I",           "errno",
    "linux",    "unix",      "size_t",   "int8_t",     "int16_t",      "int32_t",     "int64_t",
    "uint8_t",  "uint16_t",  "uint32_t", "uint64_t",   "handle",       "status",      "h",
    "i",        "arguments", "range",    "global",     "local",        "exchanged",   "allocate",
    "rounds0",  "rounds1",   "rounds2",  "rounds3",    "goes_on0",     "goes_on1",    "goes_on2",
    "goes_on3", "upload",    "download", "copy_array", "clear_faults", "read_faults", "fault_status",
    "finish",   "enter",     "run_steps"};

bool is_keyword(const std::string& name) {
  return std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords);
}

bool is_reserved(const std::string& name) {
  return is_keyword(name) ||
         std::find(std::begin(used_inside), std::end(used_inside), name) != std::end(used_inside);
}

std::string shape_text(const ExportedArray& array) {
  std::string text;
  for (std::int64_t extent : array.shape) text += fmt::format("[{}]", extent);
  return text + std::string(name_of(array.scalar));
}

std::size_t elements_of(const ExportedArray& array) {
  std::size_t elements = 1;
  for (std::int64_t extent : array.shape) elements *= static_cast<std::size_t>(extent);
  return elements;
}

/// Writes a text so that it can stand inside a comment of C.
std::string commented(const std::string& text) {
  std::string result = " *   ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (i + 1 < text.size()) result += "\n *   ";
    } else {
      result += text[i];
      if (text[i] == '*' && i + 1 < text.size() && text[i + 1] == '/') result += ' ';
      if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '*') result += ' ';
    }
  }
  return result;
}

/// Writes a text as a string literal of C.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return result + "\"";
}

/// Whether `is_wanted` holds for a task, or for one inside a repetition.
bool has_task(const std::vector<execute::LaunchPlan::Task>& tasks,
              const std::function<bool(const execute::LaunchPlan::Task&)>& is_wanted) {
  return std::ranges::any_of(tasks, [&](const execute::LaunchPlan::Task& task) {
    const auto* repeat = std::get_if<execute::LaunchPlan::Repeat>(&task.node);
    return is_wanted(task) ||
           (repeat && (has_task(repeat->test, is_wanted) || has_task(repeat->body, is_wanted)));
  });
}

}  // namespace

std::string c_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::F32:
      return "float";
    case Scalar::F64:
      return "double";
    case Scalar::I8:
      return "int8_t";
    case Scalar::I16:
      return "int16_t";
    case Scalar::I32:
      return "int32_t";
    case Scalar::I64:
      return "int64_t";
    case Scalar::U8:
    case Scalar::Bool:
      return "uint8_t";
    case Scalar::U16:
      return "uint16_t";
    case Scalar::U32:
      return "uint32_t";
    case Scalar::U64:
      return "uint64_t";
  }
  throw Bug("a scalar type without a type in C");
}

bool is_c_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_inner) && !is_keyword(name);
}

CText::CText(const Exported& exported) : exported_(exported), plan_(exported.plan) {
  if (is_in_tasks()) taken_ = {"streams", "inputs", "outputs", "fault", "run_plan"};
  if (is_on_ranks())
    taken_ = {"streams", "inputs", "outputs", "fault",   "steps",
              "rank",    "plans",  "numbers", "kernels", "loops"};
  for (char letter : exported.name) {
    capitals_ += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  for (std::size_t i = 0; i < exported.inputs.size(); ++i) {
    const execute::LaunchPlan::Input& input = plan_.inputs.at(i);
    CArgument argument{fresh(exported.inputs[i].name), c_type(exported.inputs[i].scalar), input.is_array,
                       false, input.index};
    (input.is_array ? arrays_ : scalars_)[input.index] = argument.name;
    arguments_.push_back(std::move(argument));
  }
  for (std::size_t i = 0; i < exported.outputs.size(); ++i) {
    const std::size_t array = plan_.outputs.at(i);
    arguments_.push_back(
        {fresh(exported.outputs[i].name), c_type(exported.outputs[i].scalar), true, true, array});
    arrays_[array] = arguments_.back().name;
  }
  for (std::size_t array = 0; array < plan_.arrays.size(); ++array) {
    if (arrays_.count(array) == 0) arrays_[array] = fresh(plan_.arrays[array].name);
  }
  for (std::size_t scalar = 0; scalar < plan_.scalars.size(); ++scalar) {
    if (scalars_.count(scalar) == 0) scalars_[scalar] = fresh(plan_.scalars[scalar].name);
  }
}

std::string CText::fresh(const std::string& wanted) {
  std::string name = wanted;
  std::replace(name.begin(), name.end(), '.', '_');
  while (is_reserved(name) || !taken_.insert(name).second) name += '_';
  return name;
}

std::string CText::expand(std::string text) const {
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at)) {
    const std::string& value = text.at(at + 1) == 'N' ? capitals_ : exported_.name;
    text.replace(at, 2, value);
    at += value.size();
  }
  return text;
}

std::string CText::source_lines(const std::string& name, std::string_view source) {
  std::string result =
      "/* A line each: string literals of C99 are at most 4095 bytes. */\nstatic const char *const " + name +
      "[] = {\n";
  std::string_view rest = source;
  constexpr std::size_t longest = 4000;
  while (!rest.empty()) {
    const std::size_t length =
        std::min({rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1, longest});
    result += "    " + quoted(rest.substr(0, length)) + ",\n";
    rest.remove_prefix(length);
  }
  return result + "};\n";
}

bool CText::uses_copies() const {
  return has_task(plan_.tasks, [](const execute::LaunchPlan::Task& step) {
    return std::holds_alternative<execute::LaunchPlan::Copy>(step.node);
  });
}
bool CText::reads_while_running() const {
  return has_task(plan_.tasks, [](const execute::LaunchPlan::Task& step) {
    const auto* repeat = std::get_if<execute::LaunchPlan::Repeat>(&step.node);
    return repeat && (repeat->count_from || repeat->condition);
  });
}
bool CText::has_input_arrays() const { return first_between() > plan_.outputs.size(); }

std::size_t CText::first_between() const {
  return plan_.outputs.size() +
         static_cast<std::size_t>(std::ranges::count_if(plan_.inputs, &execute::LaunchPlan::Input::is_array));
}

std::string CText::memory_bytes() const {
  std::string bytes;
  // No runtime has empty memory.
  for (std::size_t each : plan_.memory)
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(std::max<std::size_t>(each, 1));
  return "static const size_t memory_bytes[] = {" + bytes + "};\n\n";
}

std::string CText::parameters(bool on_device) const {
  std::string text = "$n_handle *handle";
  for (const CArgument& each : arguments_) {
    std::string type = each.type + " ";
    if (each.is_array) type = each.is_output ? each.type + " *" : "const " + each.type + " *";
    if (each.is_array && on_device) type = device_array(each);
    text += ", " + type + (type.ends_with('*') || type.ends_with(' ') ? "" : " ") + each.name;
  }
  return text;
}

std::string CText::header() const {
  std::string sizes, arrays, macros;
  for (const auto& [name, value] : exported_.sizes) {
    sizes += fmt::format("{}{} = {}", sizes.empty() ? ", with " : ", ", name, value);
    macros += fmt::format("#define $N_SIZE_{} {}\n", name, value);
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const bool is_input = i < exported_.inputs.size();
    const ExportedArray& array =
        is_input ? exported_.inputs[i] : exported_.outputs[i - exported_.inputs.size()];
    arrays += fmt::format(" *   {:<6} {}: {}\n", is_input ? "input" : "output", arguments_[i].name,
                          shape_text(array));
    if (arguments_[i].is_array)
      macros += fmt::format("#define $N_ELEMENTS_{} {}\n", arguments_[i].name, elements_of(array));
  }
  std::string create = "$n_handle **handle";
  for (const auto& [type, name] : create_parameters())
    create += ", " + type + (type.ends_with('*') ? "" : " ") + name;
  if (is_on_ranks()) create += ", MPI_Comm communicator";
  const std::string further =
      is_on_ranks() ? ranks_declarations()
      : is_in_tasks()
          ? stream_declarations()
          : fmt::format("/* The same on arrays in the device's memory{}. */\nint $n_run_device({});\n{}",
                        shares_memory() ? ", which is the host's" : ", where they are and stay",
                        parameters(true), further_declarations());
  const std::string further_statuses =
      is_on_ranks()
          ? "  $N_MESSAGE_FAILED = 10,   /* MPI does not run, or has failed */\n"
            "  $N_OTHER_COUNT = 11       /* the communicator has not as many ranks as it was made for */\n"
      : is_in_tasks()
          ? "  $N_TOO_FEW_UNITS = 9      /* the device has fewer compute units than partitions */\n"
          : "";
  const std::string ranks_comment = fmt::format(
      "/* For the {0} rank{1} of a communicator, which is copied. All ranks call this and all functions of a "
      "handle together, from the thread\n"
      " * that MPI was started for; all get the same status. On failure *handle is NULL. */\n",
      is_on_ranks() ? exported_.ranks->plan.places : 0,
      is_on_ranks() && exported_.ranks->plan.places == 1 ? "" : "s");
  const char* run_comment =
      is_on_ranks()
          ? "/* Runs once and waits for the end. Each rank gives its rows of each input and gets those of "
            "each output, as $n_part_... tell; numbers are\n"
            " * the same at all ranks, and those of the result all get. Arrays of no rows may be NULL. */"
          : "/* Runs once and waits for the end, on arrays in the host's memory. */";
  return expand(fmt::format(R"(/* $n.h: made by `hoist export` for {}{}.
 *
 * It computes
 *
{}
 *
{} *
 * Arrays are dense and row-major; a bool is a byte, 0 or 1. Arrays must not overlap, but inputs with each other.
 *
 * Build: {}
 *
 * Ownership: what $n_create gives is the caller's until $n_destroy. Arrays are always the caller's; none is kept after a call.
 * Threads: a handle is for one thread at a time. Different handles can be used at the same time.
 */
#ifndef $N_H
#define $N_H

#include <stddef.h>
#include <stdint.h>
{}
#ifdef __cplusplus
extern "C" {{
#endif

/* The sizes that it was made for, and the elements of its arrays. */
{}
/* What every function returns but $n_destroy and $n_error_text. */
enum {{
  $N_OK = 0,
  $N_INVALID_ARGUMENT = 1,  /* a null pointer */
  $N_NO_DEVICE = 2,         /* no device, or it cannot be opened */
  $N_NO_MEMORY = 3,         /* of the host or of the device */
  $N_BUILD_FAILED = 4,      /* the device's compiler refused the kernels */
  $N_TRANSFER_FAILED = 5,   /* between host and device */
  $N_LAUNCH_FAILED = 6,     /* the device did not run a kernel to its end */
  $N_INDEX_OUTSIDE = 7,     /* the inputs made the program read outside an array; outputs hold no result */
  $N_NO_VALUE = 8{}          /* the inputs made it divide an integer by zero, shift by too many bits or the like; likewise */
{}}};

typedef struct $n_state $n_handle;

{}int $n_create({});

{}
int $n_run({});

{}
/* Frees what the handle holds; NULL is allowed. */
void $n_destroy($n_handle *handle);

/* What a status means, in English; never NULL. */
const char *$n_error_text(int status);

#ifdef __cplusplus
}}
#endif
#endif
)",
                            dialect_name(), sizes, commented(exported_.program), arrays, how_to_build(),
                            is_on_ranks() ? "#include <mpi.h>\n" : header_includes(), macros,
                            further_statuses.empty() ? " " : ",", further_statuses,
                            is_on_ranks() ? ranks_comment : create_comment(), create, run_comment,
                            parameters(false), further));
}

std::vector<CArgument> CText::kernel_arguments(std::size_t kernel) const {
  std::vector<CArgument> result;
  for (const execute::LaunchPlan::Parameter& each : plan_.kernels[kernel].parameters) {
    if (each.is_array) {
      result.push_back({arrays_.at(each.index), c_type(plan_.arrays[each.index].scalar), true,
                        each.is_written, each.index});
    } else {
      result.push_back(
          {scalars_.at(each.index), c_type(plan_.scalars[each.index].type), false, false, each.index});
    }
  }
  return result;
}

std::string CText::launch_functions() const {
  std::string text;
  for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
    const std::vector<CArgument> arguments = kernel_arguments(k);
    std::string list = "$n_handle *h";
    for (const CArgument& each : arguments) {
      const std::string type = each.is_array ? device_array(each) : each.type;
      list += ", " + type + (type.ends_with('*') ? "" : " ") + each.name;
    }
    text += fmt::format("static int launch_{}({}) {{\n{}}}\n\n", plan_.kernels[k].name, list,
                        launch_body(k, arguments));
  }
  return text;
}

std::string CText::steps(const std::vector<execute::LaunchPlan::Task>& steps, const std::string& margin,
                         int depth) const {
  std::string text;
  for (const execute::LaunchPlan::Task& step : steps) {
    if (const auto* launch = std::get_if<execute::LaunchPlan::Launch>(&step.node)) {
      const runtime::Range& range = plan_.kernels[launch->kernel].range;
      if (std::ranges::count(range.global, std::size_t{0}) > 0) continue;  // there is nothing to do
      std::string list = "h";
      for (const CArgument& each : kernel_arguments(launch->kernel)) list += ", " + each.name;
      text += fmt::format("{}if (!status) status = launch_{}({});\n", margin,
                          plan_.kernels[launch->kernel].name, list);
    } else if (const auto* copy = std::get_if<execute::LaunchPlan::Copy>(&step.node)) {
      if (plan_.arrays[copy->to].bytes() == 0) continue;
      text += fmt::format("{}if (!status) status = copy_array(h, {}, {}, {});\n", margin,
                          arrays_.at(copy->from), arrays_.at(copy->to), plan_.arrays[copy->to].bytes());
    } else if (const auto* repeated = std::get_if<execute::LaunchPlan::Repeat>(&step.node)) {
      const execute::LaunchPlan::Repeat& repeat = *repeated;
      const auto read = [&](const std::string& type, const std::string& name, std::size_t array,
                            const std::string& at) {
        return fmt::format("{0}{1} {2} = 0;\n{0}if (!status) status = download(h, &{2}, {3}, sizeof {2});\n",
                           at, type, name, arrays_.at(array));
      };
      std::string rounds = std::to_string(repeat.count);
      if (repeat.count_from) {
        rounds = fmt::format("rounds{}", depth);
        text += margin + "{\n" + read("int32_t", rounds, *repeat.count_from, margin);
      }
      text +=
          fmt::format("{0}for (int64_t i{1} = 0; !status && i{1} < {2}; ++i{1}) {{\n", margin, depth, rounds);
      text += this->steps(repeat.test, margin + "  ", depth + 1);
      if (repeat.condition) {
        const std::string flag = fmt::format("goes_on{}", depth);
        text += read("uint8_t", flag, *repeat.condition, margin + "  ");
        text += fmt::format("{}  if (!{}) break;\n", margin, flag);
      }
      if (repeat.number) {
        text +=
            fmt::format("{}  const int32_t {} = (int32_t)i{};\n", margin, scalars_.at(*repeat.number), depth);
      }
      text += this->steps(repeat.body, margin + "  ", depth + 1);
      for (const auto& [first, second] : repeat.exchanged) {
        const std::string type = device_array({{}, c_type(plan_.arrays[first].scalar), true, true, 0});
        text += fmt::format(
            "{0}  {{\n{0}    {1}{2}exchanged = {3};\n{0}    {3} = {4};\n{0}    {4} = exchanged;\n{0}  }}\n",
            margin, type, type.ends_with('*') ? "" : " ", arrays_.at(first), arrays_.at(second));
      }
      text += margin + "}\n";
      if (repeat.count_from) text += margin + "}\n";
    }
  }
  return text;
}

std::string CText::steps_function() const {
  std::string text =
      "/* All that is to be launched, in order. */\nstatic int run_steps(" + parameters(true) + ") {\n";
  text += "  $n_handle *h = handle;\n  int status = $N_OK;\n";
  for (std::size_t array = first_between(); array < plan_.arrays.size(); ++array) {
    const std::string type = device_array({{}, c_type(plan_.arrays[array].scalar), true, true, array});
    text += fmt::format("  {}{}{} = h->memory[{}];\n", type, type.ends_with('*') ? "" : " ",
                        arrays_.at(array), plan_.arrays[array].memory);
  }
  if (plan_.faults) text += fmt::format("  status = clear_faults(h, {});\n", arrays_.at(*plan_.faults));
  text += steps(plan_.tasks, "  ", 0);
  if (!finish().empty()) text += "  if (!status) status = " + finish() + ";\n";
  if (plan_.faults)
    text += fmt::format("  if (!status) status = read_faults(h, {});\n", arrays_.at(*plan_.faults));
  return text + "  return status;\n}\n\n";
}

std::string CText::create_function() const {
  std::string parameters = "$n_handle **handle", allocate;
  for (const auto& [type, name] : create_parameters()) parameters += ", " + type + " " + name;
  if (is_in_tasks()) {
    allocate = "  if (!status) status = allocate(&h->streams);\n";
  } else if (first_between() < plan_.memory.size()) {
    allocate = fmt::format("  for (size_t i = {}; !status && i < {}; ++i) status = allocate(h, i);\n",
                           first_between(), plan_.memory.size());
  }
  return fmt::format(R"(int $n_create({}) {{
  $n_handle *h;
  int status;
  if (!handle) return $N_INVALID_ARGUMENT;
  *handle = NULL;
  h = ($n_handle *)calloc(1, sizeof *h);
  if (!h) return $N_NO_MEMORY;
{}{}  if (status) {{
    close_device({});
    free(h);
    return status;
  }}
{}  *handle = h;
  return $N_OK;
}}

void $n_destroy($n_handle *handle) {{
  if (!handle) return;
{}  close_device({});
  free(handle);
}}

)",
                     parameters, is_in_tasks() ? stream_open() : open(), allocate,
                     is_in_tasks() ? "&h->streams" : "h", leave(),
                     enter().empty() ? ""
                     : is_in_tasks() ? "  enter(&handle->streams);\n"
                                     : "  enter(handle);\n",
                     is_in_tasks() ? "&handle->streams" : "handle");
}

std::string CText::invalid_arguments() const {
  std::string text = "  if (!handle";
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].is_array && plan_.arrays[arguments_[i].array].bytes() > 0)
      text += " || !" + arguments_[i].name;
  }
  return text + ") return $N_INVALID_ARGUMENT;\n";
}

std::string CText::run_functions() const {
  std::string names, memory, upload, download;
  for (const CArgument& each : arguments_) {
    names += ", " + each.name;
    if (!each.is_array) {
      memory += ", " + each.name;
      continue;
    }
    const std::size_t index = plan_.arrays[each.array].memory, bytes = plan_.arrays[each.array].bytes();
    memory += fmt::format(", handle->memory[{}]", index);
    upload += fmt::format("  if (!status) status = allocate(handle, {});\n", index);
    if (bytes == 0) continue;
    if (each.is_output) {
      download += fmt::format("  if (!status) status = download(handle, {}, handle->memory[{}], {});\n",
                              each.name, index, bytes);
    } else {
      upload += fmt::format("  if (!status) status = upload(handle, handle->memory[{}], {}, {});\n", index,
                            each.name, bytes);
    }
  }
  std::string text = "int $n_run_device(" + parameters(true) + ") {\n  int status;\n" + invalid_arguments() +
                     enter() + "  status = run_steps(handle" + names + ");\n" + leave() +
                     "  return status;\n}\n\n";
  text += "int $n_run(" + parameters(false) + ") {\n";
  if (shares_memory()) return text + "  return $n_run_device(handle" + names + ");\n}\n\n";
  return text + "  int status = $N_OK;\n" + invalid_arguments() + enter() + upload +
         "  if (!status) status = run_steps(handle" + memory + ");\n" + download + leave() +
         "  return status;\n}\n\n";
}

std::string CText::error_function() const {
  const std::string further =
      is_on_ranks() ? "    case $N_MESSAGE_FAILED: return \"MPI does not run, or has failed\";\n"
                      "    case $N_OTHER_COUNT: return \"the communicator has not as many ranks as the "
                      "program was made for\";\n"
      : is_in_tasks()
          ? "    case $N_TOO_FEW_UNITS: return \"the device has fewer compute units than partitions\";\n"
          : "";
  return R"(const char *$n_error_text(int status) {
  switch (status) {
    case $N_OK: return "done";
    case $N_INVALID_ARGUMENT: return "a pointer is null";
    case $N_NO_DEVICE: return "there is no such device, or it cannot be opened";
    case $N_NO_MEMORY: return "there is not enough memory";
    case $N_BUILD_FAILED: return "the device's compiler refused the kernels";
    case $N_TRANSFER_FAILED: return "an array could not be copied between host and device";
    case $N_LAUNCH_FAILED: return "the device did not run a kernel to its end";
    case $N_INDEX_OUTSIDE: return "the inputs made the program read outside an array";
    case $N_NO_VALUE: return "the inputs made the program divide an integer by zero, shift by too many bits, or the like";
)" + further +
         R"(    default: return "an unknown status";
  }
}
)";
}

std::string CText::fault_status() const {
  if (!plan_.faults) return {};
  return fmt::format(R"(/* Kernels set the flag, which is an array of one, when something has no result. */
static int fault_status(int32_t found) {{
  return found == {} ? $N_INDEX_OUTSIDE : found == {} ? $N_NO_VALUE : $N_OK;
}}

)",
                     static_cast<int>(lower::Fault::IndexOutside), static_cast<int>(lower::Fault::NoValue));
}

std::string CText::source() const {
  if (is_on_ranks()) return ranks_source();
  if (is_in_tasks()) return stream_source();
  const std::string state = fmt::format(R"(struct $n_state {{
{}  {} memory[{}]; /* of inputs and outputs, then of what is between kernels */
}};

)",
                                        state_members(), memory_type(), plan_.memory.size());
  return expand("/* $n.c: made by `hoist export`; $n.h describes it. */\n" + source_includes() + "\n") +
         kernels() +
         expand("\n" + state + fault_status() + helpers() + launch_functions() + steps_function() +
                create_function() + run_functions() + further_functions() + error_function());
}

std::vector<ExportedFile> CText::files() const {
  std::vector<ExportedFile> result{{exported_.name + ".h", header()}, {exported_.name + ".c", source()}};
  for (ExportedFile& each : further_files()) result.push_back(std::move(each));
  return result;
}

}  // namespace hoist::exporting
