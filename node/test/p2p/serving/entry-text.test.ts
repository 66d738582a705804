import { assert, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../src/hex.ts"
import { entryText } from "../../../src/p2p/serving/entry-text.ts"
import { settle } from "../peer/scripted-peer.ts"
import { getdata, served } from "./served.ts"

it.each([
  [1, "tx"],
  [0x40000001, "witness-tx"],
  [5, "wtx"],
  [2, "block"],
  [0x40000002, "witness-block"],
  [3, "merkleblock"],
  [4, "cmpctblock"],
  [255, "0x000000ff"]
])("an entry of type %s is a %s by its hash as it is shown", (type, name) => {
  const hash = new Uint8Array(32)
  hash[0] = 0xab
  assert.strictEqual(entryText({ type, hash }), `${name} ${"00".repeat(31)}ab`)
})

it.effect("the first entry of each request is traced", () =>
  Effect.gen(function*() {
    const { at, happenings, peer } = yield* served()
    peer.say(getdata([InventoryType.WITNESS_BLOCK, at(2).hash], [InventoryType.BLOCK, at(3).hash]))
    yield* settle
    const traced = happenings.flatMap((each) => each._tag === "DataRequested" ? [[each.entries, each.first]] : [])
    assert.deepStrictEqual(traced, [[2, `witness-block ${displayHash(at(2).hash)}`]])
  }))
