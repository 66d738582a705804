import { bytesEqual } from "@lockstep/kernel/bytes"
import { blockHash, headerOf } from "@lockstep/kernel/model"
import { provenIds } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bytesOfDigits, displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { decodeMerkleBlock } from "./chain/decode-merkle-block.ts"

export const verifytxoutproof = method({
  name: "verifytxoutproof",
  category: "blockchain",
  privilege: "anyone",
  description: "Checks a proof that transactions are in a block, and that the block is in the active chain.",
  parameters: { proof: text({ description: "The proof, as gettxoutproof makes it" }) },
  result: Schema.Array(Hex.annotate({ description: "The id of a transaction that the proof is good for" })),
  examples: [{ params: ["proof"] }],
  call: Effect.fnUntraced(function*({ proof }, { chain, crypto }) {
    const bytes = proof === "" ? undefined : bytesOfDigits(proof)
    if (bytes === undefined) {
      return yield* Effect.fail(invalidParameter(`proof must be hexadecimal string (not '${proof}')`))
    }
    const given = decodeMerkleBlock(bytes)
    if (typeof given === "string") return yield* Effect.fail(callError("Misc", given))
    const header = headerOf(given.header)
    const proven = provenIds(given, crypto)
    if (proven === undefined || !bytesEqual(proven.root, header.merkleRoot)) return []
    const facts = yield* chain.call("blockFacts", { hash: blockHash(header, crypto) })
    if (facts === undefined || facts.confirmations < 1 || facts.transactions === 0) {
      return yield* Effect.fail(callError("InvalidAddressOrKey", "Block not found in chain"))
    }
    return facts.transactions === given.transactions ? proven.ids.map(displayHash) : []
  })
})
