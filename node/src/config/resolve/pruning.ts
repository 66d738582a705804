import * as Result from "effect/Result"
import type { Pruning } from "../../engine/options/engine-options.ts"
import { INDEXES } from "../../engine/options/index-switches.ts"
import { anySettingName, settingName, shortSettingName } from "../../front/setting-name.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import type { Settings, ValueAt } from "../schema/settings.ts"
import { MEBIBYTE } from "../../units.ts"

const FEWEST_RECENT = 288

const byMode = (mode: ValueAt<Settings, "storage.pruning.mode">): Pruning => {
  const type = typeof mode === "string" ? mode : mode.type
  if (type === "disabled") return { _tag: "Disabled" }
  if (type === "manual") return { _tag: "Manual" }
  const table = typeof mode === "string" || mode.type !== "normal" ? undefined : mode
  const fromHeight = table?.keep_from_height ?? 0
  const blocks = table?.min_recent_blocks ?? FEWEST_RECENT
  return fromHeight === 0 ? { _tag: "KeepBlocks", blocks } : { _tag: "KeepBlocks", blocks, fromHeight }
}

/** Returns the pruning mode; a failure is a line for the operator. */
export const pruningOf = (effective: Effective): Result.Result<Pruning, string> => {
  const mode = valueOf(effective, "storage.pruning.mode")
  const target = optionalValue(effective, "storage.pruning.target_mb")
  const chosen = byMode(mode)
  if (target !== undefined && isGiven(effective, "storage.pruning.mode") && chosen._tag !== "KeepBlocks") {
    return Result.fail(
      `[storage.pruning]: ${shortSettingName("[storage.pruning].mode")} ${JSON.stringify(mode)} and ${
        shortSettingName("[storage.pruning].target_mb")
      } = ${target} exclude each other; keep one`
    )
  }
  const wanted: Pruning = target === undefined ? chosen : { _tag: "TargetSize", bytes: target * MEBIBYTE }
  if (wanted._tag === "Disabled") return Result.succeed(wanted)
  for (const { key, readsBlocks } of Object.values(INDEXES)) {
    if (!readsBlocks || !valueOf(effective, `storage.indexing.${key}`)) continue
    return Result.fail(
      `${anySettingName(`[storage.indexing].${key}`)} = true needs every block, so ${
        settingName("[storage.pruning].mode")
      } must be "disabled"`
    )
  }
  return Result.succeed(valueOf(effective, "storage.pruning.auto_prune") ? wanted : { _tag: "Manual" })
}
