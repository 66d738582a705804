import { bytesEqual, concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import { taggedHash } from "@lockstep/kernel/internal/crypto/tagged-hash.ts"
import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { NO_FAULT, ruleOf } from "@lockstep/kernel/internal/script/fault.ts"
import { CONSENSUS_FLAGS } from "@lockstep/kernel/internal/script/flags.ts"
import { spendDigests, taprootDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import { taprootSighash } from "@lockstep/kernel/internal/sighash/taproot.ts"
import { outputCommitsToLeaf, tapLeafHash, taprootMerkleRoot } from "@lockstep/kernel/internal/taproot/control-block.ts"
import { segwitAddressOf } from "../codec/segwit-address.ts"
import type { Field } from "../formats/field.ts"
import { hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { expectError, spendOf, transactionOf } from "../judge/spending.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import type { Runner } from "./runner.ts"

const EMPTY = new Uint8Array(0)

interface Leaf {
  readonly version: number
  readonly script: Uint8Array
}

/** Leaves of a script tree from left to right; a branch is an array of two. */
const leavesOf = (tree: Field | undefined): ReadonlyArray<Leaf> => {
  if (tree === undefined) return []
  if (Array.isArray(tree.raw)) return tree.items.flatMap(leavesOf)
  return [{ version: tree.get("leafVersion").integer, script: tree.get("script").bytes }]
}

const judgeLeaf = (leaf: Leaf, index: number, test: Field, { crypto }: Bench): Outcome => {
  const intermediary = test.get("intermediary")
  const expected = test.get("expected")
  const control = expected.get("scriptPathControlBlocks").at(index).bytes
  const hash = tapLeafHash(leaf.version, leaf.script, crypto)
  const root = taprootMerkleRoot(control, hash, crypto)
  const fault = outputCommitsToLeaf(expected.get("scriptPubKey").bytes.subarray(2), control, root, crypto)
  return same("leaf hash", intermediary.get("leafHashes").at(index).text, hexOf(hash)) ??
    same("merkle root", intermediary.get("merkleRoot").text, hexOf(root)) ??
    (fault === NO_FAULT
      ? undefined
      : { expected: "the output commits to the leaf", actual: "it does not", rule: ruleOf(fault) })
}

const judgeOutput = (test: Field, bench: Bench): Outcome => {
  const internal = test.get("given").get("internalPubkey").bytes
  const intermediary = test.get("intermediary")
  const expected = test.get("expected")
  const outputKey = intermediary.get("tweakedPubkey").bytes
  const scriptPubKey = expected.get("scriptPubKey")
  const root = intermediary.find("merkleRoot")?.bytes ?? EMPTY
  const tweak = taggedHash(bench.crypto, "TapTweak", concatBytes([internal, root]))
  const matching = [0, 1].filter((parity) => bench.crypto.taprootTweakMatches(internal, tweak, outputKey, parity))
  let outcome = same("tweak", intermediary.get("tweak").text, hexOf(tweak)) ??
    same("parities under which the tweak gives the output key", 1, matching.length) ??
    same("scriptPubKey", scriptPubKey.text, `5120${hexOf(outputKey)}`) ??
    same("address", expected.get("bip350Address").text, segwitAddressOf("bc", scriptPubKey.bytes))
  for (const [index, leaf] of leavesOf(test.get("given").find("scriptTree")).entries()) {
    outcome ??= judgeLeaf(leaf, index, test, bench)
  }
  return outcome
}

const DIGESTS = [
  ["hashAmounts", "amounts"],
  ["hashOutputs", "outputs"],
  ["hashPrevouts", "prevouts"],
  ["hashScriptPubkeys", "scripts"],
  ["hashSequences", "sequences"]
] as const

const judgeInput = (test: Field, spending: Field, bench: Bench): Outcome => {
  const { crypto } = bench
  const unsigned = transactionOf(spending.get("given").get("rawUnsignedTx").bytes)
  const spent = spending.get("given").get("utxosSpent").items.map((output): TransactionOutput => ({
    value: output.get("amountSats").bigint,
    script: output.get("scriptPubKey").bytes
  }))
  const digests = taprootDigests(unsigned, spent, crypto)
  const index = test.get("given").get("txinIndex").integer
  const hashType = test.get("given").get("hashType").integer
  const intermediary = test.get("intermediary")
  const extension = { annexHash: EMPTY, leafHash: EMPTY, separatorInstruction: 0xffffffff }
  const hash = taprootSighash(
    unsigned,
    index,
    spent,
    hashType,
    extension,
    spendDigests(unsigned, spent, crypto),
    crypto
  )
  const witness = test.get("expected").get("witness").items.map((item) => item.bytes)
  const signed = transactionOf(spending.get("auxiliary").get("fullySignedTx").bytes)
  const inputs = unsigned.inputs.map((input, i) => i === index ? { ...input, witness } : input)
  const spend = spendOf(transactionOf(transactionBytes({ ...unsigned, inputs })), spent, crypto)

  let outcome: Outcome
  for (const [name, digest] of DIGESTS) {
    outcome ??= same(name, spending.get("intermediary").get(name).text, hexOf(digests[digest]))
  }
  return outcome ??
    same(
      "hash of sigMsg",
      intermediary.get("sigHash").text,
      hexOf(taggedHash(crypto, "TapSighash", intermediary.get("sigMsg").bytes))
    ) ??
    same("signature hash", intermediary.get("sigHash").text, hexOf(hash ?? EMPTY)) ??
    same(
      "witness in the signed transaction",
      true,
      bytesEqual(witness[0] ?? EMPTY, signed.inputs[index]!.witness[0] ?? EMPTY)
    ) ??
    expectError(bench, spend(index, CONSENSUS_FLAGS), "OK") ??
    expectError(bench, spendOf(signed, spent, crypto)(index, CONSENSUS_FLAGS), "OK")
}

/**
 * The vectors of BIP341: outputs with their script trees (`scriptPubKey`), and inputs spent by key (`keyPathSpending`).
 */
export const bip341Wallet: Runner = function*(file) {
  const vectors = readJson(file)
  for (const [index, test] of vectors.get("scriptPubKey").items.entries()) {
    yield {
      index: `output-${index}`,
      name: "an output and its script tree",
      judge: (bench) => judgeOutput(test, bench)
    }
  }
  for (const [t, spending] of vectors.get("keyPathSpending").items.entries()) {
    for (const [index, test] of spending.get("inputSpending").items.entries()) {
      yield {
        index: `input-${t}-${index}`,
        name: "an input spent by key",
        judge: (bench) => judgeInput(test, spending, bench)
      }
    }
  }
}
