import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { encodePsbt } from "../../src/psbt/encode-psbt.ts"
import { mergePsbt } from "../../src/psbt/merge-psbts.ts"
import { bytes, decoded, faultOf, hex } from "./build.ts"

interface Case {
  readonly description: string
  readonly psbt: string
}

interface Vectors {
  readonly valid: ReadonlyArray<Case>
  readonly invalid: ReadonlyArray<Case>
  readonly combined?: ReadonlyArray<{ readonly psbts: ReadonlyArray<string>; readonly result: string }>
}

const vectorsOf = (bip: string): Vectors => JSON.parse(readFileSync(join(import.meta.dirname, `${bip}.json`), "utf8"))

/** What faults of the invalid ones say. */
const FAULTS: ReadonlyArray<RegExp> = [
  /^Invalid PSBT magic bytes/,
  /^Outputs provided does not match/,
  /^Unsigned tx does not have empty scriptSigs/,
  /^No unsigned transaction was provided/,
  /^Duplicate Key, input key "00" already provided/,
  /^Size of key was not \d+ for the type /,
  /^Size of key was not the expected size for the type /,
  /^Size of value was not the stated size/,
  /^Input Taproot (key|script) path signature is (shorter than 64|longer than 65) bytes/,
  /^Input Taproot leaf script key's control block size is not valid/
]

describe("partially signed transactions of the BIPs", () => {
  for (const bip of ["bip174", "bip371"]) {
    const { invalid, valid } = vectorsOf(bip)

    it(`${bip}: what is valid is read, and once it is written stays as it is`, () => {
      assert.isAbove(valid.length, 5)
      for (const { description, psbt } of valid) {
        const written = encodePsbt(Result.getOrThrowWith(decoded(bytes(psbt)), () => description))
        assert.strictEqual(hex(encodePsbt(Result.getOrThrow(decoded(written)))), hex(written), description)
        // Witnesses of a transaction whose output is spent are not kept; all else is as it was.
        if (hex(written).length === psbt.length) assert.strictEqual(hex(written), psbt, description)
      }
    })

    it(`${bip}: what is invalid is refused, with what is wrong`, () => {
      assert.isAbove(invalid.length, 5)
      const seen = new Set<RegExp>()
      for (const { description, psbt } of invalid) {
        const fault = faultOf(bytes(psbt))
        const known = FAULTS.find((each) => fault !== undefined && each.test(fault))
        assert.isDefined(known, `${description}: ${fault}`)
        seen.add(known!)
      }
      assert.isAbove(seen.size, 3)
    })
  }

  it("combining puts together what each knows", () => {
    const { combined = [] } = vectorsOf("bip174")
    assert.strictEqual(combined.length, 2)
    for (const { psbts, result } of combined) {
      const [first, ...others] = psbts.map((each) => Result.getOrThrow(decoded(bytes(each))))
      for (const other of others) assert.isTrue(mergePsbt(first!, other, nobleCrypto))
      assert.strictEqual(hex(encodePsbt(first!)), result)
    }
  })
})
