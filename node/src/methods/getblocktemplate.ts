import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonMembers, JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { members } from "./definition/parameter.ts"
import { bytesOfDigits } from "../hex.ts"
import { variant } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError, wrongKind } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { blockTemplate, Template } from "./mining/block-template.ts"

const Request = Schema.Struct({
  mode: Schema.optional(Schema.Literals(["template", "proposal"])),
  capabilities: Schema.optional(Schema.Array(Schema.String)),
  rules: Schema.optional(Schema.Array(Schema.String)),
  longpollid: Schema.optional(Schema.String),
  data: Schema.optional(Schema.String)
})

const modeOf = (value: JsonRead | undefined): string | undefined =>
  value === undefined || value === null ? "template" : typeof value === "string" ? value : undefined

const propose = Effect.fnUntraced(
  function*(request: JsonMembers, { chain }: MethodNode): Effect.fn.Return<string | null, CallError> {
    const data = request.get("data")
    if (typeof data !== "string") return yield* Effect.fail(wrongKind("Missing data String key for proposal"))
    const bytes = data === "" ? undefined : bytesOfDigits(data)
    if (bytes === undefined) return yield* Effect.fail(callError("Deserialization", "Block decode failed"))
    const { result } = yield* chain.call("proposeBlock", { bytes })
    return result ?? null
  }
)

export const getblocktemplate = method({
  name: "getblocktemplate",
  category: "mining",
  privilege: "admin",
  description: [
    "Answers what is needed to work on the next block (BIP22, BIP23, BIP145). With longpollid it waits: until the tip changes, or",
    "after a minute until the mempool does. With mode proposal it judges a block as the next one of the chain, proof of work apart."
  ].join("\n"),
  parameters: { template_request: members({ description: "The request, as BIP22 and BIP23 describe it" }, Request) },
  result: Schema.Union([
    variant("mode=template", Template),
    variant("mode=proposal and the block would be accepted", Schema.Null),
    variant("mode=proposal otherwise", Schema.String.annotate({ description: "Why not, in the words of BIP22" }))
  ]),
  examples: [{ params: [{ rules: ["segwit"] }] }, { params: [{ mode: "proposal", data: "aabbcc" }] }],
  call: Effect.fnUntraced(function*({ template_request: request }, node) {
    const mode = modeOf(request.get("mode"))
    if (mode === "proposal") return yield* propose(request, node)
    if (mode === "template") return yield* blockTemplate(request, node)
    return yield* Effect.fail(invalidParameter("Invalid mode"))
  })
})
