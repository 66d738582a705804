import { ScriptFlag, type ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import { SINGLE_FLAGS } from "../formats/flag-names.ts"

const { CLEANSTACK, P2SH, TAPROOT, WITNESS } = ScriptFlag

/** What every other flag of `flags` needs is in `flags`. */
export const isCoherent = (flags: ScriptFlags): boolean => flags === withRequired(flags)

/** `flags` with those that they need: CLEANSTACK needs WITNESS, WITNESS needs P2SH. */
export const withRequired = (flags: ScriptFlags): ScriptFlags => {
  const witness = (flags & CLEANSTACK) !== 0 ? flags | WITNESS : flags
  return (witness & WITNESS) !== 0 ? witness | P2SH : witness
}

/** `flags` less those that lack what they need. */
export const withoutUnsupported = (flags: ScriptFlags): ScriptFlags => {
  const witness = (flags & P2SH) === 0 ? flags & ~WITNESS : flags
  return (witness & WITNESS) === 0 ? witness & ~CLEANSTACK : witness
}

/** `flags` less one of them, in every way, each time with what needed it. */
export const lessOne = (flags: ScriptFlags): ReadonlyArray<ScriptFlags> =>
  SINGLE_FLAGS.filter((flag) => (flags & flag) !== 0).map((flag) => withoutUnsupported(flags & ~flag))

const RANDOM_SETS = 12

/** Every single flag, and a few sets that are the same on every run for the same `seed`. */
export const probes = (seed: number): ReadonlyArray<ScriptFlags> => {
  const sets = [...SINGLE_FLAGS]
  let state = seed + 1
  for (let i = 0; i < RANDOM_SETS; i++) {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0
    sets.push(state >>> 11)
  }
  return sets
}

const CONSENSUS = [
  P2SH,
  ScriptFlag.DERSIG,
  ScriptFlag.NULLDUMMY,
  ScriptFlag.CHECKLOCKTIMEVERIFY,
  ScriptFlag.CHECKSEQUENCEVERIFY,
  WITNESS,
  TAPROOT
]

const consensusSets = (): ReadonlyArray<ScriptFlags> => {
  const sets: Array<ScriptFlags> = []
  for (let bits = 0; bits < 1 << CONSENSUS.length; bits++) {
    const flags = CONSENSUS.reduce((all, flag, i) => (bits >> i & 1) === 1 ? all | flag : all, 0)
    const taprootHolds = (flags & TAPROOT) === 0 || (flags & WITNESS) !== 0
    if (taprootHolds && isCoherent(flags)) sets.push(flags)
  }
  return sets
}

/** Every set of consensus flags in which WITNESS comes with P2SH and TAPROOT with WITNESS. */
export const CONSENSUS_SETS = consensusSets()
