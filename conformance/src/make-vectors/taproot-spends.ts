import { assemble } from "../formats/assembler.ts"
import { fromHex, join, toHex } from "./bytes.ts"
import { publicKey, secretKey, signSchnorr, tweakedKey } from "./curve.ts"
import { leafHash, revealed } from "./leaves.ts"
import { taprootHash } from "./signature-hash.ts"
import { CONSENSUS, push, spendingOf } from "./spends.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

const leaf = assemble("1")
const { secret } = tweakedKey(secretKey(6), leafHash(leaf))
const { control, outputKey } = revealed(secretKey(6), leaf)
const spent = { value: 0n, script: join(fromHex("5120"), outputKey) }

const signature = (annex?: Uint8Array): Uint8Array =>
  signSchnorr(secret, taprootHash(spendingOf(spent), 0, [spent], 0, annex === undefined ? {} : { annex }))

const spend = (name: string, expect: unknown, witness: ReadonlyArray<Uint8Array>, flags = CONSENSUS): VectorCase => ({
  name,
  spend: { scriptPubKey: `1 ${push(outputKey)}`, witness: witness.map(toHex), flags },
  expect
})

const annex = fromHex("50")
const SIZE = breaks("SIG-005", "SCHNORR_SIG_SIZE")
const CONTROL = breaks("TAP-004", "TAPROOT_WRONG_CONTROL_SIZE")

export const taprootSpends: RuleVectors = {
  rule: "TAP-017",
  cases: [
    { ...spend("one item: a signature by the output key", "holds", [signature()]), rules: ["TAP-001", "TAP-003"] },
    { ...spend("two items: a script and its control block", "holds", [leaf, control]), rules: ["TAP-016"] },
    {
      ...spend("two items, the last an annex: a signature", "holds", [signature(annex), annex]),
      rules: ["TAP-002", "TAP-003"]
    },
    {
      ...spend("three items, the last an annex: a script", "holds", [leaf, control, annex]),
      rules: ["TAP-002", "TAP-016"]
    },
    spend("three items, no annex: the script finds one on its stack", breaks("WIT-009", "CLEANSTACK"), [
      fromHex("01"),
      leaf,
      control
    ]),
    spend("no witness", breaks("TAP-001", "WITNESS_PROGRAM_WITNESS_EMPTY"), []),
    spend("one empty item", SIZE, [new Uint8Array(0)]),
    spend("one item that looks like an annex is a signature", SIZE, [annex]),
    spend("one item that is the control block", SIZE, [control]),
    spend("a signature by another key", breaks("SIG-007", "SCHNORR_SIG"), [
      signSchnorr(secretKey(6), taprootHash(spendingOf(spent), 0, [spent], 0))
    ]),
    spend("a signature behind an empty item is a control block of the wrong size", CONTROL, [
      new Uint8Array(0),
      signature()
    ]),
    spend("an item that begins with 51 is no annex", CONTROL, [signature(), fromHex("51")]),
    spend("an empty item is no annex", CONTROL, [signature(), new Uint8Array(0)]),
    spend("only the last item can be an annex", CONTROL, [signature(annex), annex, annex]),
    spend("a control block that begins with 50 is taken for an annex", SIZE, [
      leaf,
      join(fromHex("50"), control.subarray(1))
    ]),
    spend("a script of another output", breaks("TAP-007", "WITNESS_PROGRAM_MISMATCH"), [
      leaf,
      join(control.subarray(0, 1), publicKey(7).xOnly)
    ]),
    spend("without the flag anything holds", "holds", [annex], "P2SH,WITNESS")
  ]
}
