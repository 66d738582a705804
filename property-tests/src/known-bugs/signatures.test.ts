import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { findAndDelete } from "@lockstep/kernel/internal/script/find-and-delete.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { ecdsaOf, KEY_PAIRS, schnorrOf } from "../arbitraries/signer.ts"
import { type Choices, signed, type SpendKind } from "../arbitraries/spend.ts"
import { spendFrame } from "../arbitraries/transaction.ts"
import { bigEndian, join } from "../oracles/byte-string.ts"
import { GROUP_ORDER } from "../oracles/curve.ts"
import { pushOf } from "../oracles/instructions.ts"
import type { NaiveSpend } from "../oracles/spend.ts"
import { kernelVerdict } from "../subject/kernel.ts"
import { CONSENSUS, idOf } from "./made.ts"

const [PAIR, SECOND, THIRD] = KEY_PAIRS as unknown as readonly [
  Choices["keys"][0],
  Choices["keys"][0],
  Choices["keys"][0]
]
const [FRAME] = fc.sample(spendFrame, { seed: 1, numRuns: 1 })

const validSpend = (kind: SpendKind, change: Partial<Choices> = {}): NaiveSpend => ({
  ...signed(FRAME!, {
    kind,
    keys: [PAIR, SECOND, THIRD],
    compressed: true,
    hashType: 1,
    highS: false,
    annex: undefined,
    path: [],
    absent: 1,
    ...change
  }),
  flags: CONSENSUS
})

type Witness = ReadonlyArray<Uint8Array>

const withWitness = (spend: NaiveSpend, change: (witness: Witness) => Witness): NaiveSpend => ({
  ...spend,
  tx: {
    ...spend.tx,
    inputs: spend.tx.inputs.map((
      input,
      i
    ) => (i === spend.index ? { ...input, witness: change(input.witness) } : input))
  }
})

describe("bugs there were in signatures", () => {
  it("btcd CVE-2024-38365 a push that only contains the signature stays in what is signed", () => {
    const signature = join(bigEndian(ecdsaOf(idOf(7), PAIR.secret).s, 32), [1])
    const key = join(pushOf(PAIR.compressed), [0xac])
    const needle = pushOf(signature)
    for (const around of [join(signature, [0]), join([0], signature), join([0], needle, [0])]) {
      const script = join(pushOf(around), [0x75], key)
      agree(findAndDelete(script, needle), script)
      agree(findAndDelete(join(needle, script, needle), needle), script)
    }
  })

  it("blvm 26933d0 a P2SH spend signs the redeem script, not the output's", () => {
    for (const kind of ["P2SH", "P2SH-multisig"] as const) assert.strictEqual(kernelVerdict(validSpend(kind)), "OK")
  })

  it("blvm 8158510 a P2WSH spend signs the witness script behind the last separator", () => {
    const kinds = ["P2WSH", "P2WSH-multisig", "P2SH-P2WSH"] as const
    for (const kind of kinds) assert.strictEqual(kernelVerdict(validSpend(kind)), "OK")
  })

  it("blvm d028459 an annex is no argument and is signed", () => {
    for (const kind of ["P2TR-key", "P2TR-script"] as const) {
      const spend = validSpend(kind, { annex: Uint8Array.of(0x50, 1, 2), hashType: 0 })
      assert.strictEqual(kernelVerdict(spend), "OK")
      assert.match(kernelVerdict(withWitness(spend, (witness) => witness.slice(0, -1))), /SCHNORR_SIG$/)
      const other = Uint8Array.of(0x50, 1, 3)
      assert.match(kernelVerdict(withWitness(spend, (witness) => [...witness.slice(0, -1), other])), /SCHNORR_SIG$/)
    }
  })

  it("blvm f50e819 TAPROOT is a flag of its own: only with it is a wrong key path signature refused", () => {
    const spend = withWitness(validSpend("P2TR-key", { hashType: 0 }), () => [new Uint8Array(64)])
    assert.match(kernelVerdict(spend), /SCHNORR_SIG$/)
    assert.strictEqual(kernelVerdict({ ...spend, flags: new Set(["P2SH", "WITNESS"]) }), "OK")
  })

  it("libbitcoin-system #1836 key path and script path both hold, and neither without its witness", () => {
    for (const kind of ["P2TR-key", "P2TR-script", "P2TR-add"] as const) {
      const spend = validSpend(kind, { hashType: 0, path: [idOf(1), idOf(2)] })
      assert.strictEqual(kernelVerdict(spend), "OK")
      assert.match(kernelVerdict(withWitness(spend, () => [])), /WITNESS_PROGRAM_WITNESS_EMPTY$/)
    }
  })

  it("btcd 83d081a5 a Schnorr signature whose s is not below the group order is refused, not reduced", () => {
    const digest = idOf(7)
    const signature = schnorrOf(digest, PAIR.secret)
    const r = signature.subarray(0, 32)
    assert.isTrue(nobleCrypto.schnorrVerify(signature, PAIR.xOnly, digest))
    for (const value of [GROUP_ORDER, GROUP_ORDER + 1n, (1n << 256n) - 1n]) {
      assert.isFalse(nobleCrypto.schnorrVerify(join(r, bigEndian(value, 32)), PAIR.xOnly, digest))
    }
  })
})
