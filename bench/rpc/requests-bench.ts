import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Crypto } from "../../kernel/src/index.ts"
import { median } from "../measure.ts"
import type { Row } from "../row.ts"
import { type BareAnswers, startBareServer } from "./bare-server.ts"
import { importInto, startBenchNode, stopBenchNode, TOKEN } from "./bench-node.ts"
import { fullBlockChain, TRANSACTIONS } from "./full-block-chain.ts"
import { ROW } from "./targets.ts"
import { type Load, load, type LoadFigures } from "./wrk.ts"

interface Asked {
  readonly directory: string
  readonly crypto: Crypto
  readonly provider: string
  readonly runs: number
  /** Of one turn of one server. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

/** Two servers that are asked the same take turns; figures at the same place are from the same run. */
interface Race {
  readonly node: ReadonlyArray<LoadFigures>
  readonly bare: ReadonlyArray<LoadFigures>
}

type Work = Pick<Load, "connections" | "body">

const race = async (nodeUrl: string, bareUrl: string, work: Work, { runs, seconds }: Asked): Promise<Race> => {
  const ask = (url: string, time = seconds) => load({ url, token: TOKEN, seconds: time, ...work })
  await ask(nodeUrl, 1)
  await ask(bareUrl, 1)
  const node: Array<LoadFigures> = []
  const bare: Array<LoadFigures> = []
  for (let run = 0; run < runs; run++) {
    bare.push(await ask(bareUrl))
    node.push(await ask(nodeUrl))
  }
  return { node, bare }
}

const middle = (figures: ReadonlyArray<LoadFigures>, key: keyof LoadFigures): number => median(figures.map((each) => each[key]))

const raceRows = ({ bare, node }: Race, provider: string, bareName: string, name: string): ReadonlyArray<Row> => [
  { name: bareName, provider, value: middle(bare, "perSecond"), unit: "/s" },
  {
    name,
    provider,
    value: middle(node, "perSecond"),
    unit: "/s",
    ratio: median(node.map(({ perSecond }, run) => perSecond / bare[run]!.perSecond)),
    to: "bare"
  }
]

const KEY_BYTES = 8

/** Where a block stands in a file whose bytes are under a key. */
const placeOf = (directory: string, block: Uint8Array): BareAnswers["block"] => {
  const blocks = join(directory, "regtest", "blocks")
  const path = join(blocks, "blk00000.dat")
  const key = readFileSync(join(blocks, "xor.dat"))
  const plain = Buffer.from(readFileSync(path).map((byte, at) => byte ^ key[at % KEY_BYTES]!))
  const offset = plain.indexOf(block.subarray(0, 80))
  if (offset < 0) throw new Error(`the block is not in ${path}`)
  return { path, offset, size: block.length }
}

const call = (method: string, ...params: ReadonlyArray<unknown>): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** Short answers and large ones of a node at rest, beside a server that does nothing else. */
export const requestRows = async (asked: Asked): Promise<ReadonlyArray<Row>> => {
  const { crypto, directory, onStep, provider, seconds } = asked
  onStep("making a chain with a full block")
  const { block, file } = fullBlockChain(crypto)
  const blocks = join(directory, "blocks.dat")
  writeFileSync(blocks, file)
  const data = join(directory, "data")
  await importInto(data, blocks)
  const node = await startBenchNode(data)
  const nodeUrl = `http://127.0.0.1:${node.port}/`
  try {
    const tip = await node.client.call("getbestblockhash")
    if (await node.client.call("getblock", tip, 0) !== Buffer.from(block).toString("hex")) throw new Error("the node has another block")
    const count = call("getblockcount")
    const { body: answer } = await node.client.post(count, { authorization: `Bearer ${TOKEN}` })
    const bare = await startBareServer({ answer, block: placeOf(data, block) })
    try {
      onStep("asking for the height")
      const short = await race(nodeUrl, `${bare.url}/`, { connections: 16, body: count }, asked)
      const crowd = await race(nodeUrl, `${bare.url}/`, { connections: 64, body: count }, asked)
      onStep(`asking for a block of ${(block.length / 1e6).toFixed(1)} MB`)
      const large = await race(nodeUrl, `${bare.url}/block`, { connections: 4, body: call("getblock", tip, 0) }, asked)
      onStep("asking for the same block in full detail")
      const details = await load({ url: nodeUrl, connections: 1, seconds: 2 * seconds, body: call("getblock", tip, 2), token: TOKEN })
      return [
        ...raceRows(short, provider, ROW.BARE, ROW.COUNT),
        { name: ROW.COUNT_P99, provider, value: middle(crowd.node, "p99"), unit: "ms", ratio: middle(crowd.node, "p99") / middle(crowd.bare, "p99"), to: "bare" },
        ...raceRows(large, provider, ROW.BARE_BLOCK, ROW.BLOCK),
        { name: ROW.BLOCK_DETAILS, provider, value: 1_000 / details.perSecond, unit: "ms/block" },
        { name: ROW.BLOCK_TRANSACTIONS, provider, value: details.perSecond * (TRANSACTIONS + 1), unit: "tx/s" }
      ]
    } finally {
      await bare.stop()
    }
  } finally {
    await stopBenchNode(node)
  }
}
