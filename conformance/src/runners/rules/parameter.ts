import { type Cursor, cursorOn } from "@lockstep/kernel/internal/bytes/cursor.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { HashTag } from "@lockstep/kernel/internal/crypto/tagged-hash.ts"
import type { SpentOutputs, TransactionInput } from "@lockstep/kernel/internal/model/transaction.ts"
import { CONSENSUS_FLAGS, ScriptFlag, type ScriptFlags } from "@lockstep/kernel/internal/index.ts"
import { readInstruction } from "@lockstep/kernel/internal/machine/read-instruction.ts"
import { loadScript, type Machine, push, SigVersion } from "@lockstep/kernel/internal/machine/machine.ts"
import type { SpendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import type { TaprootExtension } from "@lockstep/kernel/internal/sighash/taproot.ts"
import type { Field } from "../../formats/field.ts"
import { flagsOf } from "../../formats/flag-names.ts"
import type { Bench } from "../../judge/bench.ts"
import { pairedOutputOf } from "../output.ts"
import { blockIn, headerIn, transactionIn } from "./forms/transactions.ts"

/** One parameter of a kernel function: how its argument is read from the `args` of a case. */
export interface Parameter<T> {
  readonly name: string
  readonly read: (args: Field, bench: Bench) => T
}

/** The argument `name`, read by `decode`. */
export const from = <T>(decode: (field: Field) => T) => (name: string): Parameter<T> => ({
  name,
  read: (args) => decode(args.get(name))
})

export const bytes = from((field) => field.bytes)
export const number = from((field) => field.number)
export const bigint = from((field) => field.bigint)
export const boolean = from((field) => field.boolean)
export const transaction = from(transactionIn)
export const block = from(blockIn)
export const stack = from((field): ReadonlyArray<Uint8Array> => field.items.map((item) => item.bytes))
/** `[[satoshis, scriptPubKey]…]` */
export const outputs = from((field): SpentOutputs => field.items.map(pairedOutputOf))
export const cursor = from((field): Cursor => cursorOn(field.bytes))
export const tag = from((field) => field.text as HashTag)

/** Inputs that differ only in their witness: `[[witness item…]…]`. */
export const inputs = from((field): ReadonlyArray<TransactionInput> =>
  field.items.map((witness) => ({
    prevout: { txid: new Uint8Array(32), vout: 0 },
    script: new Uint8Array(0),
    sequence: 0,
    witness: witness.items.map((item) => item.bytes)
  }))
)

export const header = from(headerIn)

/**
 * The script machine holding `stack` (bottom first) and at the first instruction of `script`. Every member is optional,
 * `altStack`, `version` and `flags` too.
 */
export const machine = (name: string): Parameter<Machine> => ({
  name,
  read: (args, { machine: m }) => {
    const given = args.get(name)
    const script = given.find("script")?.script
    if (script !== undefined) {
      loadScript(m, script, SigVersion.BASE)
      readInstruction(m)
    }
    m.depth = 0
    for (const item of given.find("stack")?.items ?? []) push(m, item.bytes)
    const alt = given.find("altStack")?.items ?? []
    alt.forEach((item, i) => m.alt[i] = item.bytes)
    m.altDepth = alt.length
    m.version = versionOf(given.find("version"))
    m.flags = flagsIn(given)
    return m
  }
})

const VERSIONS: Readonly<Record<string, SigVersion>> = {
  base: SigVersion.BASE,
  witness_v0: SigVersion.WITNESS_V0,
  tapscript: SigVersion.TAPSCRIPT
}

/** A signature version by name; base where none is given. */
export const versionOf = (field: Field | undefined): SigVersion =>
  field === undefined
    ? SigVersion.BASE
    : VERSIONS[field.text] ?? field.fail(`expected one of ${Object.keys(VERSIONS).join(", ")}`)

/**
 * The member `flags` of `given`, where CONSENSUS stands for all that blocks are judged under; none where there is none.
 */
export const flagsIn = (given: Field): ScriptFlags => {
  const flags = given.find("flags")
  if (flags === undefined || flags.raw === "NONE") return ScriptFlag.NONE
  return flags.raw === "CONSENSUS" ? CONSENSUS_FLAGS : flagsOf(flags)
}

export const version: Parameter<SigVersion> = { name: "version", read: (args) => versionOf(args.find("version")) }
export const flags: Parameter<ScriptFlags> = { name: "flags", read: flagsIn }
export const crypto: Parameter<Crypto> = { name: "crypto", read: (_, bench) => bench.crypto }
/** Nothing precomputed: the function computes what it needs. */
export const digests: Parameter<SpendDigests> = { name: "digests", read: () => ({}) }

/** `{annexHash?, leafHash?, separatorInstruction?}`; what is left out is as in a key path without annex. */
export const extension: Parameter<TaprootExtension> = {
  name: "extension",
  read: (args) => {
    const given = args.find("extension")
    return {
      annexHash: given?.find("annexHash")?.bytes ?? new Uint8Array(0),
      leafHash: given?.find("leafHash")?.bytes ?? new Uint8Array(0),
      separatorInstruction: given?.find("separatorInstruction")?.integer ?? 0xffffffff
    }
  }
}
