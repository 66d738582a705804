import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { has, nodeOf } from "../engine/header-index/header-index.ts"
import { HeaderStatus } from "../engine/header-index/header-status.ts"
import { method } from "./definition/method.ts"
import { hash, longInteger } from "./definition/parameter.ts"
import { type CallError, callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const failed = (message: string): CallError => callError("Misc", message)

export const getblockfrompeer = method({
  name: "getblockfrompeer",
  category: "blockchain",
  privilege: "admin",
  description: [
    "Requests a block whose header is known from a peer. The answer only says that the request was sent.",
    "Several peers can be asked one after another: a newer request replaces an older one.",
    "A pruning node may soon prune a block that came this way."
  ].join("\n"),
  parameters: {
    blockhash: hash({ description: "The hash of the block" }),
    peer_id: longInteger({ description: "The number of the peer, from getpeerinfo" })
  },
  result: Schema.Record(Schema.String, Schema.Null).annotate({ description: "An empty object" }),
  examples: [{ params: ["00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09", 0] }],
  call: Effect.fnUntraced(function*({ blockhash, peer_id }, node) {
    const { requestBlock, chain: { state, tree }, peers } = yield* runningNetwork(node)
    const header = nodeOf(tree, blockhash)
    if (header === undefined) return yield* Effect.fail(failed("Block header missing"))
    if (node.pruning !== "off" && header.height > state().height) {
      const reason = "In prune mode, only blocks that the node has already synced previously can be fetched from a peer"
      return yield* Effect.fail(failed(reason))
    }
    if (has(tree, header, HeaderStatus.STORED)) return yield* Effect.fail(failed("Block already downloaded"))
    const peer = peers.get(peer_id)
    if (peer === undefined) return yield* Effect.fail(failed("Peer does not exist"))
    const refusal = requestBlock(peer, header)
    return refusal === undefined ? {} : yield* Effect.fail(failed(refusal))
  })
})
