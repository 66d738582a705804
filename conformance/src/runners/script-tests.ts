import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { ScriptFlag, type ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { readJson } from "../formats/read-file.ts"
import { spentScript } from "../judge/credited-script.ts"
import { isCoherent, probes } from "../judge/flag-sets.ts"
import { creditAndSpend, expectError, expectUnderAll } from "../judge/spending.ts"
import type { Case, Runner } from "./runner.ts"
import { currentError } from "./superseded.ts"

const { CLEANSTACK, P2SH, WITNESS } = ScriptFlag

const SATOSHIS_PER_COIN = 1e8

/** A row by its fields; the first one, witness and amount, may be missing. */
interface Row {
  readonly witness: ReadonlyArray<Field>
  readonly amount: bigint
  readonly scriptSig: Field
  readonly scriptPubKey: Field
  readonly flags: Field
  readonly error: Field
  readonly comment: Field | undefined
}

const rowOf = (row: Field): Row => {
  const hasWitness = Array.isArray(row.at(0).raw)
  const [scriptSig, scriptPubKey, flags, error, comment] = hasWitness ? row.items.slice(1) : row.items
  if (scriptSig === undefined || scriptPubKey === undefined || flags === undefined || error === undefined) {
    return row.fail("expected scriptSig, scriptPubKey, flags and the expected error")
  }
  const first = hasWitness ? row.at(0).items : []
  const amount = BigInt(Math.round((first.at(-1)?.number ?? 0) * SATOSHIS_PER_COIN))
  return { witness: first.slice(0, -1), amount, scriptSig, scriptPubKey, flags, error, comment }
}

const spendOfRow = ({ witness, amount, scriptSig, scriptPubKey }: Row, crypto: Crypto) =>
  creditAndSpend({ scriptSig: scriptSig.script, amount, ...spentScript(witness, scriptPubKey) }, crypto)

/** Sets in which removing flags from one that passes, or adding flags to one that fails, must change nothing. */
const changedFlags = (flags: ScriptFlags, passes: boolean, seed: number): ReadonlyArray<ScriptFlags> =>
  probes(seed).map((probe) => passes ? flags & ~probe : flags | probe).filter(isCoherent)

const caseOf = (row: Row, index: number, error: string): Case => ({
  index: String(index),
  name: row.comment?.text ?? `${row.scriptSig.text} | ${row.scriptPubKey.text}`,
  judge: (bench) => {
    const given = flagsOf(row.flags)
    const flags = (given & CLEANSTACK) === 0 ? given : given | P2SH | WITNESS
    const passes = error === "OK"
    const spend = spendOfRow(row, bench.crypto)
    bench.newSweep()
    return expectError(bench, spend(0, flags), error, bench.sweepMachine) ??
      expectUnderAll(bench, (set) => spend(0, set), changedFlags(flags, passes, index), passes ? "holds" : "fails")
  }
})

const runner = (expectation: (index: number, error: string) => string): Runner =>
  function*(file) {
    for (const [index, fields] of readJson(file).items.entries()) {
      if (fields.items.length <= 1) continue
      const row = rowOf(fields)
      yield caseOf(row, index, expectation(index, row.error.text))
    }
  }

/** Rows `[[witness…, amount]?, scriptSig, scriptPubKey, flags, error, comment?]`; a row of one field is a comment. */
export const scriptTests = runner((_, error) => error)

/** The same from an older version of Bitcoin Core, whose answers have partly changed since. */
export const scriptTestsOlder = runner(currentError)
