import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { helpText } from "../help/help-text.ts"
import { jsonKind, type JsonMembers, type JsonRead, type JsonValue } from "../../json/json-value.ts"
import { answerMisfit } from "./answer-misfit.ts"
import type { Method } from "./method.ts"
import type { Parameters } from "./method-facts.ts"
import { type CallError, callError, wrongKind } from "../../queries/call-error.ts"
import type { MethodNode } from "./method-node.ts"
import { hasEnded, valueAtOnce } from "../../http/at-once.ts"
import { positionalParams } from "./positional-params.ts"

/** Returns one error about all parameters of a wrong kind, or `undefined` if all are correct. */
const wrongKinds = (parameters: Parameters, values: ReadonlyArray<JsonRead>): CallError | undefined => {
  const problems: Array<string> = []
  let position = 0
  for (const [name, { aliases, kind, required }] of Object.entries(parameters)) {
    const given = jsonKind(values[position] ?? null)
    position++
    if (kind === undefined || given === kind || (!required && given === "null")) continue
    const names = [name, ...aliases].join("|")
    problems.push(
      `    "Position ${position} (${names})": "JSON value of type ${given} is not of expected type ${kind}"`
    )
  }
  return problems.length === 0 ? undefined : wrongKind(`Wrong type passed:\n{\n${problems.join(",\n")}\n}`)
}

/** Reports whether a method with these parameters accepts this many, including every required one. */
export const isCount = (parameters: Parameters, count: number): boolean => {
  const all = Object.values(parameters)
  const needed = all.findLastIndex(({ required }) => required) + 1
  return count >= needed && count <= all.length
}

/** Returns the parameters by position. Fails if their number or a kind is wrong. */
export const checkedValues = (
  { parameters, ...facts }: Method,
  params: ReadonlyArray<JsonRead> | JsonMembers,
  node: Pick<MethodNode, "isStandIn">
): Result.Result<ReadonlyArray<JsonRead>, CallError> => {
  const positional = positionalParams(params, parameters)
  if (Result.isFailure(positional)) return Result.fail(positional.failure)
  const values = positional.success
  if (!isCount(parameters, values.length)) {
    return Result.fail(callError("Misc", helpText({ parameters, ...facts }, node)))
  }
  const problem = wrongKinds(parameters, values)
  return problem === undefined ? Result.succeed(values) : Result.fail(problem)
}

const readArguments = (
  method: Method,
  params: ReadonlyArray<JsonRead> | JsonMembers,
  node: Pick<MethodNode, "isStandIn">
): Result.Result<Readonly<Record<string, unknown>>, CallError> => {
  const checked = checkedValues(method, params, node)
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  const { parameters } = method
  const values = checked.success
  const read: Record<string, unknown> = {}
  let position = 0
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = parameter.read(values[position] ?? null, name, position < values.length)
    position++
    if (Result.isFailure(value)) return Result.fail(value.failure)
    read[name] = value.success
  }
  return Result.succeed(read)
}

/**
 * Returns Bitcoin Core's error for an answer that differs from its description. `place` is the path of the difference.
 */
const misdescribed = (method: string, place: string): CallError =>
  callError(
    "Misc",
    `Internal bug detected: RPC call "${method}" returned incorrect type:\n${place} is not as its description says`
  )

/** Returns the answer, or an error if it differs from its description; at once if the answer is already available. */
const held = (
  answer: Effect.Effect<JsonValue, CallError>,
  { name, result }: Method
): Effect.Effect<JsonValue, CallError> => {
  const judged = (value: JsonValue): Effect.Effect<JsonValue, CallError> => {
    const place = answerMisfit(result.ast, value)
    return place === undefined ? Effect.succeed(value) : Effect.fail(misdescribed(name, place))
  }
  const done = valueAtOnce(answer)
  if (done !== undefined) return judged(done.value)
  return hasEnded(answer) === undefined ? Effect.flatMap(answer, judged) : answer
}

/** Calls a method with unchecked parameters. */
export const callMethod = (
  method: Method,
  params: ReadonlyArray<JsonRead> | JsonMembers,
  node: MethodNode
): Effect.Effect<JsonValue, CallError> => {
  const args = readArguments(method, params, node)
  if (Result.isFailure(args)) return Effect.fail(args.failure)
  const answer = method.call(args.success as never, node)
  return node.checksAnswers ? held(answer, method) : answer
}
