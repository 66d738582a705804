import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import * as coinbase from "@lockstep/kernel/internal/block/coinbase.ts"
import { transactionsAreFinal } from "@lockstep/kernel/internal/block/final-transactions.ts"
import * as limits from "@lockstep/kernel/internal/block/limits.ts"
import { merkleRootCommits, transactionsAreNotRepeated } from "@lockstep/kernel/internal/block/merkle-commitment.ts"
import { blockIsMutated } from "@lockstep/kernel/internal/block/mutated.ts"
import { signetSolutionHolds } from "@lockstep/kernel/internal/block/signet.ts"
import * as commitment from "@lockstep/kernel/internal/block/witness-commitment.ts"
import { equivalentTime, scriptCheckReason } from "@lockstep/kernel/internal/chain/assumed-valid.ts"
import * as selection from "@lockstep/kernel/internal/chain/selection.ts"
import { forbidsOverwriting } from "@lockstep/kernel/internal/deployment/repeated-coinbase.ts"
import { blockScriptFlags } from "@lockstep/kernel/internal/deployment/script-flags.ts"
import { deploymentState, signallingStatistics } from "@lockstep/kernel/internal/deployment/version-bits.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import * as context from "@lockstep/kernel/internal/header/contextual.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { ancestorAt, childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import { blockWork } from "@lockstep/kernel/internal/work/block-work.ts"
import { compactTarget, expandTarget } from "@lockstep/kernel/internal/work/compact-target.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { minDifficultyBits, requiredBits, retarget } from "@lockstep/kernel/internal/header/required-work.ts"
import { flagNames } from "../../formats/flag-names.ts"
import { type RuleAnswer, valueAnswer } from "./answer.ts"
import { type Call, reader, value, verdict } from "./call.ts"
import * as c from "./chain-parameter.ts"
import { counted, plainNode } from "./forms/chains.ts"
import { bitsText, targetText } from "./forms/numbers.ts"
import { block, boolean, crypto, header, number, transaction } from "./parameter.ts"

const shownBits = (result: number): RuleAnswer => valueAnswer(bitsText(result))
const shownNode = (result: HeaderNode | undefined): RuleAnswer => valueAnswer(plainNode(result))
const shownFlags = (result: ScriptFlags): RuleAnswer => valueAnswer(flagNames(result))
const shownTarget = (result: bigint | undefined): RuleAnswer => valueAnswer(targetText(result))

/** The ancestor, and how many pointers it took to get there. */
const ancestorInSteps = (from: HeaderNode, height: number): object | null => {
  const steps = { taken: 0 }
  const ancestor = ancestorAt(counted(from, steps), height)
  // Telling of the answer follows pointers as well.
  const { taken } = steps
  return ancestor === undefined ? null : { ...plainNode(ancestor), steps: taken }
}

const shownReorganisation = ({ connect, disconnect, fork }: selection.Reorganisation): RuleAnswer =>
  valueAnswer({ fork: plainNode(fork), disconnect: disconnect.map(plainNode), connect: connect.map(plainNode) })

const { bits, computed, hash, heights, identity, node, parameters, versionBits, wide, work } = c

/** Kernel functions about work, headers, deployments, the chain and whole blocks. */
export const CHAIN_CALLS: Readonly<Record<string, Call>> = {
  expandTarget: reader<[number], bigint | undefined>(shownTarget)(expandTarget, bits("bits")),
  compactTarget: reader<[bigint], number>(shownBits)(compactTarget, wide("target")),
  blockWork: value(blockWork, bits("bits")),
  proofOfWork: verdict(proofOfWork, hash("hash"), bits("bits"), wide("powLimit")),
  retarget: reader<Parameters<typeof retarget>, number>(shownBits)(
    retarget,
    number("firstTime"),
    number("lastTime"),
    bits("bits"),
    work("work")
  ),
  minDifficultyBits: reader<Parameters<typeof minDifficultyBits>, number>(shownBits)(
    minDifficultyBits,
    node("parent"),
    number("time"),
    work("work")
  ),
  requiredBits: reader<Parameters<typeof requiredBits>, number>(shownBits)(
    requiredBits,
    node("parent"),
    number("time"),
    work("work")
  ),

  bitsAreRequired: verdict(context.bitsAreRequired, header("header"), node("parent"), work("work")),
  timeIsAfterMedian: verdict(context.timeIsAfterMedian, header("header"), node("parent")),
  periodStartIsNotWarped: verdict(context.periodStartIsNotWarped, header("header"), node("parent"), work("work")),
  timeIsNotTooNew: verdict(context.timeIsNotTooNew, header("header"), number("now")),
  versionIsSupported: verdict(context.versionIsSupported, header("header"), number("height"), heights("heights")),
  medianTimePast: value(medianTimePast, node("node")),
  checkHeader: verdict(checkHeader, header("header"), node("parent"), number("now"), parameters("parameters")),

  blockScriptFlags: reader<Parameters<typeof blockScriptFlags>, ScriptFlags>(shownFlags)(
    blockScriptFlags,
    hash("hash"),
    number("height"),
    parameters("parameters")
  ),
  forbidsOverwriting: value(forbidsOverwriting, node("node"), parameters("parameters")),
  deploymentState: value(deploymentState, c.nodeOrNone("parent"), versionBits("deployment")),
  signallingStatistics: value(signallingStatistics, node("node"), versionBits("deployment")),

  ancestorAt: reader<Parameters<typeof ancestorAt>, object | null>(valueAnswer)(
    ancestorInSteps,
    node("node"),
    number("height")
  ),
  childOf: reader<Parameters<typeof childOf>, HeaderNode>(shownNode)(
    childOf,
    c.nodeOrNone("parent"),
    header("header"),
    hash("hash")
  ),
  isBetterChain: value(selection.isBetterChain, c.candidate("a"), c.candidate("b")),
  lastCommonAncestor: reader<Parameters<typeof selection.lastCommonAncestor>, HeaderNode | undefined>(shownNode)(
    selection.lastCommonAncestor,
    node("a"),
    node("b")
  ),
  reorganisation: reader<Parameters<typeof selection.reorganisation>, selection.Reorganisation>(shownReorganisation)(
    selection.reorganisation,
    node("from"),
    node("to")
  ),
  equivalentTime: value(equivalentTime, node("to"), node("from"), node("tip"), number("targetSpacing")),
  scriptCheckReason: value(
    scriptCheckReason,
    node("node"),
    c.assumedBlock("assumed"),
    node("best"),
    wide("minimumWork"),
    number("targetSpacing")
  ),

  merkleRootCommits: verdict(merkleRootCommits, block("block"), computed),
  transactionsAreNotRepeated: verdict(transactionsAreNotRepeated, computed),
  blockLength: verdict(limits.blockLength, block("block")),
  firstIsCoinbase: verdict(coinbase.firstIsCoinbase, block("block")),
  onlyFirstIsCoinbase: verdict(coinbase.onlyFirstIsCoinbase, block("block")),
  legacySigOpsFitBlock: verdict(limits.legacySigOpsFitBlock, block("block")),
  transactionsAreFinal: verdict(transactionsAreFinal, block("block"), number("height"), number("cutoff")),
  coinbaseStartsWithHeight: verdict(coinbase.coinbaseStartsWithHeight, block("block"), number("height")),
  witnessNonceSize: verdict(commitment.witnessNonceSize, transaction("coinbase")),
  witnessCommitmentMatches: verdict(
    commitment.witnessCommitmentMatches,
    block("block"),
    number("index"),
    c.computedOfWitnesses,
    crypto
  ),
  noWitnessWithoutCommitment: verdict(commitment.noWitnessWithoutCommitment, block("block")),
  blockIsNotTooHeavy: verdict(limits.blockIsNotTooHeavy, block("block")),
  checkBlock: verdict(checkBlock, block("block"), identity, parameters("parameters"), crypto),
  checkBlockInContext: verdict(
    checkBlockInContext,
    block("block"),
    identity,
    node("parent"),
    parameters("parameters"),
    crypto
  ),
  signetSolutionHolds: verdict(signetSolutionHolds, block("block"), identity, parameters("parameters"), crypto),
  blockIsMutated: value(blockIsMutated, block("block"), identity, boolean("witnesses"), crypto),
  witnessCommitmentIndex: value(commitment.witnessCommitmentIndex, transaction("coinbase")),
  checkWitnessCommitment: verdict(
    commitment.checkWitnessCommitment,
    block("block"),
    identity,
    boolean("expected"),
    crypto
  )
}
