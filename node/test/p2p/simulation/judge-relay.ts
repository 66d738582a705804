import { transactionId } from "@lockstep/kernel/model/identity.ts"
import { hashKey } from "../../../src/p2p/sync/hash-key.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import type { Cast } from "./happenings.ts"
import { holdTransaction } from "./peers/honesty.ts"
import type { World } from "./world.ts"

const SECOND = 1_000
/** Milliseconds within which a transaction must be everywhere. */
const PATIENCE = 5 * 60 * SECOND

/** A good transaction that one honest peer has is soon in the pools of all nodes, which are what their engines say. */
export const judgeRelay = async (world: World, { nodes, peers }: Cast, pass: (milliseconds: number) => Promise<void>): Promise<void> => {
  const { fault, time: { clock }, trace, wallet } = world
  const [from] = peers
  const transaction = wallet.spendFresh(from!.holdings.view.best())
  if (transaction === undefined) return
  const key = hashKey(transactionId(transaction, testCrypto))
  trace.line(`${from!.name} has transaction ${key}`)
  holdTransaction(from!, transaction)
  const without = () => nodes.filter(({ running }) => running()?.chain.poolByTxid.has(key) !== true)
  for (const end = clock.now() + PATIENCE; without().length > 0 && clock.now() < end && world.faults.length === 0;) await pass(SECOND)
  if (without().length > 0) fault(`a transaction did not reach ${without().map(({ name }) => name).join(", ")}`)
  for (const { name, run, running } of nodes) {
    const { chain, engine } = running()!
    const ids = new Set((await run(engine.call("poolIds", undefined))).map(hashKey))
    const isSame = ids.size === chain.poolByTxid.size && [...ids].every((id) => chain.poolByTxid.has(id))
    if (!isSame) fault(`the network layer of ${name} has another pool than its engine`)
  }
}
