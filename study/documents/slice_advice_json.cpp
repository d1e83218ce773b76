// The JSON of advice on slices and layouts.

#include "study/advice/slice_layouts.hpp"

namespace toroid::study {
namespace {

const core::Object<SliceLayout> slice_layout_object{
    "slice layout",
    {{"machine", "text", "the slice", &SliceLayout::machine},
     {"program", "text", "the training with its layout", &SliceLayout::program},
     {"chips", "count", "of the slice", &SliceLayout::chips},
     {"data", "count", "sets of ranks that keep all weights together", &SliceLayout::data},
     {"fsdp", "count", "ranks that share weights", &SliceLayout::fsdp},
     {"tensor", "count", "ranks that share matrices", &SliceLayout::tensor},
     {"sequences", "count", "of a step and tensor group", &SliceLayout::group_batch},
     {"memory", "bytes", "of a device", [](auto& one) { return one.work.memory.total(); }},
     {"step_s", "seconds", "as compilers are taken to hide messages", &SliceLayout::step},
     {"low_s", "seconds", "the least that is likely", [](auto& one) { return one.interval().first; }},
     {"high_s", "seconds", "the most that is likely", [](auto& one) { return one.interval().second; }},
     {"hidden_s", "seconds", "with all messages hidden, at the efficiency that fits measured trainings then",
      &SliceLayout::hidden},
     {"exposed_s", "seconds", "with none hidden, likewise", &SliceLayout::exposed},
     {"efficiency", "number or null", "of the peak that measured trainings reach; null: nobody measured one",
      [](auto& one) { return one.efficiency.is_measured() ? core::Json(one.efficiency.best) : core::Json(); }},
     {"compute_s", "seconds", "of the step", [](auto& one) { return one.at_peak / one.efficiency.best; }},
     {"tokens_per_second", "number", "by the step", &SliceLayout::tokens_per_second},
     {"tokens_per_second_and_chip", "number", "by the step",
      [](auto& one) { return one.tokens_per_second() / one.chips; }},
     {"mfu", "share", "of the published peak, by the step", &SliceLayout::mfu},
     {"collectives_s", "seconds by name", "of all collectives, by purpose", &SliceLayout::collectives},
     {"waits_s", "seconds by name", "of those that the step waits for", &SliceLayout::waits}}};

const core::Object<std::vector<SliceAdvice>> slice_advice_object{
    "slice advice",
    {core::field<std::vector<SliceAdvice>>(core::version_text, {}),
     {"layouts", "list of slice layout", "that are ties in their generation, the most tokens a second and chip first",
      [](auto& all) {
        std::vector<const SliceLayout*> kept;
        for (const auto& advice : all)
          for (const auto& one : advice.kept) kept.push_back(&one);
        std::ranges::stable_sort(kept, std::greater(), [](auto* one) { return one->tokens_per_second() / one->chips; });
        auto list = core::Json::array();
        for (const auto* one : kept) list.push_back(slice_layout_object(*one));
        return list;
      }},
     {"slower", "count", "layouts that another of their generation beats at both bounds",
      [](auto& all) {
        std::size_t sum = 0;
        for (const auto& advice : all) sum += advice.losers;
        return sum;
      }},
     {"too_large", "count", "of layouts that do not fit into memory",
      [](auto& all) {
        std::size_t sum = 0;
        for (const auto& advice : all) sum += advice.too_large.size();
        return sum;
      }},
     core::field<std::vector<SliceAdvice>>(core::manifest_text, {})}};

}  // namespace

core::Json slice_advice_json(const std::vector<SliceAdvice>& all) {
  return slice_advice_object(all);
}

std::vector<core::ObjectText> slice_advice_objects() {
  return {slice_advice_object, slice_layout_object};
}

}  // namespace toroid::study
