import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { transactionId } from "@lockstep/kernel/model"
import { existsSync, readFileSync } from "node:fs"
import { decodeMempoolFile } from "../../../src/engine/mempool/mempool-file.ts"
import { until } from "../../p2p/sockets/wire-node.ts"
import { wireCrypto } from "../../p2p/sockets/regtest-wire.ts"
import { type RpcClient, RpcFailure } from "../../process/rpc-client.ts"

/** What a file of the mempool holds. */
export interface SavedPool {
  readonly bytes: Buffer
  readonly txids: ReadonlySet<string>
}

/** The last save; none: there was none. A file is there completely or as it was. */
export const savedPool = (file: string): SavedPool | undefined => {
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  const { fault, transactions } = decodeMempoolFile(Uint8Array.from(bytes))
  if (fault !== undefined) throw new Error(`${file} was torn: ${fault}`)
  return { bytes, txids: new Set(transactions.map(({ tx }) => displayHexOf(transactionId(tx, wireCrypto)))) }
}

export const poolOf = async ({ call }: RpcClient): Promise<ReadonlyArray<string>> =>
  await call("getrawmempool") as ReadonlyArray<string>

/** Waits until the file of the last run has been gone through. */
export const untilLoaded = ({ call }: RpcClient): Promise<void> =>
  until("the mempool is loaded", async () => (await call("getmempoolinfo") as { readonly loaded: boolean }).loaded)

interface Decoded {
  readonly vin: ReadonlyArray<{ readonly txid: string; readonly vout: number }>
  readonly vout: ReadonlyArray<unknown>
}

/** Each input is there, in the chain or in the mempool, and spent once. */
const demandValid = async ({ call }: RpcClient, txids: ReadonlyArray<string>): Promise<void> => {
  const outputs = new Map<string, number>()
  const transactions: Array<Decoded> = []
  for (const txid of txids) {
    const tx = await call("getrawtransaction", txid, 1) as Decoded
    transactions.push(tx)
    outputs.set(txid, tx.vout.length)
  }
  const spent = new Set<string>()
  for (const { txid, vout } of transactions.flatMap(({ vin }) => vin)) {
    const name = `${txid}:${vout}`
    if (spent.has(name)) throw new Error(`${name} is spent twice in the mempool`)
    spent.add(name)
    const isThere = vout < (outputs.get(txid) ?? 0) || await call("gettxout", txid, vout, false) !== null
    if (!isThere) throw new Error(`${name} is spent in the mempool and nowhere`)
  }
}

/**
 * What must hold of the mempool after a start: nothing that was not in the last save, valid by the chain. `isWhole`: no
 * block came since, so that all of the save is there.
 */
export const checkPool = async (
  client: RpcClient,
  saved: ReadonlySet<string>,
  isWhole: boolean
): Promise<ReadonlyArray<string>> => {
  const pool = await poolOf(client)
  const strange = pool.filter((txid) => !saved.has(txid))
  if (strange.length > 0) throw new Error(`not in the last save: ${strange.join(", ")}`)
  if (isWhole && pool.length !== saved.size) throw new Error(`${saved.size} were saved, ${pool.length} are there`)
  await demandValid(client, pool)
  return pool
}

/** Saves; answers whether the node would: it does not before it has loaded. */
export const save = async ({ call }: RpcClient): Promise<boolean> => {
  try {
    await call("savemempool")
    return true
  } catch (error) {
    if (error instanceof RpcFailure && error.message.includes("mempool was not loaded")) return false
    throw error
  }
}
