import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { JsonRead } from "../../json/json-value.ts"
import { typedParameters } from "../../methods/definition/typed-parameters.ts"
import type { CommandFailure } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { prettyJson } from "../pretty-json.ts"
import { rememberTarget } from "../quick/remember-target.ts"
import { allNamesAreKnown, paramsOf } from "../quick/typed-params.ts"
import { say } from "../terminal.ts"
import type { Credentials, ClientTarget } from "./client-credentials.ts"
import { callNode, type CallOutcome, judgeAnswer } from "./node-client.ts"
import type { PostedAnswer } from "./post-call.ts"

const faults = () => import("./call-faults.ts")

/** Returns the result of an answer, or fails with the reason why it has none. */
export const judgedCall = async (
  target: ClientTarget,
  credentials: Credentials,
  call: { readonly method: string; readonly params: JsonRead },
  answer: PostedAnswer
): Promise<CallOutcome | CommandFailure> => {
  const outcome = judgeAnswer(target, credentials, answer)
  if ("_tag" in outcome || outcome.error === undefined) return outcome
  const { failureOf } = await faults()
  return failureOf(call.method, call.params, outcome.error)
}

/** Calls any method of the running node and prints its result: a text as it is, anything else as JSON. */
export const rpc = Effect.fn("rpc")(function*(
  input: GlobalInput,
  name: string,
  given: ReadonlyArray<string>,
  quic: Option.Option<string> = Option.none()
) {
  const parameters = typedParameters(name)
  if (parameters !== undefined && !allNamesAreKnown(given, parameters)) {
    const fault = (yield* Effect.promise(faults)).faultOfNames(name, given)
    if (fault !== undefined) return yield* fault
  }
  const { config, effective } = yield* callersConfig(input)
  const via = Option.isNone(quic)
    ? undefined
    : yield* (yield* Effect.promise(() => import("./quic-call.ts"))).viaQuic(config, quic.value)
  if (via === undefined) rememberTarget(process.argv.slice(2), input, config, effective)
  const params = paramsOf(given, parameters)
  const { error, result } = yield* callNode(config, name, params, 0, via)
  if (error !== undefined) return yield* (yield* Effect.promise(faults)).failureOf(name, params, error)
  if (result !== null) yield* say(typeof result === "string" ? result : prettyJson(result))
})
