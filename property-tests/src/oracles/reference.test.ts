import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { readScriptTests } from "../../fuzz/corpus/script-tests.ts"
import { fromHex, toHex } from "./byte-string.ts"
import { BASE, combination, GROUP_ORDER, multiple } from "./curve.ts"
import { sha256d, taggedHash } from "./hash.ts"
import { parseTransaction } from "./read-transaction.ts"
import { legacySighash } from "./sighash.ts"
import { schnorrVerifies } from "./signature.ts"
import { serializeTransaction } from "./transaction.ts"
import { verifyScript } from "./verify-script.ts"

const GENESIS_ROOT = "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a"
const GENESIS_HEADER = `01000000${"00".repeat(32)}${GENESIS_ROOT}29ab5f49ffff001d1dac2b7c`

describe("the oracles against what is known", () => {
  it("hash the genesis header and a tag", () => {
    agree(
      toHex(sha256d(fromHex(GENESIS_HEADER)).reverse()),
      "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
    )
    agree(taggedHash("TapLeaf").length, 32)
  })

  it("know the group: 2·G, (n − 1)·G and n·G", () => {
    agree(multiple(2n, BASE)?.x, 0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5n)
    agree(multiple(GROUP_ORDER - 1n, BASE)?.x, BASE.x)
    agree(combination(GROUP_ORDER - 1n, BASE, 1n, BASE), undefined)
  })

  it("verify the first signature of BIP340, and not with a bit changed", () => {
    const key = fromHex("f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
    const r = "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
    const s = "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
    const signature = fromHex(r + s)
    agree(schnorrVerifies(signature, key, new Uint8Array(32)), true)
    agree(schnorrVerifies(signature, key, new Uint8Array(32).fill(1)), false)
  })
})

/** Runs `judge` on a file of the reference vectors, where there is a root that has it. */
const withVectors = (title: string, path: string, judge: (file: Buffer) => void): void => {
  const root = process.env["LOCKSTEP_VECTORS"]
  const file = root === undefined ? undefined : join(root, path)
  if (file !== undefined && existsSync(file)) it(title, () => judge(readFileSync(file)))
}

if (process.env["LOCKSTEP_VECTORS"] !== undefined) {
  describe("the oracles against the reference vectors", () => {
    withVectors("give script_tests.json its errors", "script/script_tests.json", (file) => {
      for (const [i, { spend, expected }] of readScriptTests(file.toString()).entries()) {
        agree([i, verifyScript(spend).split(" ").at(-1)], [i, expected])
      }
    })

    withVectors("give every twentieth row of script_diff.jsonl.gz its error", "oracle/script_diff.jsonl.gz", (file) => {
      const lines = gunzipSync(file).toString().trim().split("\n")
      for (const line of lines.filter((_, i) => i % 20 === 0)) {
        const row = JSON.parse(line) as {
          id: string
          tx: string
          index: number
          prevouts: ReadonlyArray<[number, string]>
          flags: ReadonlyArray<string>
          err: string
        }
        const tx = parseTransaction(fromHex(row.tx))
        assert(typeof tx !== "string", row.id)
        agree([row.id, serializeTransaction(tx)], [row.id, fromHex(row.tx)])
        const spent = row.prevouts.map(([value, script]) => ({ value: BigInt(value), script: fromHex(script) }))
        const error = verifyScript({ tx, index: row.index, spent, flags: new Set(row.flags) })
        agree([row.id, error.split(" ").at(-1)], [row.id, row.err])
      }
    })

    withVectors("give sighash_legacy.json its hashes", "script/sighash_legacy.json", (file) => {
      const rows = JSON.parse(file.toString()) as ReadonlyArray<readonly [string, string, number, number, string]>
      for (const [tx, code, index, hashType, hash] of rows.slice(1)) {
        const parsed = parseTransaction(fromHex(tx))
        assert(typeof parsed !== "string")
        agree(toHex(legacySighash(parsed, index, fromHex(code), hashType).reverse()), hash)
      }
    })
  })
}
