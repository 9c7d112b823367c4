#pragma once
// What HOIST_CAPTURE=DIR leaves behind: DIR has a directory for each case, which is a program with sizes on a
// device. What is not complete yet, or was left by a process that died, has a name that begins with a dot.
//
//   DIR/gemv-9f2c41d07a3b/case.json      the program's entry and file, its sizes, the device, files of inputs
//                         program.hoist  its text
//                         A.npy          a flattened input, as the first run had it
//                         runs.jsonl     {"runs": 12, "seconds": 0.5}: a line whenever some runs are added
namespace hoist::capture::captured {

inline constexpr const char* format = "hoist capture";
inline constexpr int version = 1;
inline constexpr const char* case_file = "case.json";
inline constexpr const char* program_file = "program.hoist";
inline constexpr const char* runs_file = "runs.jsonl";

}  // namespace hoist::capture::captured
