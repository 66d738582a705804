import { bigEndian, fromBigEndian, join } from "../../src/oracles/byte-string.ts"
import { BASE, liftX, multiple, sum } from "../../src/oracles/curve.ts"
import { hash160, sha256, taggedHash } from "../../src/oracles/hash.ts"
import { instructionsOf, pushOf } from "../../src/oracles/instructions.ts"
import { closed, CONSENSUS_FLAG_NAMES, FLAG_NAMES, type NaiveSpend } from "../../src/oracles/spend.ts"
import { isControlSize, rootOfPath, tapLeafHash } from "../../src/oracles/taproot.ts"
import type { NaiveInput } from "../../src/oracles/transaction.ts"
import { isPayToScriptHash } from "../../src/oracles/verify-script.ts"
import { annexOf, witnessProgram } from "../../src/oracles/witness.ts"
import type { Random } from "../random.ts"
import { mutateBytes } from "./bytes.ts"
import { mutateScript } from "./script.ts"

const inputOf = (spend: NaiveSpend): NaiveInput => spend.tx.inputs[spend.index]!
const outputOf = (spend: NaiveSpend): Uint8Array => spend.spent[spend.index]!.script

const withInput = (spend: NaiveSpend, change: Partial<NaiveInput>): NaiveSpend => ({
  ...spend,
  tx: { ...spend.tx, inputs: spend.tx.inputs.map((input, i) => (i === spend.index ? { ...input, ...change } : input)) }
})

const withOutput = (spend: NaiveSpend, script: Uint8Array): NaiveSpend => ({
  ...spend,
  spent: spend.spent.map((output, i) => (i === spend.index ? { ...output, script } : output))
})

/** Any set of flags, all consensus flags and all flags often. */
export const randomFlags = (random: Random): ReadonlySet<string> => {
  const names = random.oneIn(2) ? CONSENSUS_FLAG_NAMES : FLAG_NAMES
  return closed(random.oneIn(2) ? names : names.filter(() => random.oneIn(2)))
}

const lastPush = (script: Uint8Array): { readonly before: Uint8Array; readonly data: Uint8Array } | undefined => {
  const last = instructionsOf(script).instructions.at(-1)
  return last === undefined || last.opcode > 78
    ? undefined
    : { before: script.subarray(0, last.start), data: last.data }
}

const scriptHash = (script: Uint8Array): Uint8Array => join([169], pushOf(hash160(script)), [135])

/** The leaf script edited and the output made again, so that the edited script is what runs. */
const withEditedLeaf = (spend: NaiveSpend, edit: (script: Uint8Array) => Uint8Array): NaiveSpend => {
  const { witness } = inputOf(spend)
  const annex = annexOf(witness) ? witness.slice(-1) : []
  const items = witness.slice(0, witness.length - annex.length)
  const [script, control] = items.slice(-2)
  if (items.length < 2 || !isControlSize(control!.length)) return spend
  const edited = edit(script!)
  const internal = control!.subarray(1, 33)
  const root = rootOfPath(control!, tapLeafHash(control![0]! & 0xfe, edited))
  const tweak = fromBigEndian(taggedHash("TapTweak", internal, root))
  const output = sum(liftX(fromBigEndian(internal), 0n), multiple(tweak, BASE))
  if (output === undefined) return spend
  const revealed = join([(control![0]! & 0xfe) + Number(output.y % 2n)], control!.subarray(1))
  return withOutput(
    withInput(spend, { witness: [...items.slice(0, -2), edited, revealed, ...annex] }),
    join([0x51, 32], bigEndian(output.x, 32))
  )
}

const withEditedWitnessScript = (spend: NaiveSpend, edit: (script: Uint8Array) => Uint8Array): NaiveSpend => {
  const { witness } = inputOf(spend)
  const edited = edit(witness.at(-1)!)
  const changed = withInput(spend, { witness: [...witness.slice(0, -1), edited] })
  const program = join([0], pushOf(sha256(edited)))
  if (!isPayToScriptHash(outputOf(spend))) return withOutput(changed, program)
  return withOutput(withInput(changed, { script: pushOf(program) }), scriptHash(program))
}

