import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  decodeFeeEstimates,
  encodeFeeEstimates,
  isStale
} from "../../../src/engine/fee-estimator/fee-estimates-file.ts"
import {
  type FeeEstimator,
  feeEstimator,
  historyOf,
  untrackAll
} from "../../../src/engine/fee-estimator/fee-estimator.ts"
import {
  type Conversation,
  conversationAt,
  conversationFiles,
  recordingsFolder,
  type Row
} from "../../recordings/conversation.ts"
import { rawAnswer, smartAnswer } from "./fee-answers.ts"
import {
  accepted,
  invalidated,
  prioritised,
  reconsidered,
  restarted,
  submitted,
  trustedMempool,
  type TrustedMempool
} from "./trusted-mempool.ts"

const GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
const DEFAULT_FLOOR = 100

/** The file that the node finds at its next start. */
interface File {
  readonly bytes: Uint8Array
  readonly age: number
}

interface Replay {
  readonly conversation: Conversation
  readonly mempool: TrustedMempool
  readonly differences: Array<string>
  readonly compared: { answers: number; files: number }
  estimator: FeeEstimator | undefined
  file: File | undefined
  floor: number
}

const compare = (replay: Replay, row: Row, found: unknown): void => {
  replay.compared.answers++
  const [expected, actual] = [row.result, found].map((each) => JSON.stringify(each))
  if (expected !== actual) replay.differences.push(`row ${row.i} ${row.m}: ${actual} instead of ${expected}`)
}

interface PackageResult {
  readonly "tx-results": Readonly<Record<string, { readonly error?: string }>>
}

const call = (replay: Replay, estimator: FeeEstimator, row: Row): void => {
  const { mempool } = replay
  const params = row.p as ReadonlyArray<unknown>
  switch (row.m) {
    case "sendrawtransaction":
      return accepted(mempool, estimator, String(params[0]), "alone")
    case "submitpackage": {
      const results = Object.values((row.result as PackageResult)["tx-results"])
      assert.isTrue(results.every(({ error }) => error === undefined), `row ${row.i}`)
      for (const hex of params[0] as ReadonlyArray<string>) accepted(mempool, estimator, hex, "package")
      return
    }
    case "prioritisetransaction":
      return prioritised(mempool, String(params[0]), BigInt(Number(params[2])))
    case "invalidateblock":
      return invalidated(mempool, estimator, String(params[0]))
    case "reconsiderblock":
      return reconsidered(mempool, estimator, String(params[0]))
    case "estimatesmartfee":
      return compare(replay, row, smartAnswer(estimator, params, replay.floor))
    case "estimaterawfee":
      return compare(replay, row, rawAnswer(estimator, params))
    default:
      return
  }
}

/** Estimates are lost where the file is not used. */
const started = (file: File | undefined, acceptsStale: boolean): FeeEstimator => {
  if (file === undefined || (isStale(file.age * 1000) && !acceptsStale)) return feeEstimator()
  const decoded = decodeFeeEstimates(file.bytes)
  return Result.isSuccess(decoded) ? feeEstimator(decoded.success) : feeEstimator()
}

const begin = (replay: Replay, { args = [] }: Row): void => {
  const rate = args.find((arg) => arg.startsWith("-minrelaytxfee="))?.split("=")[1]
  replay.floor = rate === undefined ? DEFAULT_FLOOR : Math.round(Number(rate) * 1e8)
  const estimator = started(replay.file, args.includes("-acceptstalefeeestimates"))
  restarted(replay.mempool, estimator, !args.includes("-persistmempool=0"), replay.floor)
  replay.estimator = args.includes("-blocksonly") ? undefined : estimator
}

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

const step = (replay: Replay, row: Row): void => {
  const { estimator } = replay
  switch (row.op) {
    case "start":
      return begin(replay, row)
    case "stopped":
      if (estimator === undefined) return
      untrackAll(estimator)
      replay.file = { bytes: encodeFeeEstimates(historyOf(estimator)), age: 0 }
      return
    case "file":
      replay.file = typeof row.hex === "string" ? { bytes: bytesOf(row.hex), age: row.age ?? 0 } : undefined
      return
    case "filecheck":
      replay.compared.files++
      if (Buffer.compare(replay.file!.bytes, bytesOf(row.hex!)) !== 0) replay.differences.push(`row ${row.i}: the file`)
      return
    case "blocks":
      for (const hash of row.hashes!) submitted(replay.mempool, estimator!, hash, replay.conversation.blocks.get(hash)!)
      return
    case "rpc":
      if (estimator !== undefined && row.error === undefined) call(replay, estimator, row)
      return
    default:
      return
  }
}

const folder = recordingsFolder("fees")
const files = folder === undefined ? [] : conversationFiles(folder)

describe.skipIf(files.length === 0)(
  "fee estimates equal those that Bitcoin Core recorded, and its file to the bit",
  () => {
    it.each(files)("%s", (path) => {
      const conversation = conversationAt(path)!
      const replay: Replay = {
        conversation,
        mempool: trustedMempool(GENESIS),
        differences: [],
        compared: { answers: 0, files: 0 },
        estimator: undefined,
        file: undefined,
        floor: DEFAULT_FLOOR
      }
      for (const row of conversation.rows) step(replay, row)
      assert.deepStrictEqual(replay.differences.slice(0, 10), [], `${replay.differences.length} differences`)
      assert.isAbove(replay.compared.answers, 200)
      assert.isAbove(replay.compared.files, 0)
    })

    it("a file is decoded and encoded to the same bytes", () => {
      const recorded = files.flatMap((path) => conversationAt(path)!.rows).filter(({ op }) => op === "filecheck")
      assert.isAbove(recorded.length, 3)
      for (const { hex } of recorded) {
        const decoded = decodeFeeEstimates(bytesOf(hex!))
        assert.isTrue(Result.isSuccess(decoded))
        if (Result.isSuccess(decoded)) {
          assert.strictEqual(Buffer.from(encodeFeeEstimates(decoded.success)).toString("hex"), hex)
        }
      }
    })
  }
)
