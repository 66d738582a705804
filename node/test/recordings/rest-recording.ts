import { createHash } from "node:crypto"
import { basename } from "node:path"
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { makePlace, type Place } from "../bitcoind/bitcoind-process.ts"
import { vectorBytes, vectorLines } from "../rpc/vectors.ts"
import { answerDiffers } from "./answers.ts"

/** What Bitcoin Core's REST answered to one request. */
interface RestRow {
  readonly phase: "chain" | "mempool" | "noindex" | "norest"
  readonly method: string
  readonly path: string
  /** Of a path that ends in `.bin` in hexadecimal digits. */
  readonly requestBody?: string | null
  readonly status: number
  readonly contentType: string
  readonly bytes: number
  readonly sha256: string
  readonly text?: string
  readonly hex?: string
}

export interface RestRecording {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly mocktime: number
  readonly tip: string
  readonly rows: ReadonlyArray<RestRow>
}

/** What a file has recorded; none: it is no recording of REST. */
export const restRecordingAt = (path: string): RestRecording | undefined => {
  const [head = "{}", ...lines] = gunzipSync(readFileSync(path)).toString("utf8").split("\n")
    .filter((line) => line !== "")
  const { args, mempoolPhase, mocktime, tip } = JSON.parse(head) as Omit<RestRecording, "name" | "rows"> & {
    readonly mempoolPhase?: string
  }
  if (mempoolPhase === undefined) return undefined
  return {
    name: basename(path, ".jsonl.gz"),
    args,
    mocktime,
    tip,
    rows: lines.map((line) => JSON.parse(line) as RestRow)
  }
}

interface ChainIndex {
  readonly blocks: ReadonlyArray<{ readonly offset: number; readonly size: number }>
  readonly headersOnly: string
}

/** Hands in the recorded chain, block by block. */
const submitChain = async (place: Place): Promise<void> => {
  const { blocks, headersOnly } = JSON.parse(vectorBytes("oracle/chain/index.json").toString()) as ChainIndex
  const bytes = vectorBytes("oracle/chain/blocks.dat.gz")
  for (const { offset, size } of blocks.slice(1)) {
    // One after another: the order decides between branches.
    // oxlint-disable-next-line eslint/no-await-in-loop
    await place.call("submitblock", bytes.subarray(offset, offset + size).toString("hex"))
  }
  await place.call("submitheader", headersOnly)
}

interface SetupRow {
  readonly setup?: boolean
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const fillMempool = async (place: Place): Promise<void> => {
  for (const line of vectorLines("oracle/rpc/rpc.jsonl.gz")) {
    const { method, params, setup } = JSON.parse(line) as SetupRow
    // oxlint-disable-next-line eslint/no-await-in-loop
    if (setup === true) await place.call(method, ...params).catch(() => undefined)
  }
}

const requestOf = ({ method, path, requestBody }: RestRow): RequestInit => ({
  method,
  ...(requestBody === null || requestBody === undefined ? {} : {
    body: new Uint8Array(path.endsWith(".bin") ? Buffer.from(requestBody, "hex") : Buffer.from(requestBody))
  })
})

/** What builds of Bitcoin Core between releases say of themselves. */
const OF_A_TEST_BUILD = /"This is a pre-release test build[^"]*"/

/** Lists of a mempool have no order. */
const comparedAs = ({ path }: RestRow): string => path.includes("/mempool/contents") ? "getrawmempool" : ""

/** Where an answer is not the recorded one. */
const differences = async (row: RestRow, port: number): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`http://127.0.0.1:${port}${row.path}`, requestOf(row))
  const body = Buffer.from(await response.arrayBuffer())
  const found: Array<string> = []
  const type = response.headers.get("content-type")
  if (response.status !== row.status) found.push(`status ${response.status} instead of ${row.status}`)
  if (type !== row.contentType) found.push(`content type ${type} instead of ${row.contentType}`)
  if (row.contentType !== "application/json" || row.status !== 200) {
    if (createHash("sha256").update(body).digest("hex") !== row.sha256) {
      found.push(
        `${body.toString().slice(0, 200)} instead of ${(row.text ?? row.hex ?? "other content").slice(0, 200)}`
      )
    }
  } else if (row.text !== undefined) {
    const [result, recorded] = [
      JSON.parse(body.toString()),
      JSON.parse(row.text.replace(OF_A_TEST_BUILD, ""))
    ] as ReadonlyArray<unknown>
    found.push(...answerDiffers(comparedAs(row), { result: recorded }, { result }))
    if (!body.toString().endsWith("\n")) found.push("no line end")
  } else if (createHash("sha256").update(body).digest("hex") !== row.sha256) found.push("other content")
  return found.map((text) => `${row.phase} ${row.method} ${row.path}: ${text}`)
}

const WITHOUT_INDEX = ["-rest", "-persistmempool=0"]

/** Plays a recording to processes of ours; answers how many rows were played, and what is not as recorded. */
export const playRest = async (
  { args, mocktime, rows, tip }: RestRecording
): Promise<{ readonly rows: number; readonly differences: ReadonlyArray<string> }> => {
  const place = await makePlace()
  const found: Array<string> = []
  let played = 0
  const play = async (phase: RestRow["phase"]): Promise<void> => {
    for (const row of rows.filter((each) => each.phase === phase)) {
      played++
      // oxlint-disable-next-line eslint/no-await-in-loop
      found.push(...await differences(row, place.port))
    }
  }
  const running = async (words: ReadonlyArray<string>, use: () => Promise<void>): Promise<void> => {
    const { ended } = place.start(`-mocktime=${mocktime}`, ...words)
    try {
      await place.ready()
      await use()
    } finally {
      await place.call("stop").catch(() => undefined)
      await ended
    }
  }
  try {
    await running(args, async () => {
      await submitChain(place)
      const best = await place.call("getbestblockhash")
      if (best !== tip) throw new Error(`the tip is ${String(best)} instead of ${tip}`)
    })
    // The recorded node had not seen the branches come: they count in the numbers of the mempool's events.
    await running(args, async () => {
      await play("chain")
      await fillMempool(place)
      await play("mempool")
    })
    await running(WITHOUT_INDEX, () => play("noindex"))
    await running([], () => play("norest"))
  } finally {
    place.remove()
  }
  return { rows: played, differences: found }
}