const withEditedRedeemScript = (spend: NaiveSpend, edit: (script: Uint8Array) => Uint8Array): NaiveSpend => {
  const push = lastPush(inputOf(spend).script)
  if (push === undefined) return spend
  const edited = edit(push.data)
  return withOutput(withInput(spend, { script: join(push.before, pushOf(edited)) }), scriptHash(edited))
}

/** The innermost script edited, with every commitment to it. */
const withEditedScript = (spend: NaiveSpend, edit: (script: Uint8Array) => Uint8Array): NaiveSpend => {
  const output = outputOf(spend)
  const redeem = isPayToScriptHash(output) ? lastPush(inputOf(spend).script)?.data : undefined
  const program = witnessProgram(redeem ?? output)
  const hasWitness = inputOf(spend).witness.length > 0
  if (program?.version === 1 && redeem === undefined) return withEditedLeaf(spend, edit)
  if (program?.version === 0 && program.program.length === 32 && hasWitness) return withEditedWitnessScript(spend, edit)
  return redeem === undefined ? withOutput(spend, edit(output)) : withEditedRedeemScript(spend, edit)
}

const editedWitness = (spend: NaiveSpend, random: Random, other: NaiveSpend): ReadonlyArray<Uint8Array> => {
  const { witness } = inputOf(spend)
  const at = random.below(witness.length + 1)
  const item = witness[at] ?? new Uint8Array(0)
  const others = inputOf(other).witness
  switch (random.below(6)) {
    case 0:
      return witness.filter((_, i) => i !== at)
    case 1:
      return [...witness.slice(0, at), mutateBytes(item, random), ...witness.slice(at)]
    case 2:
      return [...witness, Uint8Array.of(0x50, ...random.bytes(random.below(3)))]
    case 3:
      return others.length > 0 ? witness.map((each, i) => (i === at ? random.pick(others) : each)) : witness
    case 4:
      return witness.map((each, i) => (i === at ? new Uint8Array(0) : each))
    default:
      return witness.map((each, i) => (i === at ? mutateBytes(each, random) : each))
  }
}

const NUMBERS: ReadonlyArray<number> = [
  0,
  1,
  2,
  3,
  0xffff,
  0x400000,
  0x40ffff,
  499_999_999,
  500_000_000,
  0x7fffffff,
  0x80000000,
  0xfffffffe,
  0xffffffff
]

const withOtherFrame = (spend: NaiveSpend, random: Random): NaiveSpend => {
  const { tx } = spend
  switch (random.below(6)) {
    case 0:
      return { ...spend, tx: { ...tx, version: random.pick(NUMBERS) } }
    case 1:
      return { ...spend, tx: { ...tx, lockTime: random.pick(NUMBERS) } }
    case 2:
      return withInput(spend, { sequence: random.pick(NUMBERS) })
    case 3:
      return { ...spend, tx: { ...tx, outputs: tx.outputs.slice(1) } }
    case 4:
      return { ...spend, spent: spend.spent.map((output) => ({ ...output, value: output.value + 1n })) }
    default:
      return { ...spend, tx: { ...tx, outputs: [...tx.outputs, { value: 1n, script: random.bytes(3) }] } }
  }
}

const changedOnce = (spend: NaiveSpend, random: Random, other: NaiveSpend): NaiveSpend => {
  const { script } = inputOf(spend)
  switch (random.below(10)) {
    case 0:
      return withInput(spend, { script: mutateScript(script, random, inputOf(other).script) })
    case 1:
      return withOutput(spend, mutateScript(outputOf(spend), random, outputOf(other)))
    case 2:
    case 3:
      return withInput(spend, { witness: editedWitness(spend, random, other) })
    case 4:
      return withOtherFrame(spend, random)
    case 5:
      return withOutput(spend, outputOf(other))
    default:
      return withEditedScript(spend, (inner) => mutateScript(inner, random, outputOf(other)))
  }
}

/** `spend` after one to three edits, under the flags it has or any. */
export const mutateSpend = (spend: NaiveSpend, random: Random, other: NaiveSpend): NaiveSpend => {
  let result = spend
  for (let left = 1 + random.below(3); left > 0; left--) result = changedOnce(result, random, other)
  return random.oneIn(3) ? { ...result, flags: randomFlags(random) } : result
}
