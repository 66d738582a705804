import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import type { BlockTemplate, IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BlockTemplate as MadeTemplate } from "../../engine/api/mining-calls.ts"
import { displayHash } from "../../hex.ts"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { openChainState, engineCall, requestFailed } from "./api-call.ts"
import type { RequestHandlers, ModuleContext, Payload } from "./module-context.ts"

/** Longest wait for a template in seconds, below the time limit of requests. */
export const LONGEST_WAIT = 25

type Asked = Pick<Payload<"GetBlockTemplate">, "rules" | "coinbase_script" | "coinbase_address">

/** Returns the id by which a miner can wait for a newer template, in the form that `getblocktemplate` uses. */
const longPollId = (previous: Uint8Array, updates: number): string => `${displayHash(previous)}${updates}`

/** Before segwit, a signature operation costs 1, so costs are divided by the scale factor. */
const templateOf = (made: MadeTemplate, coinbaseScript: Uint8Array | undefined): BlockTemplate => {
  const scale = made.hasWitness ? 1 : WITNESS_SCALE_FACTOR
  return {
    version: made.version >>> 0,
    previous_hash: made.previous,
    height: made.height,
    bits: made.bits,
    current_time: made.time,
    min_time: made.minTime,
    coinbase_value: Number(made.subsidy + made.fees),
    coinbase_script: coinbaseScript,
    default_witness_commitment: made.witnessCommitment,
    sigop_limit: MAX_BLOCK_SIGOPS_COST / scale,
    weight_limit: MAX_BLOCK_WEIGHT,
    transactions: made.transactions.map(({ bytes, depends, fee, sigOpCost, txid, weight, wtxid }) => ({
      data: bytes,
      txid,
      wtxid,
      fee: Number(fee),
      sigops: Math.trunc(sigOpCost / scale),
      weight,
      depends: depends.map((position) => position - 1)
    })),
    longpoll_id: longPollId(made.previous, made.updates)
  }
}

const missingRule = (rules: ReadonlyArray<string>, isSignet: boolean): string | undefined =>
  [...(isSignet ? ["signet"] : []), "segwit"].find((rule) => !rules.includes(rule))

const scriptOf = (
  { coinbase_address: address, coinbase_script: script }: Asked,
  { network }: ModuleContext
): Uint8Array | IpcError | undefined => {
  if (address === undefined) return script
  if (script !== undefined) return requestFailed("coinbase_script and coinbase_address exclude each other")
  return scriptOfAddress(address, network.addresses) ?? requestFailed(`${address} is no address of ${network.name}`)
}

/**
 * Returns the reason to refuse a template on mainnet. Without peers, or during initial block download, its block would
 * be wasted.
 */
const isolation = ({ network, peers }: ModuleContext, isSyncing: boolean): string | undefined => {
  if (network.name !== "mainnet") return undefined
  if ((peers()?.peers.size ?? 0) === 0) return "the node has no peers"
  return isSyncing ? "the node is in the initial block download" : undefined
}

/** Checks that a template can be made. Returns the script that the coinbase pays to, if the request names one. */
const heldRequest = Effect.fnUntraced(function*(context: ModuleContext, asked: Asked) {
  const { initialBlockDownload } = yield* openChainState(context)
  const rule = missingRule(asked.rules, context.network.parameters.signetChallenge !== undefined)
  if (rule !== undefined) return yield* Effect.fail(requestFailed(`rules must hold ${rule}`))
  const isolated = isolation(context, initialBlockDownload)
  if (isolated !== undefined) return yield* Effect.fail(requestFailed(isolated))
  const script = scriptOf(asked, context)
  if (script !== undefined && "text" in script) return yield* Effect.fail(script)
  return script
})

const made = (context: ModuleContext, script: Uint8Array | undefined) =>
  Effect.map(engineCall(context, "blockTemplate", undefined), (template) => ({
    _tag: "BlockTemplate",
    value: templateOf(template, script)
  } as const))

const isNewTip = ({ hash }: { readonly hash: Uint8Array }, id: string): boolean => !id.startsWith(displayHash(hash))

const changedTip = ({ chain }: ModuleContext, id: string): Effect.Effect<void> =>
  Effect.asVoid(Stream.runHead(Stream.filter(chain.states, (state) => isNewTip(state, id))))

/** Handlers of requests of miners. */
export const MINING_REQUESTS: RequestHandlers<"GetBlockTemplate" | "WaitForBlockTemplate" | "QueueReceivedBlock"> = {
  GetBlockTemplate: (context, asked) => Effect.flatMap(heldRequest(context, asked), (script) => made(context, script)),

  WaitForBlockTemplate: (context, asked) =>
    Effect.gen(function*() {
      const script = yield* heldRequest(context, asked)
      if (asked.timeout_seconds > LONGEST_WAIT) {
        return yield* Effect.fail(requestFailed(`timeout_seconds is up to ${LONGEST_WAIT}`))
      }
      yield* Effect.timeoutOption(changedTip(context, asked.longpoll_id), 1_000 * asked.timeout_seconds)
      return yield* made(context, script)
    }),

  QueueReceivedBlock: (context, { block_bytes }) => {
    // The engine takes the bytes over, and these are a view of a frame.
    const bytes = new Uint8Array(block_bytes)
    const validation = Effect.flatMap(
      Effect.result(engineCall(context, "submitBlock", { bytes })),
      (result) => {
        const reason = result._tag === "Failure" ? result.failure.text : result.success.result
        return reason === undefined || reason === "duplicate"
          ? Effect.void
          : Effect.logInfo("a block that a module received was refused").pipe(
            Effect.annotateLogs({ category: "modules", module: context.module.name, reason })
          )
      }
    )
    return Effect.as(context.module.blocks.queue(validation), { _tag: "ReceivedBlockQueued" })
  }
}
