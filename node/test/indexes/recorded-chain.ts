import { satoshisOf } from "@lockstep/conformance/chain/amount.ts"
import { framedBlocks } from "@lockstep/conformance/chain/framed-blocks.ts"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import { bytesOf } from "@lockstep/conformance/formats/hex.ts"
import { parseJson, readJson, readText } from "@lockstep/conformance/formats/read-file.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { existsSync } from "node:fs"
import type { CoinSetStatistics } from "../../src/engine/api/coin-calls.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const chainFile = (name: string) => fileAt(source, `oracle/chain/${name}`)

/** Whether the recordings of Bitcoin Core are at hand. */
export const hasRecordings = existsSync(chainFile("index.json").absolute)

/** What Bitcoin Core's index says of a block. */
export interface RecordedFilter {
  readonly block: Uint8Array
  readonly height: number
  readonly isOnBestChain: boolean
  readonly filter: Uint8Array
  readonly header: Uint8Array
}

export interface RecordedChain {
  /** In the order in which they were submitted, without the genesis block. */
  readonly blocks: ReadonlyArray<Uint8Array>
  readonly mockTime: number
  /** What Bitcoin Core's index says of every height of the chain at the end. */
  readonly statistics: ReadonlyArray<CoinSetStatistics>
  readonly filters: ReadonlyArray<RecordedFilter>
  /** Blocks that were never connected, so have no filter. */
  readonly withoutFilter: ReadonlyArray<Uint8Array>
}

interface FilterRow {
  readonly hash: string
  readonly height: number
  readonly onBestChain: boolean
  readonly filter?: string
  readonly header?: string
}

const bytesOfDigits = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"))

const filterRows = (): ReadonlyArray<FilterRow> =>
  readText(chainFile("filters.jsonl.gz")).trim().split("\n").map((line) => JSON.parse(line) as FilterRow)

const filterOf = ({ filter, hash, header, height, onBestChain }: FilterRow): ReadonlyArray<RecordedFilter> =>
  filter === undefined || header === undefined ? [] : [{
    block: bytesOfDigits(hash).reverse(),
    height,
    isOnBestChain: onBestChain,
    filter: bytesOfDigits(filter),
    header: bytesOfDigits(header).reverse()
  }]

const wireHash = (row: Field): Uint8Array => bytesOf(row.text).reverse()

const amount = (row: Field, name: string): bigint => satoshisOf(row.get(name).number)

const statisticsOf = (result: Field): CoinSetStatistics => {
  const info = result.get("block_info")
  const unspendables = info.get("unspendables")
  return {
    height: result.get("height").integer,
    block: wireHash(result.get("bestblock")),
    txouts: result.get("txouts").integer,
    bogoSize: BigInt(result.get("bogosize").integer),
    total: amount(result, "total_amount"),
    setHash: wireHash(result.get("muhash")),
    transactions: undefined,
    sizeOnDisk: undefined,
    index: {
      unspendable: amount(result, "total_unspendable_amount"),
      blockInfo: {
        prevoutSpent: amount(info, "prevout_spent"),
        coinbase: amount(info, "coinbase"),
        newOutputsExceptCoinbase: amount(info, "new_outputs_ex_coinbase"),
        unspendable: amount(info, "unspendable"),
        unspendables: {
          genesisBlock: amount(unspendables, "genesis_block"),
          bip30: amount(unspendables, "bip30"),
          scripts: amount(unspendables, "scripts"),
          unclaimedRewards: amount(unspendables, "unclaimed_rewards")
        }
      }
    }
  }
}

/** The chain that Bitcoin Core made, with reorganisations on the way, and what its index says of it. */
export const recordedChain = (): RecordedChain => ({
  blocks: framedBlocks(chainFile("blocks.dat.gz"), REGTEST.magic).slice(1),
  mockTime: readJson(chainFile("index.json")).get("mocktime").integer,
  statistics: readText(chainFile("txoutset.jsonl.gz")).split("\n").filter((line) =>
    line.includes(`"coinstatsindex"`) && line.includes(`"muhash"`)
  )
    .map((line, i) => parseJson(line, chainFile("txoutset.jsonl.gz"), `row ${i}`))
    .filter((row) => row.get("kind").text === "coinstatsindex")
    .map((row) => statisticsOf(row.get("result"))),
  filters: filterRows().flatMap(filterOf),
  withoutFilter: filterRows().filter(({ filter }) => filter === undefined).map(({ hash }) =>
    bytesOfDigits(hash).reverse()
  )
})
