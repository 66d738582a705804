import type { AnswerTo, IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { ServePolicy } from "../../p2p/serving/deny-list.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"
import { networkServiceOf } from "./network-requests.ts"

/** Maximum number of hashes in a snapshot. */
const SNAPSHOT_HASHES = 4_096

type List = "blocks" | "transactions"

const enforced = (context: ModuleContext): Effect.Effect<ServePolicy, IpcError> =>
  Effect.map(networkServiceOf(context), ({ servePolicies }) => {
    const { enforce, policy } = context.module.servePolicy
    enforce(servePolicies)
    return policy
  })

type Change = (policy: ServePolicy) => number

const changed = (context: ModuleContext, change: Change): Effect.Effect<void, IpcError> =>
  Effect.flatMap(enforced(context), (policy) => {
    const left = change(policy)
    return left === 0
      ? Effect.void
      : Effect.fail({ kind: "ResourceExhausted", text: `${left} hashes found no room in the denylist` } as const)
  })

const changedBlocks = (context: ModuleContext, change: Change) =>
  Effect.as(changed(context, change), { _tag: "BlockServeDenylistMerged" } as const)

const changedTransactions = (context: ModuleContext, change: Change) =>
  Effect.as(changed(context, change), { _tag: "TxServeDenylistMerged" } as const)

const snapshotOf = (
  { module: { servePolicy: { policy } } }: ModuleContext,
  list: List
): AnswerTo<"GetBlockServeDenylistSnapshot">["value"] => {
  const hashes = policy[list].snapshot()
  return {
    total_count: hashes.length,
    truncated: hashes.length > SNAPSHOT_HASHES,
    hashes: hashes.slice(0, SNAPSHOT_HASHES)
  }
}

const cleared = (list: List): Change => (policy) => {
  policy[list].clear()
  return 0
}

/** Handlers of requests about data that is not served to peers. */
export const SERVE_POLICY_REQUESTS: RequestHandlers<
  | "MergeBlockServeDenylist"
  | "GetBlockServeDenylistSnapshot"
  | "ClearBlockServeDenylist"
  | "ReplaceBlockServeDenylist"
  | "MergeTxServeDenylist"
  | "GetTxServeDenylistSnapshot"
  | "ClearTxServeDenylist"
  | "ReplaceTxServeDenylist"
  | "SetBlockServeMaintenanceMode"
> = {
  MergeBlockServeDenylist: (context, { block_hashes }) =>
    changedBlocks(context, ({ blocks }) => blocks.merge(block_hashes)),
  ReplaceBlockServeDenylist: (context, { block_hashes }) =>
    changedBlocks(context, ({ blocks }) => blocks.replace(block_hashes)),
  ClearBlockServeDenylist: (context) => changedBlocks(context, cleared("blocks")),
  GetBlockServeDenylistSnapshot: (context) =>
    Effect.sync(() => ({ _tag: "BlockServeDenylistSnapshot", value: snapshotOf(context, "blocks") })),

  MergeTxServeDenylist: (context, { tx_hashes }) =>
    changedTransactions(context, ({ transactions }) => transactions.merge(tx_hashes)),
  ReplaceTxServeDenylist: (context, { tx_hashes }) =>
    changedTransactions(context, ({ transactions }) => transactions.replace(tx_hashes)),
  ClearTxServeDenylist: (context) => changedTransactions(context, cleared("transactions")),
  GetTxServeDenylistSnapshot: (context) =>
    Effect.sync(() => ({ _tag: "TxServeDenylistSnapshot", value: snapshotOf(context, "transactions") })),

  SetBlockServeMaintenanceMode: (context, { enabled }) =>
    Effect.map(enforced(context), (policy) => {
      policy.isMaintenance = enabled
      return { _tag: "BlockServeMaintenanceModeSet" }
    })
}
