import { resolveConfig } from "../../config/resolve/resolve-config.ts"
import { effectiveOf } from "../../config/given/effective.ts"
import { keyCalled, shownKey } from "../../config/catalogue.ts"
import { judgeValue } from "../../config/given/judge-value.ts"
import type { NodeConfig, StandIn } from "../../config/config.ts"
import * as Result from "effect/Result"
import { misplaced } from "../args/args.ts"
import { CHAINS } from "../args/chain-choice.ts"
import type { Place } from "../args/directories.ts"
import type { CommandLineArguments } from "../args/read-arguments.ts"
import { OPTIONS, OPTIONS_BY_NAME } from "../options/option-table.ts"
import { type AccessPlan, planAccess } from "./access.ts"
import { checkPlaces } from "./check-places.ts"
import { checkValues } from "./checks.ts"
import { clamp, type PlanDraft, numberGiven } from "./draft.ts"
import { placesToTry, planListening } from "./listening.ts"
import { type LogPlan, planLog } from "./log-plan.ts"
import { noticeOptions, noticeRelativeDirectory } from "./notices.ts"
import { planNetworkLayer } from "./network-plan.ts"
import { planNetwork } from "./network-changes.ts"
import { planExternal } from "./external.ts"
import { planPermissions } from "./permissions.ts"
import { planProcess, type ProcessPlan } from "./process-plan.ts"
import { planPrivateBroadcast } from "./private-broadcast.ts"
import { planPolicy } from "./policy.ts"
import { planProxies } from "./proxies.ts"
import { planReaching } from "./reaching.ts"
import { planRegtest } from "./regtest.ts"
import { planStorage, type StoragePlan } from "./storing.ts"
import { uploadTargetOf } from "./upload-target.ts"
import { userAgentOf } from "./user-agent.ts"
import { planZmq } from "./zmq-plan.ts"
import { anySettingName } from "../../front/setting-name.ts"
import { SECONDS } from "../../units.ts"

/** Parts of a plan that the node receives unchanged. */
type StandInPart = Pick<
  StandIn,
  | "userAgent"
  | "grants"
  | "peerTimeoutSeconds"
  | "changes"
  | "maxTipAge"
  | "banSeconds"
  | "isNetworkActive"
  | "externalAddresses"
  | "network"
  | "notifiers"
>

/** Result of interpreting the options. */
export interface Plan extends StandInPart {
  readonly config: NodeConfig
  readonly access: AccessPlan
  readonly storage: StoragePlan
  readonly process: ProcessPlan
  readonly log: LogPlan
  /** Maximum number of open files of the process. */
  readonly descriptors: number
  /** Warnings for the log. */
  readonly notices: ReadonlyArray<string>
  /** Warnings for the log and for standard error. */
  readonly warnings: ReadonlyArray<string>
}

/** Reasons why no plan can be made: Bitcoin Core's messages, and warnings for the log. */
export interface PlanRefusal {
  readonly problems: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
  readonly log: LogPlan
}

/** The machine that the node runs on. */
export interface PlanMachine extends Place {
  readonly processors: number
  readonly memoryBytes: number
  /** Maximum number of open files of the process. */
  readonly descriptors: number
}

const MAX_TIP_AGE = SECONDS.day

/** A time beyond any peer's clock, in seconds. */
const MOST_SECONDS = 2 ** 40

const configOf = (draft: PlanDraft, machine: PlanMachine): NodeConfig => {
  const given = [...draft.values].map(([key, value]) => ({
    key,
    value,
    origin: "command line" as const,
    source: "options"
  }))
  for (const { key, value } of given) {
    const judged = judgeValue(keyCalled(key), value)
    if (Result.isFailure(judged)) draft.problems.push(`${anySettingName(shownKey(key))}: ${judged.failure}`)
  }
  const { config, problems } = resolveConfig(effectiveOf(given), {
    machine,
    file: undefined,
    tokens: undefined,
    isCoreDirectory: () => false
  })
  draft.problems.push(...problems)
  return config
}

const misplacedProblem = (names: ReadonlyArray<string>, chain: string): Array<string> =>
  names.length === 0
    ? []
    : [
      names.map((name) => `Config setting for -${name} only applied on ${chain} network when in [${chain}] section.\n`)
        .join("")
    ]

/** Makes the plan of a start from the options, or returns why the node cannot start. */
export const planOf = (given: CommandLineArguments, machine: PlanMachine): Result.Result<Plan, PlanRefusal> => {
  const { args, base, chain, directory, settings } = given
  const draft: PlanDraft = {
    args,
    chain,
    network: CHAINS[chain],
    base,
    directory,
    place: machine,
    processors: machine.processors,
    memoryBytes: machine.memoryBytes,
    descriptors: machine.descriptors,
    values: new Map<string, unknown>([["network", CHAINS[chain].option], ["storage.data_dir", base]]),
    notices: [],
    warnings: [],
    problems: misplacedProblem(misplaced(settings, chain, OPTIONS_BY_NAME), chain)
  }
  planListening(draft)
  const grants = planPermissions(draft)
  const proxies = planProxies(draft)
  planReaching(draft, proxies)
  planPrivateBroadcast(draft, proxies)
  planRegtest(draft)
  planPolicy(draft)
  const access = planAccess(draft)
  const storage = planStorage(draft)
  const changes = planNetwork(draft)
  const externalAddresses = planExternal(draft)
  const network = planNetworkLayer(draft, proxies)
  const process = planProcess(draft)
  const log = planLog(draft)
  const notifiers = planZmq(draft)
  const userAgent = userAgentOf(draft)
  const uploadTarget = uploadTargetOf(draft)
  checkPlaces(draft)
  checkValues(draft)
  noticeRelativeDirectory(draft)
  noticeOptions(draft, OPTIONS)
  const { notices, problems, warnings } = draft
  if (problems.length > 0) return Result.fail({ problems, notices, log })
  const config = configOf(draft, machine)
  if (problems.length > 0) return Result.fail({ problems, notices, log })
  return Result.succeed({
    config: {
      ...config,
      file: given.confFile,
      dataDirectory: directory,
      peers: { ...config.peers, uploadTarget, mayListen: placesToTry(draft) },
      mempool: { ...config.mempool, savesVersion1: draft.args.flag("persistmempoolv1") ?? false },
      rpc: { ...config.rpc, credentials: { ...config.rpc.credentials, basic: access.basic } }
    },
    access,
    storage,
    process,
    log,
    descriptors: machine.descriptors,
    userAgent,
    grants,
    changes,
    externalAddresses,
    network,
    notifiers,
    maxTipAge: clamp(numberGiven(draft, "maxtipage", MAX_TIP_AGE), 0, MOST_SECONDS),
    banSeconds: clamp(numberGiven(draft, "bantime", SECONDS.day), 1, MOST_SECONDS),
    isNetworkActive: draft.args.flag("networkactive") ?? true,
    peerTimeoutSeconds: clamp(numberGiven(draft, "peertimeout", 60), 1, MOST_SECONDS),
    notices,
    warnings
  })
}
