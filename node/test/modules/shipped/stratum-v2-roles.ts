import {
  ANYONE,
  coinbase,
  EXTRANONCE,
  outputsFor,
  pathOf,
  rootAbove,
  spend,
  type TestTransaction
} from "@lockstep/modules/test-coinbase-v2"
import { type ScriptedMiner, solvedNonce } from "@lockstep/modules/test-miner-v2"
import { assert } from "vitest"
import type { NodeWithModules } from "./node-with-modules.ts"

const SUBSIDY = 5_000_000_000
const FEE = 10_000
const NONE = new Uint8Array()

/** A client's view of the node beside its connections. */
export interface Mined {
  readonly running: NodeWithModules
  /** Transactions that may be made: each spends a coinbase of its own. */
  readonly coins: Array<Buffer>
}

/** Mines coins that anybody can spend, until some are mature. */
export const mineCoins = async (running: NodeWithModules): Promise<Mined> => {
  const hashes = await running.call("generatetodescriptor", 106, `raw(${ANYONE.toString("hex")})`) as Array<string>
  const coins = await Promise.all(
    hashes.slice(0, 6).map(async (hash) => {
      const { tx } = await running.call("getblock", hash, 1) as { readonly tx: ReadonlyArray<string> }
      return Buffer.from(tx[0]!, "hex").reverse()
    })
  )
  return { running, coins }
}

/** A transaction that pays a fee. */
export const payment = ({ coins }: Mined): TestTransaction => spend(coins.shift()!, SUBSIDY - FEE)

/** What a client declares: the block on the tip with these transactions, which pays to a script. */
export const declarable = async (
  { running }: Mined,
  transactions: ReadonlyArray<TestTransaction>,
  payout: Uint8Array
) => {
  const height = 1 + (await running.call("getblockcount") as number)
  const template = await running.call("getblocktemplate", { rules: ["segwit"] }) as {
    readonly previousblockhash: string
    readonly curtime: number
    readonly bits: string
    readonly version: number
  }
  const outputs = outputsFor(transactions, SUBSIDY + FEE * transactions.length, payout)
  return {
    coinbase: coinbase({ height, outputs }),
    path: pathOf(transactions.map(({ txid }) => txid)),
    prev_hash: Buffer.from(template.previousblockhash, "hex").reverse(),
    time: template.curtime,
    nbits: Number.parseInt(template.bits, 16),
    version: template.version,
    wtxids: transactions.map(({ wtxid }) => wtxid)
  }
}

type Declarable = Awaited<ReturnType<typeof declarable>>

/** Sends a declaration. */
export const declare = (client: ScriptedMiner, token: Uint8Array, request_id: number, job: Declarable): void =>
  client.send({
    _tag: "DeclareMiningJob",
    request_id,
    mining_job_token: token,
    version: job.version,
    coinbase_tx_prefix: job.coinbase.prefix,
    coinbase_tx_suffix: job.coinbase.suffix,
    wtxid_list: job.wtxids,
    excess_data: NONE
  })

/** A fresh token, and the script that its first output names. */
export const allocated = async (client: ScriptedMiner) => {
  client.send({ _tag: "AllocateMiningJobToken", user_identifier: "declarer", request_id: 1 })
  const { coinbase_tx_outputs, mining_job_token } = await client.next("AllocateMiningJobToken.Success")
  assert.strictEqual(coinbase_tx_outputs[0], 1)
  assert.deepStrictEqual(coinbase_tx_outputs.subarray(1, 9), new Uint8Array(8))
  return { token: mining_job_token, payout: coinbase_tx_outputs.subarray(10) }
}

/** The code of the refusal of a declaration that spends a token of its own. */
export const refusalOf = async (client: ScriptedMiner, change: Partial<Declarable>, job: Declarable) => {
  const { token } = await allocated(client)
  declare(client, token, 9, { ...job, ...change })
  const { error_code, error_details, request_id } = await client.next("DeclareMiningJob.Error")
  assert.strictEqual(request_id, 9)
  return `${error_code}: ${Buffer.from(error_details).toString()}`
}

/** A nonce that makes a block of a declared job with an extranonce. */
export const nonceFor = (job: Declarable, extranonce: Uint8Array): number => {
  assert.lengthOf(extranonce, EXTRANONCE)
  const root = rootAbove(job.coinbase.txid(extranonce), job.path)
  const tip = { _tag: "SetNewPrevHash", channel_id: 0, job_id: 0, min_ntime: 0, ...job } as const
  return solvedNonce(tip, { root, time: job.time, version: job.version })
}
