import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { ModuleMethods } from "../../modules/api/module-methods.ts"
import { onExit } from "../../finalizers/finalizers.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../../json/json-value.ts"
import { writeJson } from "../../json/write-json.ts"
import type { LongText } from "../../json/long-text.ts"
import type { Method } from "../../methods/definition/method.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import { errorOfCause } from "../../queries/error-of-cause.ts"
import { JsonRpcCode, type RpcError, rpcErrorOf } from "../rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import { attempt, hasEnded, mapAtOnce, matchAtOnce } from "../../http/at-once.ts"
import { callMethod } from "../../methods/definition/call-method.ts"
import { RPC_CODES } from "../../methods/definition/rpc-codes.ts"
import { callModule, callOverride } from "./module-call.ts"
import { type Envelope, isNotification, type JsonRpcRequest, jsonRpcRequest, NO_REQUEST } from "./json-rpc-request.ts"
import { errorReply, resultReply } from "./json-rpc-reply.ts"
import { unknownMethod } from "../../methods/definition/unknown-method.ts"

/** The answer to a request before HTTP headers are added. It has no body if the request was a notification. */
export interface CallAnswer {
  readonly status: number
  readonly body: string | LongText | undefined
}

/** Target of calls: the methods, and the node that they work on. */
export interface CallTarget {
  readonly methods: ReadonlyMap<string, Method>
  /** Finds the module that answers a method, also in place of the node's own method. */
  readonly moduleMethod?: ModuleMethods["find"]
  /** Returns the node, or a text that says what it is busy with while it starts. */
  readonly node: () => MethodNode | string
  /** Called before every call of a known method; the returned function is called after it. */
  readonly calls?: (method: string) => (succeeded: boolean) => void
  /** Traces every call before it runs; `undefined` if no log needs calls. */
  readonly traced?: ((method: string, id: string) => void) | undefined
}

/** An error of the node or of a module. */
type Failure = CallError | RpcError

/** Returns a call with its parameters, or `undefined` if the method does not exist. */
const callOf = (
  { method: name, params }: JsonRpcRequest,
  node: MethodNode,
  { methods, moduleMethod }: CallTarget
): Effect.Effect<JsonValue, Failure> | undefined => {
  const ofModule = moduleMethod?.(name)
  const method = methods.get(name)
  if (ofModule !== undefined) {
    return method === undefined ? callModule(ofModule, params) : callOverride(ofModule, method, params, node)
  }
  return method === undefined ? undefined : attempt(() => callMethod(method, params, node))
}

/** Maximum length of the answers of a batch, in characters. Calls beyond it are refused, which bounds memory. */
const MAX_BATCH_ANSWER = 64 * 1024 * 1024

/** Returns the id of a request as a log shows it. */
const idText = ({ id }: Envelope): string => id === undefined ? "" : typeof id === "string" ? id : writeJson(id)

/** Runs one call, which yields the text of its answer. A call that waits for nothing has finished when this returns. */
const execute = (request: JsonRpcRequest, target: CallTarget): Effect.Effect<string | LongText, Failure> => {
  const { envelope, method: name } = request
  target.traced?.(name, idText(envelope))
  const node = target.node()
  if (typeof node === "string") return Effect.fail(callError("InWarmup", node))
  const call = callOf(request, node, target)
  if (call === undefined) return Effect.fail(unknownMethod(name))
  const report = target.calls?.(name)
  const ending = hasEnded(call)
  const reply = mapAtOnce(
    ending === undefined ? node.activeCalls.during(name, call) : call,
    (result) => resultReply(envelope, result)
  )
  if (ending === "well" && hasEnded(reply) === "well" || ending === "failed") {
    report?.(ending === "well")
    return reply
  }
  return reply.pipe(
    onExit((exit) => Effect.sync(() => report?.(Exit.isSuccess(exit)))),
    Effect.catchCause((cause) => Effect.flip(errorOfCause(cause, "a call failed inside the node", { method: name })))
  )
}

