import * as acceptance from "@lockstep/kernel/internal/relay/acceptance.ts"
import { clusterIsSmall } from "@lockstep/kernel/internal/relay/cluster.ts"
import * as dust from "@lockstep/kernel/internal/relay/dust.ts"
import * as rates from "@lockstep/kernel/internal/relay/fee-rate.ts"
import * as inputForms from "@lockstep/kernel/internal/relay/input-forms.ts"
import * as minimum from "@lockstep/kernel/internal/relay/minimum-fee.ts"
import { isFinalOnTip, sequenceLocksPassOnTip } from "@lockstep/kernel/internal/relay/next-block.ts"
import { outputType } from "@lockstep/kernel/internal/relay/output-type.ts"
import * as packageReplacement from "@lockstep/kernel/internal/relay/package-replacement.ts"
import * as shape from "@lockstep/kernel/internal/relay/package-shape.ts"
import * as pool from "@lockstep/kernel/internal/relay/pool-identity.ts"
import * as replacement from "@lockstep/kernel/internal/relay/replacement.ts"
import { checkTerms, replacementTerms } from "@lockstep/kernel/internal/relay/replacement-mode.ts"
import * as terms from "@lockstep/kernel/internal/relay/replacement-terms.ts"
import { sigOpCostIsStandard } from "@lockstep/kernel/internal/relay/sigop-cost.ts"
import * as standard from "@lockstep/kernel/internal/relay/standard.ts"
import * as truc from "@lockstep/kernel/internal/relay/truc.ts"
import { checkPackageTruc, checkTruc, evictableSibling } from "@lockstep/kernel/internal/relay/truc-topology.ts"
import { adjustedWeight, virtualSize } from "@lockstep/kernel/internal/relay/virtual-size.ts"
import * as witness from "@lockstep/kernel/internal/relay/witness-limits.ts"
import * as amounts from "@lockstep/kernel/internal/spam/amounts.ts"
import { checkSpam } from "@lockstep/kernel/internal/spam/check-spam.ts"
import { envelopeIsAbsent, tokenDocumentIsAbsent } from "@lockstep/kernel/internal/spam/content.ts"
import { spamPolicy, type SpamPreset } from "@lockstep/kernel/internal/spam/spam-policy.ts"
import type { Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { Field } from "../../formats/field.ts"
import { type Call, value, verdict } from "./call.ts"
import * as c from "./chain-parameter.ts"
import { hashOf } from "./forms/hash.ts"
import * as f from "./forms/relay.ts"
import { outputIn, transactionIn } from "./forms/transactions.ts"
import {
  bigint,
  boolean,
  bytes,
  crypto,
  from,
  machine,
  number,
  type Parameter,
  stack,
  transaction
} from "./parameter.ts"

/** The argument `name`, or none where it is left out or null. */
const optional = <T>(decode: (field: Field) => T) => (name: string): Parameter<T | undefined> => ({
  name,
  read: (args) => {
    const given = args.find(name)
    return given === undefined ? undefined : decode(given)
  }
})

/** The argument `name`; what is left out is as in an empty object. */
const lenient = <T>(decode: (field: Field) => T) => (name: string): Parameter<T> => ({
  name,
  read: (args) => decode(args.find(name) ?? args.replaced({}))
})

const bench: Parameter<Machine> = { name: "m", read: (_, { machine: m }) => m }
const { coins, hash, node, sequenceLocks } = c
const admission = lenient(f.admissionIn)
const appraisal = lenient(f.appraisalIn)
const comparison = from((field) => field.text as replacement.DiagramComparison)
const hashes = from((field): ReadonlyArray<Uint8Array> => field.items.map(hashOf))
const maybeAmount = optional((field) => field.bigint)
const maybeHash = optional(hashOf)
const maybeNumber = optional((field) => field.number)
const maybeRate = optional(f.rateIn)
const members = from(f.membersIn)
const output = from(outputIn)
const policy = lenient(f.relayPolicyIn)
const program = optional((field) => ({ version: field.get("version").integer, program: field.get("program").bytes }))
const rate = from(f.rateIn)
const spent = from((field) => field.items.map(outputIn))
const transactions = from((field) => field.items.map(transactionIn))
const trucTransaction = from(f.trucIn)
const type = from(f.outputTypeIn)

/** Kernel functions of relay policy and of spam policy. */
export const RELAY_CALLS: Readonly<Record<string, Call>> = {
  feeForSize: value(rates.feeForSize, rate("rate"), number("size")),
  feePerKilobyte: value(rates.feePerKilobyte, rate("rate")),
  compareFeeRates: value(rates.compareFeeRates, rate("a"), rate("b")),
  modifiedFee: value(rates.modifiedFee, bigint("fee"), bigint("delta")),
  adjustedWeight: value(adjustedWeight, number("weight"), number("sigOpCost"), number("bytesPerSigOp")),
  virtualSize: value(virtualSize, number("weight")),
  rollingMinimumIsPaid: verdict(minimum.rollingMinimumIsPaid, bigint("fee"), number("size"), rate("rate")),
  relayMinimumIsPaid: verdict(minimum.relayMinimumIsPaid, bigint("fee"), number("size"), rate("rate")),
  checkFee: verdict(minimum.checkFee, bigint("fee"), number("size"), rate("rolling"), rate("relay")),
  feeCeilingIsKept: verdict(minimum.feeCeilingIsKept, bigint("fee"), number("size"), maybeRate("ceiling")),

  versionIsStandard: verdict(standard.versionIsStandard, transaction("tx")),
  weightIsStandard: verdict(standard.weightIsStandard, number("weight")),
  scriptSigSizeIsStandard: verdict(standard.scriptSigSizeIsStandard, bytes("scriptSig")),
  scriptSigOnlyPushes: verdict(standard.scriptSigOnlyPushes, bytes("scriptSig")),
  outputType: value(outputType, from((field) => field.script)("script")),
  outputFormIsKnown: verdict(standard.outputFormIsKnown, type("type")),
  dataCarrierFits: verdict(standard.dataCarrierFits, number("size"), number("left")),
  bareMultisigIsPermitted: verdict(standard.bareMultisigIsPermitted, type("type"), boolean("permitted")),
  dustThreshold: value(dust.dustThreshold, output("output"), rate("rate")),
  dustOutputs: value(dust.dustOutputs, transaction("tx"), rate("rate")),
  dustIsSingle: verdict(dust.dustIsSingle, number("count")),
  checkStandard: verdict(standard.checkStandard, transaction("tx"), policy("policy")),
  strippedSizeIsStandard: verdict(standard.strippedSizeIsStandard, transaction("tx")),
  isNoLooseCoinbase: verdict(standard.isNoLooseCoinbase, transaction("tx")),

  inputSigOps: value(inputForms.inputSigOps, transaction("tx"), spent("spentOutputs")),
  inputSigOpsAreFew: verdict(inputForms.inputSigOpsAreFew, number("count")),
  spentFormIsKnown: verdict(inputForms.spentFormIsKnown, type("type"), number("input")),
  spentProgramIsDefined: verdict(inputForms.spentProgramIsDefined, type("type"), number("input")),
  redeemingScriptSigRuns: verdict(inputForms.redeemingScriptSigRuns, bench, bytes("scriptSig"), number("input")),
  redeemScriptIsPresent: verdict(inputForms.redeemScriptIsPresent, machine("m"), number("input")),
  redeemSigOpsAreFew: verdict(inputForms.redeemSigOpsAreFew, bytes("redeemScript"), number("input")),
  checkInputForms: verdict(inputForms.checkInputForms, bench, transaction("tx"), spent("spentOutputs")),
  anchorHasNoWitness: verdict(witness.anchorHasNoWitness, bytes("scriptPubKey"), stack("witness")),
  witnessHasProgram: verdict(witness.witnessHasProgram, program("program")),
  scriptHashWitnessIsSmall: verdict(witness.scriptHashWitnessIsSmall, stack("witness")),
  annexIsAbsent: verdict(witness.annexIsAbsent, stack("witness")),
  tapscriptWitnessIsSmall: verdict(witness.tapscriptWitnessIsSmall, stack("witness")),
  checkWitnessLimits: verdict(witness.checkWitnessLimits, bench, transaction("tx"), spent("spentOutputs")),
  spendsWitnessProgram: value(witness.spendsWitnessProgram, bench, transaction("tx"), spent("spentOutputs")),
  sigOpCostIsStandard: verdict(sigOpCostIsStandard, number("cost")),

  isFinalOnTip: verdict(isFinalOnTip, transaction("tx"), node("tip")),
  sequenceLocksPassOnTip: verdict(sequenceLocksPassOnTip, sequenceLocks("locks"), node("tip")),
  dustPaysNoFee: verdict(dust.dustPaysNoFee, number("count"), bigint("fee"), bigint("modifiedFee")),
  parentDustIsSpent: verdict(dust.parentDustIsSpent, transaction("tx"), from(f.dustyParentsIn)("parents")),

  isNotInPool: verdict(pool.isNotInPool, hash("wtxid"), maybeHash("pooled")),
  isNotInPoolOtherwise: verdict(pool.isNotInPoolOtherwise, maybeHash("pooled")),
  replacementIsAllowed: verdict(pool.replacementIsAllowed, number("conflicts"), boolean("allowed")),
  outputsAreNotKnown: verdict(pool.outputsAreNotKnown, boolean("known")),
  ancestorsStay: verdict(pool.ancestorsStay, hashes("ancestors"), hashes("conflicts")),
  clusterIsSmall: verdict(clusterIsSmall, number("count"), number("weight"), lenient(f.clusterLimitsIn)("limits")),

  trucIsInherited: verdict(truc.trucIsInherited, trucTransaction("tx"), trucTransaction("parent")),
  trucIsSmall: verdict(truc.trucIsSmall, trucTransaction("tx"), number("size")),
  trucAncestorsAreFew: verdict(truc.trucAncestorsAreFew, trucTransaction("tx"), number("ancestors")),
  trucChildIsSmall: verdict(truc.trucChildIsSmall, trucTransaction("tx"), number("size")),
  trucDescendantsAreFew: verdict(truc.trucDescendantsAreFew, trucTransaction("parent"), number("descendants")),
  evictableSibling: value(evictableSibling, from(f.pooledParentIn)("parent")),
  checkTruc: verdict(
    checkTruc,
    trucTransaction("tx"),
    number("size"),
    from(f.pooledParentsIn)("parents"),
    hashes("conflicts")
  ),
  checkPackageTruc: verdict(
    checkPackageTruc,
    from(f.trucMemberIn)("tx"),
    from(f.pooledParentsIn)("pooled"),
    from(f.trucMembersIn)("members")
  ),

  conflictingClustersAreFew: verdict(replacement.conflictingClustersAreFew, number("clusters")),
  conflictsArePaid: verdict(replacement.conflictsArePaid, bigint("fee"), bigint("removedFees")),
  addedRelayIsPaid: verdict(replacement.addedRelayIsPaid, bigint("added"), number("size"), rate("incremental")),
  diagramImproves: verdict(replacement.diagramImproves, comparison("comparison")),
  checkReplacement: verdict(replacement.checkReplacement, from(f.replacementIn)("replacement"), rate("incremental")),
  isParentAndChild: verdict(packageReplacement.isParentAndChild, number("count"), boolean("isChildWithParents")),
  packageHasNoPooledParents: verdict(packageReplacement.packageHasNoPooledParents, number("pooledParents")),
  packageClustersAreFew: verdict(packageReplacement.packageClustersAreFew, number("clusters")),
  packagePaysForReplacing: verdict(
    packageReplacement.packagePaysForReplacing,
    from(f.replacementIn)("replacement"),
    rate("incremental")
  ),
  childPaysForParent: verdict(packageReplacement.childPaysForParent, rate("all"), rate("parent")),
  packageDiagramImproves: verdict(packageReplacement.packageDiagramImproves, comparison("comparison")),
  checkPackageReplacement: verdict(
    packageReplacement.checkPackageReplacement,
    from(f.packageReplacementIn)("replacement"),
    rate("incremental")
  ),

  conflictsSignal: verdict(terms.conflictsSignal, transactions("conflicts")),
  rateIsExceeded: verdict(terms.rateIsExceeded, rate("own"), rate("removed"), number("rateFactor")),
  bumpIsExceeded: verdict(terms.bumpIsExceeded, bigint("added"), maybeAmount("bump")),
  replacementsAreFew: verdict(terms.replacementsAreFew, number("replacements"), maybeNumber("limit")),
  cooldownIsOver: verdict(terms.cooldownIsOver, maybeNumber("waited"), number("cooldown")),
  addedInputsAreConfirmed: verdict(
    terms.addedInputsAreConfirmed,
    maybeNumber("confirmations"),
    number("needed")
  ),
  checkTerms: verdict(checkTerms, from(f.termsFactsIn)("facts"), lenient(f.termsIn)("terms")),
  replacementTerms: value(replacementTerms, from((field) => field.text as terms.ReplacementMode)("mode")),

  packageCountIsSmall: verdict(shape.packageCountIsSmall, number("count")),
  packageWeightIsSmall: verdict(shape.packageWeightIsSmall, number("count"), number("weight")),
  packageHasNoDuplicates: verdict(shape.packageHasNoDuplicates, members("members")),
  packageIsSorted: verdict(shape.packageIsSorted, members("members")),
  packageHasNoConflicts: verdict(shape.packageHasNoConflicts, members("members")),
  checkPackage: verdict(shape.checkPackage, members("members")),
  packageIsChildWithParents: verdict(shape.packageIsChildWithParents, members("members")),
  parentsAreIndependent: verdict(shape.parentsAreIndependent, members("members")),
  packageHash: value(shape.packageHash, hashes("wtxids"), crypto),

  checkBeforeCoins: verdict(acceptance.checkBeforeCoins, transaction("tx"), node("tip"), policy("policy")),
  checkWithCoins: verdict(
    acceptance.checkWithCoins,
    bench,
    transaction("tx"),
    coins("coins"),
    node("tip"),
    policy("policy")
  ),
  appraise: value(
    acceptance.appraise,
    transaction("tx"),
    coins("coins"),
    bigint("fee"),
    bigint("delta"),
    policy("policy")
  ),
  checkAppraisal: verdict(
    acceptance.checkAppraisal,
    appraisal("appraisal"),
    admission("admission"),
    policy("policy")
  ),

  envelopeIsAbsent: verdict(envelopeIsAbsent, bytes("script")),
  tokenDocumentIsAbsent: verdict(tokenDocumentIsAbsent, bytes("script")),
  outputIsWorthKeeping: verdict(amounts.outputIsWorthKeeping, output("output"), bigint("minimum")),
  witnessItemIsShort: verdict(amounts.witnessItemIsShort, number("size"), maybeNumber("limit")),
  feeRateIsWorthRelaying: verdict(amounts.feeRateIsWorthRelaying, bigint("fee"), number("size"), number("minimum")),
  valueIsWorthItsSize: verdict(amounts.valueIsWorthItsSize, number("size"), bigint("value"), maybeNumber("limit")),
  smallOutputsAreFew: verdict(amounts.smallOutputsAreFew, number("count"), maybeNumber("limit")),
  checkSpam: verdict(
    checkSpam,
    transaction("tx"),
    spent("spentOutputs"),
    bigint("fee"),
    number("size"),
    lenient(f.spamPolicyIn)("policy")
  ),
  spamPolicy: value(spamPolicy, from((field) => field.text as SpamPreset)("preset"))
}
