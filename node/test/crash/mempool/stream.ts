import { pause, until } from "../../p2p/sockets/wire-node.ts"
import { connectPeer } from "../../p2p/sockets/wire-peer.ts"
import { type RpcClient, RpcFailure } from "../../process/rpc-client.ts"
import type { Random } from "../random.ts"
import { save } from "./check.ts"
import type { LooseTransaction, Workload } from "./families.ts"

/** What is known of a run of the node. */
export interface Run {
  readonly client: RpcClient
  readonly p2pPort: number
  readonly random: Random
  readonly workload: Workload
  /** Transactions that an answer said are in the mempool, but for those that another one may replace. */
  readonly acknowledged: Set<string>
  /** What was acknowledged before the last save that was answered. */
  saved: ReadonlySet<string>
  /** A save was begun. */
  hasSaved: boolean
  isOver: boolean
}

/** The list from the first of a cluster on, and from its start again. */
const from = function*({ random, workload: { clusters, transactions } }: Run): Generator<LooseTransaction> {
  for (let i = random.below(clusters) * (transactions.length / clusters);; i++) {
    yield transactions[i % transactions.length]!
  }
}

const byRpc = async (run: Run): Promise<void> => {
  const { acknowledged, client, workload: { replaceable } } = run
  for (const { hex, txid } of from(run)) {
    if (run.isOver) return
    try {
      await client.call("sendrawtransaction", hex)
      if (!replaceable.has(txid)) acknowledged.add(txid)
    } catch (error) {
      // Its parents are not there, or what it competes with is better.
      if (!(error instanceof RpcFailure)) throw error
    }
  }
}

const BATCH = 20

/** Ends when the connection does. A batch is sent when the one before has been handled. */
const byPeer = async (run: Run): Promise<void> => {
  let pongs = 0
  const peer = await connectPeer(run.p2pPort, (message, say) => {
    if (message.command === "pong") pongs++
    if (message.command === "ping" && message.nonce !== undefined) say({ command: "pong", nonce: message.nonce })
  })
  const stream = from(run)
  for (let sent = 1; !run.isOver && !peer.isClosed(); sent++) {
    for (let i = 0; i < BATCH; i++) peer.say({ command: "tx", transaction: stream.next().value!.tx })
    peer.say({ command: "ping", nonce: BigInt(sent) })
    await until("a batch is handled", () => pongs >= sent || run.isOver || peer.isClosed())
  }
  peer.end()
}

const saving = async (run: Run): Promise<void> => {
  while (!run.isOver) {
    await pause(run.random.below(60))
    if (run.isOver) return
    const acknowledged = new Set(run.acknowledged)
    run.hasSaved = true
    if (await save(run.client)) run.saved = acknowledged
  }
}

/** Sends transactions over RPC and from a peer, and has the node save, until the run is over. */
export const stream = async (run: Run, saves: boolean): Promise<void> => {
  const parts = [byRpc(run), byPeer(run), ...saves ? [saving(run)] : []]
  const faults = (await Promise.allSettled(parts)).flatMap((part) => part.status === "rejected" ? [part.reason] : [])
  // A call cut off by the death of the node is what this is about; anything else is a fault.
  const fault = faults.find((each) => !/ECONNRE|socket hang up|aborted/i.test(String(each)))
  if (fault !== undefined) throw fault
}