/** Returns the HTTP status of an error. In JSON-RPC 2.0 the body alone carries the error. */
const statusOf = ({ version }: Envelope, { code }: RpcError): number => {
  if (version === "2.0") return 200
  if (code === JsonRpcCode.invalidRequest) return 400
  return code === RPC_CODES.MethodNotFound ? 404 : 500
}

const refused = (envelope: Envelope, error: RpcError): CallAnswer => ({
  status: statusOf(envelope, error),
  body: errorReply(envelope, error)
})

/** The answer to a notification. */
const SILENCE: CallAnswer = { status: 204, body: undefined }

const TOO_LONG: RpcError = { code: JsonRpcCode.outOfMemory, message: "The answers to this batch are too large" }
const NO_MEMORY: RpcError = {
  code: JsonRpcCode.outOfMemory,
  message: "The node holds too many answers at the moment: ask again, or for less at a time"
}

const single = (value: JsonRead, target: CallTarget, hold: (bytes: number) => boolean): Effect.Effect<CallAnswer> => {
  const request = jsonRpcRequest(value)
  if (Result.isFailure(request)) {
    const { envelope, error } = request.failure
    // A value that is no request is a bad request in every version.
    return Effect.succeed({ status: 400, body: errorReply(envelope, error) })
  }
  const { envelope } = request.success
  const answer = (made: CallAnswer): CallAnswer => isNotification(envelope) ? SILENCE : made
  return matchAtOnce(execute(request.success, target), {
    onFailure: (error) => answer(refused(envelope, rpcErrorOf(error))),
    onSuccess: (body) => answer(hold(body.length) ? { status: 200, body } : refused(envelope, NO_MEMORY))
  })
}

type Read = ReturnType<typeof jsonRpcRequest>

const envelopeOf = (request: Read): Envelope =>
  Result.isSuccess(request) ? request.success.envelope : request.failure.envelope

const batched = (request: Read, target: CallTarget): Effect.Effect<string> => {
  if (Result.isFailure(request)) return Effect.succeed(errorReply(request.failure.envelope, request.failure.error))
  const { envelope } = request.success
  return Effect.match(execute(request.success, target), {
    onFailure: (error) => errorReply(envelope, rpcErrorOf(error)),
    onSuccess: String
  })
}

/**
 * Copies a text into one piece. A concatenated string holds its parts, which take many times its memory, until it is
 * read.
 */
const inOnePiece = (text: string): string => Buffer.from(text).toString()

const batch = Effect.fnUntraced(function*(
  values: ReadonlyArray<JsonRead>,
  target: CallTarget,
  hold: (bytes: number) => boolean
): Effect.fn.Return<CallAnswer> {
  const replies: Array<string> = []
  let size = 0
  let isFull = false
  let isLong = false
  let envelope: Envelope | undefined
  for (const value of values) {
    const request = jsonRpcRequest(value, envelope)
    envelope = envelopeOf(request)
    const reply: string = isFull ? errorReply(envelope, isLong ? TOO_LONG : NO_MEMORY) : yield* batched(request, target)
    if (isNotification(envelope)) continue
    replies.push(inOnePiece(reply))
    size += reply.length
    isLong ||= size > MAX_BATCH_ANSWER
    isFull ||= isLong || !hold(reply.length)
  }
  const isSilent = replies.length === 0 && values.length > 0
  return isSilent ? SILENCE : { status: 200, body: `[${replies.join(",")}]` }
})

/** Runs the calls of a body: one, or a batch one after another. `hold` reserves memory for answers. */
export const dispatch = (
  body: JsonRead | undefined,
  target: CallTarget,
  hold: (bytes: number) => boolean = () => true
): Effect.Effect<CallAnswer> => {
  if (body instanceof JsonMembers) return single(body, target, hold)
  if (Array.isArray(body)) return batch(body, target, hold)
  const message = body === undefined ? "Parse error" : "Top-level object parse error"
  return Effect.succeed(refused(NO_REQUEST, { code: JsonRpcCode.parse, message }))
}
