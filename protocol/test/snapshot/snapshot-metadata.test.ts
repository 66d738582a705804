import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { NETWORKS } from "../../src/networks/table.ts"
import { snapshotHead } from "../../src/snapshot/compressed-coin.ts"
import { readSnapshotMetadata } from "../../src/snapshot/snapshot-metadata.ts"

const { mainnet, regtest } = NETWORKS
const BASE = Uint8Array.from({ length: 32 }, (_, i) => i)
const HEAD = snapshotHead(regtest.magic, BASE, 299)

/** The head with one byte replaced. */
const headWith = (at: number, value: number): Uint8Array => Object.assign(HEAD.slice(), { [at]: value })

const fault = (bytes: Uint8Array): string =>
  Result.getOrElse(Result.flip(readSnapshotMetadata(bytes, regtest)), () => "")

describe("what a snapshot says of itself", () => {
  it("is read as it was written", () => {
    assert.deepStrictEqual(Result.getOrThrow(readSnapshotMetadata(HEAD, regtest)), { base: BASE, coins: 299n })
  })

  it("is refused in Bitcoin Core's words when it is cut, of another form, or of another network", () => {
    for (const size of [0, 5, 8, HEAD.length - 1]) assert.match(fault(HEAD.subarray(0, size)), /end of file/)
    assert.match(fault(headWith(0, 0)), /^Invalid UTXO set snapshot magic bytes\./)
    assert.strictEqual(fault(headWith(6, 1)), "Version of snapshot 258 does not match any of the supported versions.")
    assert.strictEqual(
      fault(snapshotHead(mainnet.magic, BASE, 1)),
      "The network of the snapshot (main) does not match the network of this node (regtest)."
    )
    assert.match(fault(headWith(7, 0)), /^This snapshot has been created for an unrecognized network\./)
  })
})
