import { sameBytes } from "./byte-string.ts"
import { compactSize } from "./compact-size.ts"
import { isUnspendable } from "./coins.ts"
import { instructionsOf, isPushOnly, type NaiveInstruction } from "./instructions.ts"
import { sigOps } from "./sigops.ts"
import { type NaiveOutput, type NaiveTransaction, serializeWithoutWitness, transactionWeight } from "./transaction.ts"
import { isPayToScriptHash } from "./verify-script.ts"
import { witnessProgram } from "./witness.ts"

/** Satoshis for virtual bytes. */
export interface NaiveRate {
  readonly fee: bigint
  readonly size: number
}

/** The whole number just not below `dividend / divisor`, found by looking. */
export const ceiling = (dividend: bigint, divisor: bigint): bigint => {
  let n = dividend / divisor
  while (n * divisor < dividend) n++
  while ((n - 1n) * divisor >= dividend) n--
  return n
}

export const feeForSize = ({ fee, size }: NaiveRate, bytes: number): bigint => {
  if (size <= 0) return 0n
  const exact = ceiling(fee * BigInt(bytes), BigInt(size))
  return exact === 0n && bytes !== 0 && fee < 0n ? -1n : exact
}

/** The first name whose condition does not hold, `OK` if all do. Conditions behind it are not looked at. */
export const firstBroken = (rules: ReadonlyArray<readonly [name: string, holds: () => boolean]>): string =>
  rules.find(([, holds]) => !holds())?.[0] ?? "OK"

export interface NaiveOutputType {
  readonly kind: string
  readonly required: number
  readonly keys: number
}

const kind = (name: string): NaiveOutputType => ({ kind: name, required: 0, keys: 0 })

const isKey = (data: Uint8Array): boolean =>
  (data.length === 33 && [2, 3].includes(data[0]!)) || (data.length === 65 && [4, 6, 7].includes(data[0]!))

/** OP_1 to OP_16, or 17 to 20 as one byte that is pushed directly. */
const numberOf = ({ data, opcode }: NaiveInstruction): number => {
  if (opcode >= 81 && opcode <= 96) return opcode - 80
  return opcode === 1 && data[0]! >= 17 && data[0]! <= 20 ? data[0]! : 0
}

const multisig = (all: ReadonlyArray<NaiveInstruction>): NaiveOutputType | undefined => {
  if (all.length < 4 || all.at(-1)!.opcode !== 174) return undefined
  const required = numberOf(all[0]!)
  const keys = numberOf(all.at(-2)!)
  const pushed = all.slice(1, -2)
  const fits = pushed.length === keys && pushed.every(({ data, opcode }) => opcode <= 78 && isKey(data))
  return fits && required >= 1 && required <= keys ? { kind: "multisig", required, keys } : undefined
}

const PROGRAM_KINDS: Readonly<Record<number, string>> = { 20: "witness_v0_keyhash", 32: "witness_v0_scripthash" }

const programType = (script: Uint8Array): NaiveOutputType | undefined => {
  const found = witnessProgram(script)
  if (found === undefined) return undefined
  if (found.version === 0) return kind(PROGRAM_KINDS[found.program.length] ?? "nonstandard")
  if (found.version === 1 && found.program.length === 32) return kind("witness_v1_taproot")
  return kind(sameBytes(script, Uint8Array.of(0x51, 2, 0x4e, 0x73)) ? "anchor" : "witness_unknown")
}

/** The forms that are a fixed sequence of instructions. */
const plainType = (script: Uint8Array): NaiveOutputType | undefined => {
  const { instructions: all, rest } = instructionsOf(script)
  if (rest !== script.length) return undefined
  const opcodes = all.map(({ opcode }) => opcode).join()
  if (/^(33|65),172$/.test(opcodes) && isKey(all[0]!.data)) return kind("pubkey")
  return opcodes === "118,169,20,136,172" ? kind("pubkeyhash") : multisig(all)
}

export const outputType = (script: Uint8Array): NaiveOutputType => {
  if (isPayToScriptHash(script)) return kind("scripthash")
  const program = programType(script)
  if (program !== undefined) return program
  return script[0] === 106 && isPushOnly(script.subarray(1))
    ? kind("nulldata")
    : plainType(script) ?? kind("nonstandard")
}

export const dustThreshold = ({ script }: NaiveOutput, rate: NaiveRate): bigint => {
  if (isUnspendable(script)) return 0n
  const size = 8 + compactSize(script.length).length + script.length
  return feeForSize(rate, size + (witnessProgram(script) === undefined ? 148 : 67))
}

export const dustOf = (tx: NaiveTransaction, rate: NaiveRate): ReadonlyArray<number> =>
  [...tx.outputs.keys()].filter((i) => tx.outputs[i]!.value < dustThreshold(tx.outputs[i]!, rate))

