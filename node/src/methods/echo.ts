import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonRead, JsonValue } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { anything, type Parameter, whereGiven } from "./definition/parameter.ts"
import { callError } from "../queries/call-error.ts"
import { Anything } from "../answers/result-schema.ts"

/** The parameters from `arg0` to `arg9`. */
const ARGUMENTS: Readonly<Record<string, Parameter<JsonRead | undefined>>> = Object.fromEntries(
  Array.from({ length: 10 }, (_, at) => [`arg${at}`, whereGiven(anything({ description: "Any value" }, Anything))])
)

/** Value of a parameter that triggers an internal error, as in Bitcoin Core. */
const TRIGGER = "trigger_internal_bug"

const BUG = callError(
  "Misc",
  `Internal bug detected: request.params[9].get_str() != "${TRIGGER}"\nThe caller asked for this answer.`
)

const echoes = (name: string, description: string) =>
  method({
    name,
    category: "control",
    isHidden: true,
    privilege: "anyone",
    description,
    parameters: ARGUMENTS,
    result: Schema.Array(Anything),
    examples: [{ params: [] }, { params: ["a", "b"] }],
    call: (given) => {
      const values = Object.keys(ARGUMENTS).map((argument) => given[argument])
      if (values.at(-1) === TRIGGER) return Effect.fail(BUG)
      const last = values.findLastIndex((value) => value !== undefined)
      return Effect.succeed(values.slice(0, last + 1).map((value): JsonValue => value ?? null))
    }
  })

export const echo = echoes("echo", "Answers its parameters. The client of a command line sends each as a text.")

export const echojson = echoes("echojson", "Answers its parameters. The client of a command line reads each as JSON.")
