import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { getchaintips } from "../../src/methods/getchaintips.ts"

const tip = (height: number, branchLength: number, status: string) => ({
  height,
  branchLength,
  status,
  hash: new Uint8Array(32)
})

const splitsOn = (name: string, isStandIn: boolean, ...tips: ReadonlyArray<ReturnType<typeof tip>>) => {
  const node = { chain: { call: () => Effect.succeed(tips) }, isStandIn, network: { name } }
  const call = getchaintips.call as unknown as (
    given: undefined,
    facts: typeof node
  ) => Effect.Effect<ReadonlyArray<{ readonly split: string | undefined }>>
  return Effect.map(call(undefined, node), (found) => found.map(({ split }) => split))
}

describe("getchaintips on a network that has split", () => {
  const active = tip(961_700, 0, "active")
  const left = tip(961_640, 9, "headers-only")
  const other = tip(961_600, 3, "valid-fork")

  it.effect("says of a branch from a known split why the active chain is followed, and of no other branch", () =>
    Effect.gen(function*() {
      const [ofActive, ofLeft, ofOther] = yield* splitsOn("mainnet", false, active, left, other)
      assert.deepStrictEqual([ofActive, ofOther], [undefined, undefined])
      assert.match(
        ofLeft!,
        /^a minority chain has left this one behind height 961631 \(.+\): the active chain has 69 blocks since, and the most work$/
      )
    }))

  it.effect("has Bitcoin Core's members alone under bitcoind", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* splitsOn("mainnet", true, active, left), [undefined, undefined])
    }))
})
