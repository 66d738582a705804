import type { MaintainedEngine } from "./maintained-engine.ts"
import { assert } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { recordedBytes, recordedChain, recordedRows } from "../storage/block-files/recorded-files.ts"

interface SetRow {
  readonly label?: string
  readonly hash_serialized_3?: {
    readonly hash_serialized_3: string
    readonly height: number
    readonly bestblock: string
  }
  readonly muhash_noindex?: { readonly muhash: string }
}

/** What is recorded of the end of the recorded chain, when it is at hand. */
export const recorded = recordedChain === undefined ? undefined : (() => {
  const index = JSON.parse(fs.readFileSync(join(recordedChain, "index.json"), "utf8")) as { mocktime: number }
  const rows = recordedRows("txoutset.jsonl.gz") as ReadonlyArray<SetRow>
  return { mockTime: index.mocktime, tip: rows.find(({ label }) => label === "tip")! }
})()

/** Holds the engine to the tip and the coins Bitcoin Core had. */
export const endsInTheRecordedState = Effect.fnUntraced(function*(engine: MaintainedEngine) {
  const facts = yield* engine.call("setStatistics", { hashType: "hash_serialized_3", at: undefined, useIndex: false })
  const muHash = yield* engine.call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
  const { hash_serialized_3: expected, muhash_noindex: expectedMuHash } = recorded!.tip
  assert.strictEqual(facts.height, expected!.height)
  assert.strictEqual(displayHexOf(facts.block), expected!.bestblock)
  assert.strictEqual(displayHexOf(facts.setHash!), expected!.hash_serialized_3)
  assert.strictEqual(displayHexOf(muHash.setHash!), expectedMuHash!.muhash)
})

/** The framed blocks of the recorded chain, each with its frame. */
export const frames = (): ReadonlyArray<Buffer> => {
  const all = recordedBytes("blocks.dat.gz")
  const found: Array<Buffer> = []
  for (let at = 0; at < all.length;) {
    const end = at + 8 + all.readUInt32LE(at + 4)
    found.push(all.subarray(at, end))
    at = end
  }
  return found
}
