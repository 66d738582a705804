import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Crypto } from "../../kernel/src/index.ts"
import { median } from "../measure.ts"
import type { Row } from "../row.ts"
import { type BareAnswers, startBareServer } from "./bare-server.ts"
import { importInto, startBenchNode, stopBenchNode, TOKEN } from "./bench-node.ts"
import { fullBlockChain, TRANSACTIONS } from "./full-block-chain.ts"
import { processorSecondsOf } from "./processor-time.ts"
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

/** Until then code is still being compiled. */
const WARM_UP_SECONDS = 3

/** A server that is asked, and the process that answers. */
interface Contestant {
  readonly url: string
  readonly pid: number
}

interface Turn extends LoadFigures {
  /** Microseconds of all processors, for each request. */
  readonly processor: number
}

/** Two servers that are asked the same take turns; figures at the same place are from the same run. */
interface Race {
  readonly node: ReadonlyArray<Turn>
  readonly bare: ReadonlyArray<Turn>
}

type Work = Pick<Load, "connections" | "body">

const race = async (first: Contestant, second: Contestant, work: Work, { runs, seconds }: Asked): Promise<Race> => {
  const ask = async ({ pid, url }: Contestant, time = seconds): Promise<Turn> => {
    const before = processorSecondsOf(pid)
    const figures = await load({ url, token: TOKEN, seconds: time, ...work })
    return { ...figures, processor: (processorSecondsOf(pid) - before) / figures.requests * 1e6 }
  }
  await ask(first, WARM_UP_SECONDS)
  await ask(second, WARM_UP_SECONDS)
  const node: Array<Turn> = []
  const bare: Array<Turn> = []
  for (let run = 0; run < runs; run++) {
    bare.push(await ask(second))
    node.push(await ask(first))
  }
  return { node, bare }
}

const middle = (figures: ReadonlyArray<Turn>, key: keyof Turn): number => median(figures.map((each) => each[key]))

interface Names {
  readonly bare: string
  readonly node: string
  readonly processor: string
}

const raceRows = ({ bare, node }: Race, provider: string, names: Names): ReadonlyArray<Row> => [
  { name: names.bare, provider, value: middle(bare, "perSecond"), unit: "/s" },
  {
    name: names.node,
    provider,
    value: middle(node, "perSecond"),
    unit: "/s",
    ratio: median(node.map(({ perSecond }, run) => perSecond / bare[run]!.perSecond)),
    to: "bare"
  },
  {
    name: names.processor,
    provider,
    value: middle(node, "processor"),
    unit: "µs",
    ratio: median(node.map(({ processor }, run) => bare[run]!.processor / processor)),
    to: "bare"
  }
]

/** How long something takes by the clock, after it has been done once. */
const secondsOf = async (runs: number, work: () => Promise<unknown>): Promise<number> => {
  await work()
  const taken: Array<number> = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    await work()
    taken.push((performance.now() - start) / 1_000)
  }
  return median(taken)
}

const KEY_BYTES = 8

/** Where a block stands in a file whose bytes are under a key. */
const placeOf = (directory: string, block: Uint8Array): NonNullable<BareAnswers["block"]> => {
  const blocks = join(directory, "regtest", "blocks")
  const path = join(blocks, "blk00000.dat")
  const key = readFileSync(join(blocks, "xor.dat"))
  const plain = Buffer.from(readFileSync(path).map((byte, at) => byte ^ key[at % KEY_BYTES]!))
  const offset = plain.indexOf(block.subarray(0, 80))
  if (offset < 0) throw new Error(`the block is not in ${path}`)
  return { path, offset, size: block.length }
}

const call = (method: string, ...params: ReadonlyArray<unknown>): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** Short answers and large ones of a node at rest, beside a server that does nothing else. */
export const requestRows = async (asked: Asked): Promise<ReadonlyArray<Row>> => {
  const { crypto, directory, onStep, provider } = asked
  onStep("making a chain with a full block")
  const { block, file } = fullBlockChain(crypto)
  const blocks = join(directory, "blocks.dat")
  writeFileSync(blocks, file)
  const data = join(directory, "data")
  await importInto(data, blocks)
  const node = await startBenchNode(data)
  const nodeUrl = `http://127.0.0.1:${node.port}/`
  const asNode = { url: nodeUrl, pid: node.pid }
  try {
    const tip = await node.client.call("getbestblockhash")
    if (await node.client.call("getblock", tip, 0) !== Buffer.from(block).toString("hex")) {
      throw new Error("the node has another block")
    }
    const count = call("getblockcount")
    const { body: answer } = await node.client.post(count, { authorization: `Bearer ${TOKEN}` })
    const bare = await startBareServer({ answer, block: placeOf(data, block) })
    try {
      onStep("asking for the height")
      const short = await race(asNode, { url: `${bare.url}/`, pid: bare.pid }, { connections: 16, body: count }, asked)
      const crowd = await race(asNode, { url: `${bare.url}/`, pid: bare.pid }, { connections: 64, body: count }, asked)
      onStep(`asking for a block of ${(block.length / 1e6).toFixed(1)} MB`)
      const large = await race(asNode, { url: `${bare.url}/block`, pid: bare.pid }, {
        connections: 4,
        body: call("getblock", tip, 0)
      }, asked)
      onStep("asking for the same block in full detail")
      const details = await secondsOf(
        asked.runs,
        () => node.client.post(call("getblock", tip, 2), { authorization: `Bearer ${TOKEN}` })
      )
      return [
        ...raceRows(short, provider, { bare: ROW.BARE, node: ROW.COUNT, processor: ROW.COUNT_PROCESSOR }),
        {
          name: ROW.COUNT_P99,
          provider,
          value: middle(crowd.node, "p99"),
          unit: "ms",
          ratio: middle(crowd.node, "p99") / middle(crowd.bare, "p99"),
          to: "bare"
        },
        ...raceRows(large, provider, { bare: ROW.BARE_BLOCK, node: ROW.BLOCK, processor: ROW.BLOCK_PROCESSOR }),
        { name: ROW.BLOCK_DETAILS, provider, value: details * 1_000, unit: "ms/block" },
        { name: ROW.BLOCK_TRANSACTIONS, provider, value: (TRANSACTIONS + 1) / details, unit: "tx/s" }
      ]
    } finally {
      await bare.stop()
    }
  } finally {
    await stopBenchNode(node)
  }
}
