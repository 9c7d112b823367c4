// One line after the other: labels are taken off its beginning, comments off its end; what begins with a
// point is a directive, and the rest is a mnemonic with operands, which commas outside of parentheses
// separate. Read `read_listing` first, then upwards.
#include "assembly/instruction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace hoist::assembly {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The register named `name` if it is `prefix` and a number below `count`.
std::optional<int> numbered(std::string_view name, std::string_view prefix, int count) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = number_in(name.substr(prefix.size()));
  return number && *number >= 0 && *number < count ? number : std::nullopt;
}

/// A general register of the first eight, by its name in 64, 32, 16 and 8 bits.
struct NamedRegister {
  std::array<std::string_view, 5> names;
};
constexpr std::array<NamedRegister, 8> named_registers = {{{{"rax", "eax", "ax", "al", "ah"}},
                                                           {{"rcx", "ecx", "cx", "cl", "ch"}},
                                                           {{"rdx", "edx", "dx", "dl", "dh"}},
                                                           {{"rbx", "ebx", "bx", "bl", "bh"}},
                                                           {{"rsp", "esp", "sp", "spl", ""}},
                                                           {{"rbp", "ebp", "bp", "bpl", ""}},
                                                           {{"rsi", "esi", "si", "sil", ""}},
                                                           {{"rdi", "edi", "di", "dil", ""}}}};
constexpr std::array<int, 5> named_register_bits = {64, 32, 16, 8, 8};

/// From %r8 to %r15, with the letter of a part after it.
std::optional<Register> register_from_8(std::string_view name) {
  int bits = 64;
  if (!name.empty()) {
    const char last = name.back();
    if (last == 'd') bits = 32;
    if (last == 'w') bits = 16;
    if (last == 'b') bits = 8;
  }
  if (bits != 64) name.remove_suffix(1);
  const auto number = numbered(name, "r", 16);
  if (!number || *number < 8) return std::nullopt;
  return Register{RegisterFile::General, *number, bits};
}

/// `name` is without the percent sign. A register of no file of interest, such as st or rip, is Other.
Register register_named(std::string_view name) {
  for (const auto& [prefix, bits] :
       {std::pair<std::string_view, int>("xmm", 128), {"ymm", 256}, {"zmm", 512}}) {
    if (const auto number = numbered(name, prefix, 32)) return {RegisterFile::Vector, *number, bits};
  }
  if (const auto number = numbered(name, "k", 8)) return {RegisterFile::Mask, *number, 64};
  if (const auto found = register_from_8(name)) return *found;
  for (std::size_t number = 0; number < named_registers.size(); ++number) {
    for (std::size_t part = 0; part < named_register_bits.size(); ++part) {
      if (!name.empty() && named_registers[number].names[part] == name)
        return {RegisterFile::General, static_cast<int>(number), named_register_bits[part]};
    }
  }
  return {};
}

/// Takes the decorations "{%k1}{z}" and "{1to16}" off the end of an operand's text.
std::string_view without_decorations(std::string_view text, Operand& operand) {
  while (text.ends_with('}')) {
    const std::size_t open = text.rfind('{');
    if (open == std::string_view::npos || open == 0) break;
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    if (inside.starts_with("1to")) operand.is_broadcast = true;
    if (inside == "z") operand.zeroes_masked = true;
    if (inside.starts_with("%k")) operand.mask = register_named(inside.substr(1));
    text = trimmed(text.substr(0, open));
  }
  return text;
}

std::optional<Register> register_in_address(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('%')) return std::nullopt;
  return register_named(text.substr(1));
}

/// "-64(%rcx,%rax,4)".
void read_address(std::string_view text, Operand& operand) {
  operand.kind = OperandKind::Memory;
  const std::size_t open = text.find('(');
  operand.displacement = text.substr(0, open);
  if (open == std::string_view::npos) return;
  const std::size_t close = std::min(text.find(')', open), text.size());
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const std::size_t comma = inside.find(',');
  operand.base = register_in_address(inside.substr(0, comma));
  if (comma == std::string_view::npos) return;
  const std::string_view rest = inside.substr(comma + 1);
  operand.index = register_in_address(rest.substr(0, rest.find(',')));
}

bool is_jump_or_call(std::string_view mnemonic) {
  return mnemonic.starts_with('j') || mnemonic.starts_with("call");
}

Operand read_operand(std::string_view text, std::string_view mnemonic) {
  Operand operand;
  text = without_decorations(trimmed(text), operand);
  operand.text = text;
  if (text.empty() || text.starts_with('$') || text.starts_with('{')) return operand;
  if (is_jump_or_call(mnemonic)) {
    operand.kind = OperandKind::Label;
  } else if (text.starts_with('%') && text.find(':') == std::string_view::npos) {
    operand.kind = OperandKind::Register;
    operand.reg = register_named(text.substr(1));
  } else {
    read_address(text, operand);
  }
  return operand;
}

/// Commas between parentheses belong to an address.
std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (!trimmed(text.substr(begin)).empty()) parts.push_back(text.substr(begin));
  return parts;
}

bool is_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 8> prefixes = {"lock",  "rep",     "repe",   "repz",
                                                        "repne", "notrack", "data16", "bnd"};
  return std::find(prefixes.begin(), prefixes.end(), word) != prefixes.end() || word.starts_with('{');
}

std::optional<Instruction> read_instruction(std::string_view text, std::size_t line) {
  Instruction instruction;
  instruction.line = line;
  instruction.text = text;
  std::replace(instruction.text.begin(), instruction.text.end(), '\t', ' ');
  std::string_view mnemonic;
  do {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    mnemonic = text.substr(0, end);
    text = trimmed(text.substr(end));
  } while (is_prefix(mnemonic) && !text.empty());
  if (mnemonic.empty() || !std::all_of(mnemonic.begin(), mnemonic.end(), [](unsigned char each) {
        return std::islower(each) || std::isdigit(each);
      }))
    return std::nullopt;
  instruction.mnemonic = mnemonic;
  for (std::string_view operand : split_operands(text))
    instruction.operands.push_back(read_operand(operand, mnemonic));
  return instruction;
}

/// Takes a label off the beginning of a line; empty where there is none.
std::string_view take_label(std::string_view& line) {
  std::size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) ||
                               std::string_view("_.$@").find(line[end]) != std::string_view::npos))
    ++end;
  if (end == 0 || end == line.size() || line[end] != ':') return {};
  const std::string_view label = line.substr(0, end);
  line = trimmed(line.substr(end + 1));
  return label;
}

/// ".L4", and the numbers that inline assembly uses.
bool is_local(std::string_view label) {
  return label.starts_with(".L") || std::isdigit(static_cast<unsigned char>(label.front()));
}

}  // namespace

std::vector<Function> read_listing(std::string_view text) {
  std::vector<Function> functions(1);  // what stands before the first label belongs to a function of no name
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    for (std::string_view label = take_label(line); !label.empty(); label = take_label(line)) {
      if (!is_local(label)) functions.push_back({std::string(label), {}, {}});
      functions.back().labels.try_emplace(std::string(label), functions.back().instructions.size());
    }
    if (line.empty() || line.starts_with('.')) continue;
    if (auto instruction = read_instruction(line, number))
      functions.back().instructions.push_back(std::move(*instruction));
  }
  std::erase_if(functions, [](const Function& each) { return each.instructions.empty(); });
  return functions;
}

}  // namespace hoist::assembly
