import { ScriptFlag, type ScriptFlags } from "@lockstep/kernel/script/flags.ts"
import { existsSync } from "node:fs"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { readJson } from "../formats/read-file.ts"
import { fileAt, type Source } from "../sources/source.ts"

const FACTS = "chain/chainparams_facts.json"

/** Heights at which a network switched script rules on, and the blocks that broke rules which were switched on later for all others. */
interface Deployment {
  readonly dersig: number
  readonly checkLockTimeVerify: number
  readonly checkSequenceVerify: number
  readonly nullDummy: number
  readonly exceptions: Readonly<Record<string, ScriptFlags>>
}

const FROM_THE_START: Deployment = { dersig: 1, checkLockTimeVerify: 1, checkSequenceVerify: 1, nullDummy: 1, exceptions: {} }

/** For roots that do not bring the facts. */
const KNOWN: Readonly<Record<string, Deployment>> = {
  main: {
    dersig: 363725,
    checkLockTimeVerify: 388381,
    checkSequenceVerify: 419328,
    nullDummy: 481824,
    exceptions: {
      "00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22": ScriptFlag.NONE,
      "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad": ScriptFlag.P2SH | ScriptFlag.WITNESS
    }
  },
  testnet3: {
    dersig: 330776,
    checkLockTimeVerify: 581885,
    checkSequenceVerify: 770112,
    nullDummy: 834624,
    exceptions: { "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105": ScriptFlag.NONE }
  },
  testnet4: FROM_THE_START,
  signet: FROM_THE_START,
  regtest: { ...FROM_THE_START, nullDummy: 0 }
}

const fromFacts = (facts: Field, network: string): Deployment => {
  const heights = facts.get("activationHeights").get(network)
  const exceptions = facts.get("scriptFlagExceptions").find(network)
  return {
    dersig: heights.get("bip66").integer,
    checkLockTimeVerify: heights.get("bip65").integer,
    checkSequenceVerify: heights.get("csv").integer,
    nullDummy: heights.get("segwit").integer,
    exceptions: Object.fromEntries((exceptions?.names ?? []).map((hash) => [hash, flagsOf(exceptions!.get(hash))]))
  }
}

const flagsUnder = (deployment: Deployment, height: number, hash: string): ScriptFlags => {
  let flags = deployment.exceptions[hash] ?? ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.TAPROOT
  if (height >= deployment.dersig) flags |= ScriptFlag.DERSIG
  if (height >= deployment.checkLockTimeVerify) flags |= ScriptFlag.CHECKLOCKTIMEVERIFY
  if (height >= deployment.checkSequenceVerify) flags |= ScriptFlag.CHECKSEQUENCEVERIFY
  if (height >= deployment.nullDummy) flags |= ScriptFlag.NULLDUMMY
  return flags
}

/**
 * The flags of a block: P2SH, witness and taproot rules hold for every block but the listed ones, the others from a height
 * on. `network` is `mainnet`, `testnet3`, …; `hash` is shown last byte first.
 */
export const flagsOfBlock = (source: Source, network: string, height: number, hash: string): ScriptFlags => {
  const facts = fileAt(source, FACTS)
  const name = network === "mainnet" ? "main" : network
  const deployment = existsSync(facts.absolute) ? fromFacts(readJson(facts), name) : KNOWN[name]
  return flagsUnder(deployment ?? FROM_THE_START, height, hash)
}