/** What an operator sets about the form of transactions. */
export interface NaiveRelayPolicy {
  readonly permitBareMultisig: boolean
  readonly dataCarrierBytes: number
  readonly dustRelayFee: NaiveRate
}

type Rules = Array<readonly [name: string, holds: () => boolean]>

/** POL-041, read from top to bottom. */
export const standardRules = (tx: NaiveTransaction, policy: NaiveRelayPolicy): Rules => {
  const rules: Rules = [
    ["POL-030", () => [1, 2, 3].includes(tx.version)],
    ["POL-031", () => transactionWeight(tx) <= 400_000]
  ]
  for (const { script } of tx.inputs) {
    rules.push(["POL-032", () => script.length <= 1_650], ["POL-033", () => isPushOnly(script)])
  }
  let carried = 0
  for (const { script } of tx.outputs) {
    const type = outputType(script)
    if (type.kind === "nulldata") carried += script.length
    const soFar = carried
    rules.push(["POL-035", () => type.kind !== "nonstandard" && type.keys <= 3])
    if (type.kind === "nulldata") rules.push(["POL-036", () => soFar <= policy.dataCarrierBytes])
    rules.push(["POL-037", () => type.kind !== "multisig" || policy.permitBareMultisig])
  }
  rules.push(["POL-040", () => dustOf(tx, policy.dustRelayFee).length <= 1])
  return rules
}

export const strippedSize = (tx: NaiveTransaction): number => serializeWithoutWitness(tx).length

/** What pushes leave on a stack; nothing where they fail: an element of more than 520 bytes, more than 1,000, OP_RESERVED. */
export const pushed = (script: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const { instructions } = instructionsOf(script)
  const failed = instructions.length > 1_000 ||
    instructions.some(({ data, opcode }) => opcode === 80 || data.length > 520)
  return failed ?
    undefined :
    instructions.map(({ data, opcode }) => opcode <= 78 ? data : Uint8Array.of(opcode === 79 ? 0x81 : opcode - 80))
}

/** Operations of the inputs as BIP54 counts them. */
export const inputSigOps = (tx: NaiveTransaction, spent: ReadonlyArray<NaiveOutput>): number =>
  tx.inputs.reduce((total, { script }, i) => {
    const locking = spent[i]!.script
    const redeem = isPushOnly(script) ? instructionsOf(script).instructions.at(-1)?.data : undefined
    const inside = isPayToScriptHash(locking) ? sigOps(redeem ?? new Uint8Array(0), true) : sigOps(locking, true)
    return total + sigOps(script, true) + inside
  }, 0)

/** POL-057, read from top to bottom. */
export const inputFormRules = (tx: NaiveTransaction, spent: ReadonlyArray<NaiveOutput>): Rules => {
  const rules: Rules = [["POL-051", () => inputSigOps(tx, spent) <= 2_500]]
  for (const [i, { script }] of tx.inputs.entries()) {
    const type = outputType(spent[i]!.script).kind
    rules.push(["POL-052", () => type !== "nonstandard"], ["POL-053", () => type !== "witness_unknown"])
    if (type !== "scripthash") continue
    const stack = pushed(script)
    rules.push(
      ["POL-054", () => stack !== undefined],
      ["POL-055", () => stack!.length > 0],
      ["POL-056", () => sigOps(stack!.at(-1)!, true) <= 15]
    )
  }
  return rules
}

type Items = ReadonlyArray<Uint8Array>

export const scriptHashWitnessIsSmall = (witness: Items): boolean =>
  witness.at(-1)!.length <= 3_600 && witness.length <= 101 && witness.slice(0, -1).every(({ length }) => length <= 80)

export const hasAnnex = (witness: Items): boolean => witness.length >= 2 && witness.at(-1)![0] === 0x50

export const scriptPathIsSmall = (witness: Items): boolean => {
  if (witness.length < 2) return true
  const control = witness.at(-1)!
  if (control.length === 0) return false
  const isTapscript = control[0] === 0xc0 || control[0] === 0xc1
  return !isTapscript || witness.slice(0, -2).every(({ length }) => length <= 80)
}

/** POL-065, read from top to bottom. */
export const witnessRules = (tx: NaiveTransaction, spent: ReadonlyArray<NaiveOutput>): Rules =>
  tx.inputs.flatMap(({ script, witness }, i): Rules => {
    if (witness.length === 0) return []
    const type = outputType(spent[i]!.script).kind
    const redeem = type === "scripthash" ? pushed(script)?.at(-1) : spent[i]!.script
    const program = redeem && witnessProgram(redeem)
    const rules: Rules = [["POL-060", () => type !== "anchor"], ["POL-061", () => program !== undefined]]
    if (program?.version === 0 && program.program.length === 32) {
      rules.push(["POL-062", () => scriptHashWitnessIsSmall(witness)])
    }
    if (type === "witness_v1_taproot") {
      rules.push(["POL-063", () => !hasAnnex(witness)], ["POL-064", () => scriptPathIsSmall(witness)])
    }
    return rules
  })
