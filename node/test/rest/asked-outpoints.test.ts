import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { askedOutpoints } from "../../src/core-rest/resources/asked-outpoints.ts"
import type { RestPath } from "../../src/core-rest/rest-path.ts"

const ID = "0123456789abcdef".repeat(4)
/** In the byte order of the wire. */
const BYTES = Uint8Array.from(Buffer.from(ID, "hex")).reverse()

const index = (vout: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(vout)
  return bytes
}

/** A body as clients write it: a byte for the mempool, and the list. */
const bodyOf = (mempool: number, ...vouts: ReadonlyArray<number>): Uint8Array =>
  concatBytes([Uint8Array.of(mempool, vouts.length), ...vouts.flatMap((vout) => [BYTES, index(vout)])])

/** What a request asks for: the indexes, and whether the mempool counts; or its refusal. */
const asked = (param: string, format: string | undefined, body: Uint8Array = new Uint8Array(0)): unknown => {
  const path = { param, format } as unknown as RestPath
  return Result.match(Effect.runSync(Effect.result(askedOutpoints(path, body))), {
    onFailure: (refusal) => JSON.stringify(refusal),
    onSuccess: ({ outpoints, withMempool }) => {
      for (const { txid } of outpoints) assert.deepStrictEqual(Buffer.from(txid), Buffer.from(BYTES))
      return [outpoints.map(({ vout }) => vout), withMempool]
    }
  })
}

describe("the outputs that a request for unspent ones names", () => {
  it.each<readonly [string, ReadonlyArray<number>, boolean]>([
    [`/${ID}-0`, [0], false],
    [`/checkmempool/${ID}-0`, [0], true],
    [`/${ID}-1/${ID}-4294967295`, [1, 4_294_967_295], false]
  ])("are those of the path %s", (param, vouts, withMempool) => {
    for (const format of ["json", "bin", "hex"]) assert.deepStrictEqual(asked(param, format), [vouts, withMempool])
  })

  it.each([
    [`/${ID}`, "Parse error"],
    [`/${ID}-0-1`, "Parse error"],
    [`/${ID}-4294967296`, "Parse error"],
    [`/${ID}--1`, "Parse error"],
    [`/${ID.slice(1)}-0`, "Parse error"],
    ["/checkmempool", "Error: empty request"]
  ])("are none in the path %s", (param, message) => {
    assert.include(asked(param, "json"), message)
  })

  it.each([["json"], ["bin"], ["hex"], [undefined]])("are none without a path and a body, as %s", (format) => {
    for (const param of ["", "/"]) assert.include(asked(param, format), "Error: empty request")
  })

  it("need a form that there is", () => {
    assert.include(asked(`/${ID}-0`, undefined), "output format not found (available: .bin, .hex, .json)")
    assert.include(asked("", undefined, bodyOf(0, 1)), "output format not found")
  })

  it("are those of a body in bytes or digits, which has the list alone", () => {
    const list = bodyOf(0, 7, 9).subarray(1)
    // The length before the body is read as the byte for the mempool.
    assert.deepStrictEqual(asked("", "bin", list), [[7, 9], true])
    assert.deepStrictEqual(asked("", "hex", Buffer.from(`${Buffer.from(list).toString("hex")}\n`)), [[7, 9], true])
  })

  it("are none in a body that is cut short, promises too many, or comes as JSON", () => {
    const list = bodyOf(0, 7, 9).subarray(1)
    assert.include(asked("", "bin", list.subarray(0, -1)), "Parse error")
    assert.include(asked("", "bin", Uint8Array.of(0xfd, 0xff, 0xff)), "Parse error")
    assert.include(asked("", "json", list), "Error: empty request")
    assert.deepStrictEqual(asked(`/${ID}-0`, "json", list), [[0], false])
  })

  it("are either in the path or in the body", () => {
    const message = "Combination of URI scheme inputs and raw post data is not allowed"
    for (const format of ["bin", "hex"]) {
      const body = format === "bin" ? bodyOf(0, 1) : Buffer.from(Buffer.from(bodyOf(0, 1)).toString("hex"))
      assert.include(asked(`/${ID}-0`, format, body), message)
    }
    // Digits that are none are no body.
    assert.deepStrictEqual(asked(`/${ID}-0`, "hex", Buffer.from("zz")), [[0], false])
  })
})
