import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonMembers, JsonRead } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { bytesOfDigits, hashOf, members } from "../method/parameter.ts"
import { inCase } from "../method/result-schema.ts"
import { invalidParameter, type RpcError, rpcError, RpcErrorCode, wrongKind } from "../rpc-error.ts"
import type { RpcNode } from "../rpc-node.ts"

const Request = Schema.Struct({
  mode: Schema.optional(Schema.Literals(["template", "proposal"])),
  capabilities: Schema.optional(Schema.Array(Schema.String)),
  rules: Schema.optional(Schema.Array(Schema.String)),
  longpollid: Schema.optional(Schema.String),
  data: Schema.optional(Schema.String)
})

const modeOf = (value: JsonRead | undefined): string | undefined =>
  value === undefined || value === null ? "template" : typeof value === "string" ? value : undefined

const propose = Effect.fnUntraced(function*(request: JsonMembers, { chain }: RpcNode): Effect.fn.Return<string | null, RpcError> {
  const data = request.get("data")
  if (typeof data !== "string") return yield* Effect.fail(wrongKind("Missing data String key for proposal"))
  const bytes = data === "" ? undefined : bytesOfDigits(data)
  if (bytes === undefined) return yield* Effect.fail(rpcError(RpcErrorCode.deserialization, "Block decode failed"))
  const { result } = yield* chain.call("proposeBlock", { bytes })
  return result ?? null
})

/** What is wrong with a request for a template; there are none yet, so something always is. */
const templateProblem = (request: JsonMembers): RpcError => {
  const longpoll = request.get("longpollid")
  if (typeof longpoll === "string") {
    const watched = hashOf(longpoll.slice(0, 64), "longpollid")
    if (Result.isFailure(watched)) return watched.failure
  }
  const rules = request.get("rules")
  return Array.isArray(rules) && rules.includes("segwit")
    ? rpcError(RpcErrorCode.misc, "This version builds no block templates; only mode \"proposal\" is at hand")
    : invalidParameter("getblocktemplate must be called with the segwit rule set (call with {\"rules\": [\"segwit\"]})")
}

export const getblocktemplate = method({
  name: "getblocktemplate",
  category: "mining",
  privilege: "admin",
  description: "Judges a block as the next one of the chain, proof of work apart (mode proposal). Templates are not built yet.",
  parameters: { template_request: members({ description: "The request, as BIP22 and BIP23 describe it" }, Request) },
  result: Schema.Union([
    inCase("mode=proposal and the block would be accepted", Schema.Null),
    inCase("mode=proposal otherwise", Schema.String.annotate({ description: "Why not, in the words of BIP22" }))
  ]),
  examples: [{ params: [{ mode: "proposal", data: "aabbcc" }] }],
  call: Effect.fnUntraced(function*({ template_request: request }, node) {
    const mode = modeOf(request.get("mode"))
    if (mode === "proposal") return yield* propose(request, node)
    return yield* Effect.fail(mode === "template" ? templateProblem(request) : invalidParameter("Invalid mode"))
  })
})
