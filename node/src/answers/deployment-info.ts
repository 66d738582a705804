import type { Height } from "@lockstep/kernel/quantities"
import { ScriptFlag } from "@lockstep/kernel/script"
import * as Schema from "effect/Schema"
import type { DeploymentFacts, SignalledDeployment } from "../engine/api/chain-calls.ts"
import { displayHash } from "../hex.ts"
import { Hex, optionalDescribed, Time, described } from "./result-schema.ts"

const Counted = Schema.Struct({
  period: described(Schema.Number, "Blocks in a period"),
  elapsed: described(Schema.Number, "Blocks of this one so far"),
  count: described(Schema.Number, "Those of them that signal"),
  threshold: optionalDescribed(Schema.Number, "How many it takes (only while started)"),
  possible: optionalDescribed(Schema.Boolean, "Whether this period can still reach it (only while started)")
})

const Signalled = Schema.Struct({
  bit: optionalDescribed(Schema.Number, "The bit of the version (only while signals count)"),
  start_time: described(Time, "The median time from which signals count"),
  timeout: described(Schema.BigInt.annotate({ jsonType: "number" }), "The median time at which it fails"),
  min_activation_height: described(Schema.Number, "The height before which it cannot be in force"),
  status: described(Schema.String, "How it stands for this block: defined, started, locked_in, active or failed"),
  since: described(Schema.Number, "The height of the first block for which it stands so"),
  status_next: described(Schema.String, "How it stands for the next block"),
  statistics: optionalDescribed(Counted, "The signals of this period (only while they count)"),
  signalling: optionalDescribed(
    Schema.String,
    "The blocks of this period: # signals, - does not (only while signals count)"
  )
})

const Deployment = Schema.Struct({
  type: described(Schema.String, "buried: by a height; bip9: by signals"),
  height: optionalDescribed(Schema.Number, "The first block it is in force for, where that is known"),
  active: described(Schema.Boolean, "Whether it is in force for the next block"),
  bip9: optionalDescribed(Signalled, "How it stands (only for type bip9)")
})

export const DeploymentInfo = Schema.Struct({
  hash: described(Hex, "The block the answer holds at"),
  height: described(Schema.Number, "Its height"),
  script_flags: described(Schema.Array(Schema.String), "The rules that its scripts are judged under"),
  deployments: described(Schema.Record(Schema.String, Deployment), "The deployments, by name")
})

const NEVER = 2n ** 63n - 1n

const BURIED = ["bip34", "bip66", "bip65", "csv", "segwit"] as const

const buried = ({ height, heights }: DeploymentFacts): ReadonlyArray<readonly [string, typeof Deployment.Type]> =>
  BURIED.map((name) => [name, { type: "buried", active: height + 1 >= heights[name], height: heights[name] }])

const countedFields = ({ bit, counted, state }: SignalledDeployment) => {
  if (counted === undefined) return undefined
  const { count, elapsed, period, possible, signalling, threshold } = counted
  const goal = state === "started" ? { threshold, possible } : {}
  return {
    bit,
    statistics: { period, elapsed, count, ...goal },
    signalling: signalling.map((signals) => signals ? "#" : "-").join("")
  }
}

const signalled = (deployment: SignalledDeployment, blockHeight: Height): typeof Deployment.Type => {
  const { minActivationHeight, next, since, startTime, state, timeout } = deployment
  const counted = countedFields(deployment)
  const height = state === "active" ? since : next === "active" ? blockHeight + 1 : undefined
  return {
    type: "bip9",
    height,
    active: height !== undefined,
    bip9: {
      bit: counted?.bit,
      start_time: startTime,
      timeout: timeout === undefined ? NEVER : BigInt(timeout),
      min_activation_height: minActivationHeight,
      status: state,
      since,
      status_next: next,
      statistics: counted?.statistics,
      signalling: counted?.signalling
    }
  }
}

const flagNames = (flags: number): ReadonlyArray<string> =>
  Object.entries(ScriptFlag).filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name).toSorted()

/** Returns the rules in force at a block and the states of its deployments. */
export const deploymentInfo = (facts: DeploymentFacts): typeof DeploymentInfo.Type => ({
  hash: displayHash(facts.hash),
  height: facts.height,
  script_flags: flagNames(facts.flags),
  deployments: Object.fromEntries([
    ...buried(facts),
    ...facts.signalled.map((each) => [each.name, signalled(each, facts.height)] as const)
  ])
})
