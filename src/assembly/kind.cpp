#include "assembly/kind.hpp"

#include <array>
#include <span>

namespace hoist::assembly {

namespace {

/// A mnemonic has the kind of the longest beginning that fits.
struct NamedKind {
  std::string_view beginning;
  Kind kind;
};

constexpr std::array vector_kinds = std::to_array<NamedKind>({
    {"add", Kind::Addition},
    {"sub", Kind::Addition},
    {"mul", Kind::Multiplication},
    {"fmadd", Kind::FusedMultiplyAdd},
    {"fmsub", Kind::FusedMultiplyAdd},
    {"fnmadd", Kind::FusedMultiplyAdd},
    {"fnmsub", Kind::FusedMultiplyAdd},
    {"min", Kind::MinimumOrComparison},
    {"max", Kind::MinimumOrComparison},
    {"cmp", Kind::MinimumOrComparison},
    {"comis", Kind::ToGeneral},
    {"ucomis", Kind::ToGeneral},
    {"div", Kind::Division},
    {"sqrt", Kind::SquareRoot},
    {"rcp", Kind::ReciprocalEstimate},
    {"rsqrt", Kind::ReciprocalEstimate},
    {"round", Kind::Rounding},
    {"rndscale", Kind::Rounding},
    {"and", Kind::Logic},
    {"or", Kind::Logic},
    {"xor", Kind::Logic},
    {"pand", Kind::Logic},
    {"por", Kind::Logic},
    {"pxor", Kind::Logic},
    {"ptern", Kind::Logic},
    {"padd", Kind::IntegerAddition},
    {"psub", Kind::IntegerAddition},
    {"pcmp", Kind::IntegerComparison},
    {"pmin", Kind::IntegerComparison},
    {"pmax", Kind::IntegerComparison},
    {"pabs", Kind::IntegerComparison},
    {"pavg", Kind::IntegerComparison},
    {"psign", Kind::IntegerComparison},
    {"pmul", Kind::IntegerMultiplication},
    {"pmadd", Kind::IntegerMultiplication},
    {"pmulld", Kind::LongIntegerMultiplication},
    {"pmullq", Kind::LongIntegerMultiplication},
    {"psll", Kind::VectorShift},
    {"psra", Kind::VectorShift},
    {"psrl", Kind::VectorShift},
    {"prol", Kind::VectorShift},
    {"pror", Kind::VectorShift},
    {"pslldq", Kind::Shuffle},
    {"psrldq", Kind::Shuffle},
    {"shuf", Kind::Shuffle},
    {"unpck", Kind::Shuffle},
    {"pshuf", Kind::Shuffle},
    {"punpck", Kind::Shuffle},
    {"palignr", Kind::Shuffle},
    {"permil", Kind::Shuffle},
    {"movddup", Kind::Shuffle},
    {"movshdup", Kind::Shuffle},
    {"movsldup", Kind::Shuffle},
    {"movhlps", Kind::Shuffle},
    {"movlhps", Kind::Shuffle},
    {"movhp", Kind::Shuffle},
    {"movlp", Kind::Shuffle},
    {"pack", Kind::Shuffle},
    {"insertps", Kind::Shuffle},
    {"pmovsx", Kind::WideShuffle},
    {"pmovzx", Kind::WideShuffle},
    {"perm", Kind::WideShuffle},
    {"shuff", Kind::WideShuffle},
    {"shufi", Kind::WideShuffle},
    {"align", Kind::WideShuffle},
    {"insertf", Kind::WideShuffle},
    {"inserti", Kind::WideShuffle},
    {"extractf", Kind::WideShuffle},
    {"extracti", Kind::WideShuffle},
    {"compress", Kind::WideShuffle},
    {"expand", Kind::WideShuffle},
    {"pcompress", Kind::WideShuffle},
    {"pexpand", Kind::WideShuffle},
    {"blend", Kind::Blend},
    {"pblend", Kind::Blend},
    {"blendv", Kind::VariableBlend},
    {"pblendv", Kind::VariableBlend},
    {"hadd", Kind::HorizontalAddition},
    {"hsub", Kind::HorizontalAddition},
    {"phadd", Kind::HorizontalAddition},
    {"phsub", Kind::HorizontalAddition},
    {"dpp", Kind::HorizontalAddition},
    {"cvt", Kind::LengthConversion},
    {"cvtdq2ps", Kind::Conversion},
    {"cvtps2dq", Kind::Conversion},
    {"cvttps2dq", Kind::Conversion},
    {"mov", Kind::Move},
    {"lddqu", Kind::Move},
    {"maskmov", Kind::Move},
    {"pmaskmov", Kind::Move},
    {"broadcast", Kind::Broadcast},
    {"pbroadcast", Kind::Broadcast},
    {"movmsk", Kind::ToGeneral},
    {"pmovmsk", Kind::ToGeneral},
    {"pmovb2m", Kind::ToGeneral},
    {"pmovd2m", Kind::ToGeneral},
    {"pextr", Kind::ToGeneral},
    {"extractps", Kind::ToGeneral},
    {"ptest", Kind::ToGeneral},
    {"test", Kind::ToGeneral},
    {"pinsr", Kind::FromGeneral},
    {"pmovm2", Kind::FromGeneral},
    {"cvtsi2s", Kind::LengthConversion},
    {"cvtusi2s", Kind::LengthConversion},
    {"gather", Kind::Gather},
    {"pgather", Kind::Gather},
    {"scatter", Kind::Scatter},
    {"pscatter", Kind::Scatter},
    {"k", Kind::MaskLogic},
    {"zero", Kind::Nothing},
});

constexpr std::array general_kinds = std::to_array<NamedKind>({
    {"mov", Kind::GeneralMove},
    {"push", Kind::GeneralMove},
    {"pop", Kind::GeneralMove},
    {"xchg", Kind::GeneralMove},
    {"lea", Kind::Address},
    {"sal", Kind::GeneralShift},
    {"sar", Kind::GeneralShift},
    {"shl", Kind::GeneralShift},
    {"shr", Kind::GeneralShift},
    {"rol", Kind::GeneralShift},
    {"ror", Kind::GeneralShift},
    {"imul", Kind::GeneralMultiplication},
    {"mul", Kind::GeneralMultiplication},
    {"idiv", Kind::GeneralDivision},
    {"div", Kind::GeneralDivision},
    {"bsf", Kind::BitCount},
    {"bsr", Kind::BitCount},
    {"popcnt", Kind::BitCount},
    {"lzcnt", Kind::BitCount},
    {"tzcnt", Kind::BitCount},
    {"cmov", Kind::ConditionalMove},
    {"j", Kind::ConditionalJump},
    {"jmp", Kind::Jump},
    {"ret", Kind::Jump},
    {"call", Kind::Call},
    {"nop", Kind::Nothing},
    {"prefetch", Kind::Nothing},
    {"endbr", Kind::Nothing},
    {"vzero", Kind::Nothing},
});

/// The kind of the longest beginning that fits.
Kind kind_named(std::string_view name, std::span<const NamedKind> kinds, Kind otherwise) {
  std::size_t longest = 0;
  Kind found = otherwise;
  for (const NamedKind& each : kinds) {
    if (each.beginning.size() <= longest || !name.starts_with(each.beginning)) continue;
    longest = each.beginning.size();
    found = each.kind;
  }
  return found;
}

}  // namespace

Kind vector_kind(std::string_view name) { return kind_named(name, vector_kinds, Kind::OtherVector); }
Kind general_kind(std::string_view name) { return kind_named(name, general_kinds, Kind::GeneralArithmetic); }

}  // namespace hoist::assembly
