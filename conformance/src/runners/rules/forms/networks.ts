import type {
  ChainParameters,
  DeploymentHeights,
  WorkParameters
} from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import type { VersionBitsDeployment } from "@lockstep/kernel/internal/deployment/version-bits.ts"
import { NETWORK_NAMES, networkCalled } from "@lockstep/protocol/networks/table.ts"
import type { Field } from "../../../formats/field.ts"
import { flagsOf } from "../../../formats/flag-names.ts"
import { hashOf } from "./hash.ts"
import { numberOf } from "./numbers.ts"

const networkIn = (field: Field): ChainParameters =>
  networkCalled(field.text)?.parameters ?? field.fail(`expected one of ${NETWORK_NAMES.join(", ")}`)

/** `base` with the members that `field` states, each read by its decoder. */
const changed = <T extends object>(
  base: T,
  field: Field,
  decoders: { readonly [K in keyof T]: (member: Field) => T[K] }
): T => {
  const result: T = { ...base }
  for (const name of field.names) {
    if (name === "network") continue
    if (!Object.hasOwn(decoders, name)) field.get(name).fail(`expected one of ${Object.keys(decoders).join(", ")}`)
    // A member may be null: the network has none.
    const member = field.find(name)
    result[name as keyof T] = (member === undefined ? undefined : decoders[name as keyof T](member)) as T[keyof T]
  }
  return result
}

const integer = (field: Field): number => field.integer
const boolean = (field: Field): boolean => field.boolean

const heightDecoders = { bip34: integer, bip65: integer, bip66: integer, csv: integer, segwit: integer }

const workDecoders = {
  powLimit: numberOf,
  targetTimespan: integer,
  targetSpacing: integer,
  allowMinDifficulty: boolean,
  noRetargeting: boolean,
  bip94: boolean
}

/** A network by name, or `{network, …}` with what is different about it. */
const basedOn = <T extends object>(field: Field, part: (parameters: ChainParameters) => T, change: (base: T) => T): T =>
  typeof field.raw === "string" ? part(networkIn(field)) : change(part(networkIn(field.get("network"))))

export const heightsIn = (field: Field): DeploymentHeights =>
  basedOn(field, ({ heights }) => heights, (base) => changed(base, field, heightDecoders))

export const workIn = (field: Field): WorkParameters =>
  basedOn(field, ({ work }) => work, (base) => changed(base, field, workDecoders))

export const parametersIn = (field: Field): ChainParameters =>
  basedOn(field, (parameters) => parameters, (base) =>
    changed<ChainParameters>(base, field, {
      genesisHash: hashOf,
      work: (member) => changed(base.work, member, workDecoders),
      heights: (member) => changed(base.heights, member, heightDecoders),
      bip34Hash: hashOf,
      scriptFlagExceptions: (member) =>
        member.items.map((each) => ({ hash: hashOf(each.get("hash")), flags: flagsOf(each.get("flags")) })),
      repeatedCoinbases: (member) =>
        member.items.map((each) => ({ height: each.get("height").integer, hash: hashOf(each.get("hash")) })),
      subsidyHalvingInterval: integer,
      signetChallenge: (member) => member.bytes
    }))

const DEFAULT_DEPLOYMENT: VersionBitsDeployment = {
  bit: 0,
  startTime: 0,
  timeout: Number.MAX_SAFE_INTEGER,
  minActivationHeight: 0,
  period: 4,
  threshold: 3
}

/**
 * `{bit?, startTime?, timeout?, minActivationHeight?, period?, threshold?}`; short periods of 4 with 3 to signal unless
 * it says more.
 */
export const versionBitsIn = (field: Field): VersionBitsDeployment =>
  changed(DEFAULT_DEPLOYMENT, field, {
    bit: integer,
    startTime: integer,
    timeout: integer,
    minActivationHeight: integer,
    period: integer,
    threshold: integer
  })
