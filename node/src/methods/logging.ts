import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isOn, SWITCH_NAMES, switchNames, turned } from "../log/category-switches.ts"
import { CORE_CATEGORIES, DEPRECATED_CATEGORIES, deprecatedCategoryText } from "../log/core-categories.ts"
import type { LogSwitches } from "../log/log-layer.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, optional, stringOf } from "./definition/parameter.ts"
import { invalidParameter, type CallError } from "../queries/call-error.ts"

const CORE_NAMES = Object.keys(CORE_CATEGORIES).toSorted()

const OWN_NAMES = SWITCH_NAMES.filter((name) => !CORE_NAMES.includes(name))

const EVERY = ["all", "1", ""]

/** Reads the categories in a list. Calls `deprecated` with each name of a former category. */
const readNames = (
  list: ReadonlyArray<JsonRead>,
  all: ReadonlyArray<string>,
  deprecated: (name: string) => void
): Result.Result<ReadonlyArray<string>, CallError> => {
  const names: Array<string> = []
  for (const value of list) {
    const name = stringOf(value)
    if (Result.isFailure(name)) return Result.fail(name.failure)
    if (EVERY.includes(name.success)) names.push(...all)
    else if (all.includes(name.success)) names.push(name.success)
    else if (DEPRECATED_CATEGORIES.has(name.success)) deprecated(name.success)
    else return Result.fail(invalidParameter(`unknown logging category ${name.success}`))
  }
  return Result.succeed(names)
}

const names = (verb: string, description: string) =>
  optional(array({ usage: `["${verb}_category",...]`, description }, Schema.Array(Schema.String)))

/** Reads the categories in a list. Logs a warning for each name of a former category. */
const namesIn = (
  list: ReadonlyArray<JsonRead>,
  all: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, CallError> => {
  const deprecated: Array<string> = []
  return Effect.andThen(
    Effect.fromResult(readNames(list, all, (name) => deprecated.push(name))),
    (found) => Effect.as(Effect.forEach(deprecated, (name) => Effect.logWarning(deprecatedCategoryText(name))), found)
  )
}

/** Switches categories on and off. Exclusions take precedence. */
const switched = Effect.fnUntraced(function*(
  { names: all, on, set }: LogSwitches,
  include: ReadonlyArray<JsonRead>,
  exclude: ReadonlyArray<JsonRead>
): Effect.fn.Return<Readonly<Record<string, boolean>>, CallError> {
  const wanted = new Set([...on(), ...yield* namesIn(include, all)])
  for (const name of yield* namesIn(exclude, all)) wanted.delete(name)
  yield* set(wanted)
  return Object.fromEntries(all.map((name) => [name, wanted.has(name)]))
})

export const logging = method({
  name: "logging",
  category: "control",
  privilege: "admin",
  description: [
    "Answers which categories are logged in detail (level debug), and turns them on and off until the node stops.",
    "\"all\" and \"1\" stand for every category; what is excluded counts last. Beside names of this node's own, one of",
    "Bitcoin Core stands for the category that has such lines, which is on as long as one of its names is.",
    "",
    `The valid logging categories are: ${CORE_NAMES.join(", ")}`,
    `Where the node has a configuration of its own, also: ${OWN_NAMES.join(", ")}`
  ].join("\n"),
  parameters: {
    include: names("include", "Categories to turn on"),
    exclude: names("exclude", "Categories to turn off")
  },
  result: Schema.Record(Schema.String, Schema.Boolean),
  examples: [{ params: [] }, { params: [["rpc"], ["chain"]] }],
  call: Effect.fnUntraced(function*({ exclude = [], include = [] }, { log }) {
    if (log.switches !== undefined) return yield* switched(log.switches, include, exclude)
    const all = switchNames(log.levels())
    const on = yield* namesIn(include, all)
    const off = yield* namesIn(exclude, all)
    if (on.length + off.length > 0) yield* log.setLevels(turned(turned(log.levels(), on, true), off, false))
    const levels = log.levels()
    return Object.fromEntries(all.map((name) => [name, isOn(levels, name)]))
  })
})
