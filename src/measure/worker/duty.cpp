#include "measure/worker/duty.hpp"

#include <new>

#include "driver/verify.hpp"
#include "lang/lang.hpp"

namespace hoist::measure {

std::string words_of(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  return first.note.empty() ? first.message : first.message + "\n" + first.note;
}

OutcomeKind kind_of_build_failure(const Error& error, const target::Target& device) {
  const bool is_refused = error.kind == ErrorKind::Device && device.language != target::Language::Host;
  return is_refused ? OutcomeKind::DoesNotFit : OutcomeKind::BuildFailed;
}

std::string Duty::answer(const std::string& bytes) {
  const Json request = messages::from_bytes(bytes);
  if (request["ask"] == "setup") {
    Json reply = Json::object();
    if (auto opened = open(request); !opened) reply["error"] = words_of(opened.error());
    return messages::to_bytes(reply);
  }
  Outcome outcome;
  Json more;
  try {
    const ir::Arena arena;
    candidate(request, outcome, more);
  } catch (const GivenUp& why) {
    outcome.kind = why.kind;
    outcome.message = why.message;
  } catch (const std::bad_alloc&) {
    outcome.kind = OutcomeKind::OutOfMemory;
    outcome.message = "not enough memory";
  } catch (const std::exception& failure) {
    outcome.kind = OutcomeKind::NotCompiled;
    outcome.message = failure.what();
  }
  Json reply = messages::to_json(outcome);
  reply["more"] = std::move(more);
  return messages::to_bytes(reply);
}

Result<void> Duty::read_options(const Json& task, const target::Target& device) {
  lower::Options options;
  for (const Json& pass : task["without"]) {
    if (auto disabled = lower::disable_pass(options, pass.get<std::string>()); !disabled) return disabled;
  }
  lowering_ = driver::options_for(device, options);
  return {};
}

Result<execute::Executable> Duty::prepare(runtime::Device& device, const driver::Compiled& made,
                                          execute::PrepareOptions options) {
  if (last_program_ && made.source == last_source_) options.program = last_program_;
  auto executable = execute::Executable::prepare(device, made, options);
  if (!executable) return executable;
  last_source_ = made.source;
  last_program_ = executable->program();
  return executable;
}

driver::Compiled Duty::compiled(const Json& request) const {
  const Source text{"candidate", request["program"]};
  const auto program = lang::parse_program(text);
  if (!program) throw GivenUp{OutcomeKind::NotCompiled, program.error().render(&text)};
  driver::Compiled result = need_or_give_up(driver::compile(*program, lowering_), OutcomeKind::NotCompiled);
  if (const std::string source = request["source"]; !source.empty()) result.source = source;
  for (loop::Kernel& kernel : result.plan.kernels) kernel.name += request["suffix"].get<std::string>();
  return result;
}

}  // namespace hoist::measure
