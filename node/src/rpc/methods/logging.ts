import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { LogLevel } from "../../config/config.ts"
import { LOG_CATEGORIES } from "../../log/log-categories.ts"
import { isWanted, type Levels } from "../../log/log-record.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { array, optional, stringOf } from "../method/parameter.ts"
import { invalidParameter, type RpcError } from "../rpc-error.ts"

const EVERY = ["all", "1", ""]

/** Whether a category is told in detail. */
const isOn = (levels: Levels, category: string): boolean => isWanted(levels, { level: "debug", category })

const known = (levels: Levels): ReadonlyArray<string> =>
  [...new Set([...LOG_CATEGORIES, ...Object.keys(levels.categories)])].toSorted()

/** The categories that a list names. */
const namesIn = (list: ReadonlyArray<JsonRead>, all: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, RpcError> => {
  const names: Array<string> = []
  for (const value of list) {
    const name = stringOf(value)
    if (Result.isFailure(name)) return Result.fail(name.failure)
    if (EVERY.includes(name.success)) names.push(...all)
    else if (all.includes(name.success)) names.push(name.success)
    else return Result.fail(invalidParameter(`unknown logging category ${name.success}`))
  }
  return Result.succeed(names)
}

/** The same levels, with some categories told in detail or no longer. */
const turned = (levels: Levels, names: ReadonlyArray<string>, on: boolean): Levels => {
  const quiet: LogLevel = levels.level === "debug" || levels.level === "trace" ? "info" : levels.level
  const changed = names.filter((name) => isOn(levels, name) !== on).map((name) => [name, on ? "debug" : quiet] as const)
  return { level: levels.level, categories: { ...levels.categories, ...Object.fromEntries(changed) } }
}

const names = (description: string) => optional(array({ description }, Schema.Array(Schema.String)))

export const logging = method({
  name: "logging",
  category: "control",
  privilege: "admin",
  description: [
    "Answers which categories of the log are told in detail (level debug), and turns them on and off until the node stops.",
    "\"all\" and \"1\" stand for every category; what is excluded counts last."
  ].join("\n"),
  parameters: { include: names("Categories to turn on"), exclude: names("Categories to turn off") },
  result: Schema.Record(Schema.String, Schema.Boolean),
  examples: [{ params: [] }, { params: [["rpc"], ["chain"]] }],
  call: Effect.fnUntraced(function*({ exclude = [], include = [] }, { log }) {
    const all = known(log.levels())
    const on = yield* Effect.fromResult(namesIn(include, all))
    const off = yield* Effect.fromResult(namesIn(exclude, all))
    if (on.length + off.length > 0) yield* log.setLevels(turned(turned(log.levels(), on, true), off, false))
    const levels = log.levels()
    return Object.fromEntries(all.map((name) => [name, isOn(levels, name)]))
  })
})
