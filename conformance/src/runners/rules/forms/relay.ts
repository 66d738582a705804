import type { Appraisal, Admission } from "@lockstep/kernel/internal/relay/acceptance.ts"
import type { DustyParent } from "@lockstep/kernel/internal/relay/dust.ts"
import type { FeeRate } from "@lockstep/kernel/internal/relay/fee-rate.ts"
import type { OutputKind, OutputType } from "@lockstep/kernel/internal/relay/output-type.ts"
import type { PackageReplacement } from "@lockstep/kernel/internal/relay/package-replacement.ts"
import type { PackageMember } from "@lockstep/kernel/internal/relay/package-shape.ts"
import {
  type ClusterLimits,
  DEFAULT_RELAY_POLICY,
  type RelayPolicy
} from "@lockstep/kernel/internal/relay/relay-policy.ts"
import type { Replacement } from "@lockstep/kernel/internal/relay/replacement.ts"
import type { TermsFacts } from "@lockstep/kernel/internal/relay/replacement-mode.ts"
import type { ReplacementTerms } from "@lockstep/kernel/internal/relay/replacement-terms.ts"
import type { TrucTransaction } from "@lockstep/kernel/internal/relay/truc.ts"
import type { PooledParent, TrucMember } from "@lockstep/kernel/internal/relay/truc-topology.ts"
import { type SpamPolicy, spamPolicy, type SpamPreset } from "@lockstep/kernel/internal/spam/spam-policy.ts"
import type { Field } from "../../../formats/field.ts"
import { hashOf } from "./hash.ts"
import { idOf, transactionAfter, transactionIn } from "./transactions.ts"

const DEFAULT_SIZE = 200
const TRUC_VERSION = 3

const hashesIn = (field: Field | undefined): ReadonlyArray<Uint8Array> => (field?.items ?? []).map(hashOf)

/** `{fee, size}` */
export const rateIn = (field: Field): FeeRate => ({ fee: field.get("fee").bigint, size: field.get("size").number })

/** `{kind, required?, keys?}` */
export const outputTypeIn = (field: Field): OutputType => ({
  kind: field.get("kind").text as OutputKind,
  required: field.find("required")?.integer ?? 0,
  keys: field.find("keys")?.integer ?? 0
})

/** What differs from the defaults. */
export const relayPolicyIn = (field: Field): RelayPolicy => ({
  ...DEFAULT_RELAY_POLICY,
  ...pick(field, {
    requireStandard: boolean,
    permitBareMultisig: boolean,
    dataCarrierBytes: integer,
    dustRelayFee: rateIn,
    minRelayFee: rateIn,
    bytesPerSigOp: integer
  })
})

const boolean = (field: Field): boolean => field.boolean
const integer = (field: Field): number => field.integer

/** The members that `field` states, each read by its decoder. */
const pick = (field: Field, decoders: Readonly<Record<string, (member: Field) => unknown>>): object =>
  Object.fromEntries(field.names.map((name) => {
    const decode = decoders[name] ?? field.get(name).fail(`expected one of ${Object.keys(decoders).join(", ")}`)
    return [name, decode(field.get(name))]
  }))

/** `{count?, weight?}` */
export const clusterLimitsIn = (field: Field): ClusterLimits => ({
  ...DEFAULT_RELAY_POLICY.cluster,
  ...pick(field, { count: integer, weight: integer })
})

/** `[{txid, dust: [index…]}…]` */
export const dustyParentsIn = (field: Field): ReadonlyArray<DustyParent> =>
  field.items.map((item) => ({
    txid: hashOf(item.get("txid")),
    dust: item.get("dust").items.map((index) => index.integer)
  }))

/** `{txid, wtxid?, version?}` */
export const trucIn = (field: Field): TrucTransaction => {
  const txid = field.get("txid")
  return {
    txid: hashOf(txid),
    wtxid: hashOf(field.find("wtxid") ?? txid),
    version: field.find("version")?.integer ?? TRUC_VERSION
  }
}

/** `[{txid, wtxid?, version?, ancestors?, descendants?: [{txid, ancestors?}…]}…]` */
export const pooledParentsIn = (field: Field): ReadonlyArray<PooledParent> => field.items.map(pooledParentIn)

export const pooledParentIn = (field: Field): PooledParent => ({
  ...trucIn(field),
  ancestors: field.find("ancestors")?.integer ?? 1,
  descendants: (field.find("descendants")?.items ?? []).map((item) => ({
    txid: hashOf(item.get("txid")),
    ancestors: item.find("ancestors")?.integer ?? 2
  }))
})

