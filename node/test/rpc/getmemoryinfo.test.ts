import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

interface Locked {
  readonly used: number
  readonly free: number
  readonly total: number
  readonly locked: number
  readonly chunks_used: number
  readonly chunks_free: number
}

const MEBIBYTE = 1024 * 1024

const server = Effect.gen(function*() {
  const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
  return (...params: ReadonlyArray<unknown>) => Effect.promise(() => ask(address, "getmemoryinfo", params))
})

describe("getmemoryinfo", () => {
  it.live("shows the heap as it is: what is used grows with what is kept", () =>
    Effect.gen(function*() {
      const memory = yield* server
      const figures = Effect.map(memory("stats"), ({ result }) => (result as { readonly locked: Locked }).locked)
      // What other tests of the process left would go in between.
      collectGarbage()
      const before = yield* figures
      assert.isAbove(before.used, MEBIBYTE)
      assert.isAbove(before.free, 0)
      assert.strictEqual(before.used + before.free, before.total)
      assert.isAbove(before.chunks_used, 0)
      assert.isAbove(before.chunks_free, 0)
      assert.isAtLeast(before.locked, 0)
      // 128 MiB of doubles.
      const kept = Array.from({ length: 16 * MEBIBYTE }, () => 0.5)
      const after = yield* figures
      assert.strictEqual(kept.length, 16 * MEBIBYTE)
      assert.isAbove(after.used - before.used, 64 * MEBIBYTE)
      assert.isAbove(after.total, 128 * MEBIBYTE)
    }))

  it.live("shows the parts of the heap as XML, each with what it uses and has", () =>
    Effect.gen(function*() {
      const memory = yield* server
      const text = String((yield* memory("mallocinfo")).result)
      assert.match(text, /^<malloc version="1">\n(?:<[^<>]+>\n)+<\/malloc>\n$/)
      const sizes = (type: string): ReadonlyArray<number> =>
        [...text.matchAll(new RegExp(`type="${type}" size="(\\d+)"`, "g"))].map(([, size]) => Number(size))
      const heaps = [...text.matchAll(/<heap nr="(\d+)" name="([a-z_]+)">/g)].map((
        [, number, name]
      ) => [Number(number), name])
      assert.deepStrictEqual(heaps.map(([number]) => number), heaps.map((_, i) => i))
      assert.includeDeepMembers(heaps.map(([, name]) => name), ["new_space", "old_space", "code_space"])
      assert.strictEqual(text.match(/<heap /g)!.length, text.match(/<\/heap>/g)!.length)
      // One for each part, and one for all of them.
      for (const type of ["used", "current"]) {
        const each = sizes(type)
        assert.lengthOf(each, heaps.length + 1)
        const sum = each.slice(0, -1).reduce((all, size) => all + size, 0)
        assert.approximately(each.at(-1)!, sum, 4 * MEBIBYTE, type)
      }
      assert.isAbove(sizes("max")[0]!, sizes("current").at(-1)!)
    }))

  it.live("knows no other mode", () =>
    Effect.gen(function*() {
      const memory = yield* server
      assert.deepStrictEqual((yield* memory("foobar")).error, { code: -8, message: "unknown mode foobar" })
      assert.property((yield* memory()).result, "locked")
    }))
})