/** `{txid, wtxid?, version?, size?, spends?: [txid…]}` */
export const trucMemberIn = (field: Field): TrucMember => ({
  ...trucIn(field),
  size: field.find("size")?.integer ?? DEFAULT_SIZE,
  spends: hashesIn(field.find("spends"))
})

export const trucMembersIn = (field: Field): ReadonlyArray<TrucMember> => field.items.map(trucMemberIn)

/** Transactions; `"txid": {"of": n}` in one is the id of the n-th, which stands before it. */
export const membersIn = (field: Field): ReadonlyArray<PackageMember> => {
  const members: Array<PackageMember> = []
  for (const item of field.items) {
    const tx = transactionAfter(item, members.map(({ txid }) => txid))
    members.push({ tx, txid: idOf(tx) })
  }
  return members
}

/** `{fee, size?, clusters?, removedFees?}` */
export const replacementIn = (field: Field): Replacement => ({
  fee: field.get("fee").bigint,
  size: field.find("size")?.integer ?? DEFAULT_SIZE,
  clusters: field.find("clusters")?.integer ?? 1,
  removedFees: field.find("removedFees")?.bigint ?? 0n
})

/** The same with `{count?, isChildWithParents?, pooledParents?, parent: rate}`. */
export const packageReplacementIn = (field: Field): PackageReplacement => ({
  ...replacementIn(field),
  count: field.find("count")?.integer ?? 2,
  isChildWithParents: field.find("isChildWithParents")?.boolean ?? true,
  pooledParents: field.find("pooledParents")?.integer ?? 0,
  parent: rateIn(field.get("parent"))
})

/** `{own: rate, removed: rate, conflicts?, replacements?, waited?, confirmations?}` */
export const termsFactsIn = (field: Field): TermsFacts => ({
  conflicts: (field.find("conflicts")?.items ?? []).map(transactionIn),
  own: rateIn(field.get("own")),
  removed: rateIn(field.get("removed")),
  replacements: field.find("replacements")?.integer ?? 0,
  waited: field.find("waited")?.integer,
  confirmations: field.find("confirmations")?.integer
})

/** What is asked for; nothing by itself. */
export const termsIn = (field: Field): ReplacementTerms => ({
  allowed: true,
  packages: true,
  diagram: true,
  signalling: field.find("signalling")?.boolean ?? false,
  rateFactor: field.find("rateFactor")?.integer ?? 0,
  bump: field.find("bump")?.bigint,
  maxReplacements: field.find("maxReplacements")?.integer,
  cooldown: field.find("cooldown")?.integer ?? 0,
  confirmations: field.find("confirmations")?.integer ?? 0
})

/** `{fee?, modifiedFee?, sigOpCost?, size?, dust?}` */
export const appraisalIn = (field: Field): Appraisal => {
  const fee = field.find("fee")?.bigint ?? 0n
  const size = field.find("size")?.integer ?? DEFAULT_SIZE
  return {
    fee,
    modifiedFee: field.find("modifiedFee")?.bigint ?? fee,
    weight: size * 4,
    sigOpCost: field.find("sigOpCost")?.integer ?? 0,
    adjustedWeight: size * 4,
    size,
    dust: (field.find("dust")?.items ?? []).map(integer)
  }
}

/** `{rollingMinimum?, bypassLimits?, packageFees?}` */
export const admissionIn = (field: Field): Admission => {
  const rolling = field.find("rollingMinimum")
  return {
    rollingMinimum: rolling === undefined ? { fee: 0n, size: 1000 } : rateIn(rolling),
    bypassLimits: field.find("bypassLimits")?.boolean ?? false,
    packageFees: field.find("packageFees")?.boolean ?? false
  }
}

/** The name of a preset, or what differs from `disabled`. */
export const spamPolicyIn = (field: Field): SpamPolicy =>
  typeof field.raw === "string" ? spamPolicy(field.text as SpamPreset) : {
    ...spamPolicy("disabled"),
    ...pick(field, {
      envelopes: boolean,
      tokenDocuments: boolean,
      minOutputValue: (member) => member.bigint,
      maxWitnessItem: integer,
      minFeeRate: (member) => member.number,
      maxBytesPerSatoshi: integer,
      maxSmallOutputs: integer,
      smallOutputValue: (member) => member.bigint
    })
  }
