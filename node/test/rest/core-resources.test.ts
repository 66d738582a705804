import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../src/engine/api/chain-calls.ts"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"
import { answerPath } from "../../src/core-rest/answer-path.ts"
import { activeCalls } from "../../src/queries/active-calls.ts"
import { callError } from "../../src/queries/call-error.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { STATE } from "../rpc/fake-chain.ts"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const text = (byte: number): string => hex(hash(byte))

const TIP = 3
const PLACE = { file: 0, offset: 8, size: 80 }
const header = (height: number): Uint8Array => new Uint8Array(80).fill(0x10 + height)

/** Blocks 0 to 3 of the active chain, by hashes of one repeated byte; 8 is a side block, 9 pruned, 10 without its bytes. */
const facts = (byte: number): BlockFacts | undefined => {
  const common = {
    hash: hash(byte),
    header: header(byte),
    medianTime: 1,
    chainWork: 1n,
    transactions: 1,
    block: PLACE,
    undo: PLACE,
    pruned: false
  }
  if (byte <= TIP) {
    return {
      ...common,
      height: byte,
      confirmations: TIP - byte + 1,
      next: byte < TIP ? hash(byte + 1) : undefined,
      undo: byte === 0 ? undefined : PLACE
    }
  }
  const side = { ...common, height: 2, confirmations: -1, next: undefined }
  if (byte === 8) return { ...side, undo: undefined }
  if (byte === 9) return { ...side, block: undefined, undo: undefined, pruned: true }
  return byte === 10 ? { ...side, block: undefined, undo: undefined } : undefined
}

const SCRIPT = Uint8Array.of(0x51)
const COIN = { bestBlock: hash(2), bestHeight: 2, value: 5n, script: SCRIPT, height: 1, isCoinbase: false }
const FILTER = { block: hash(1), filterHash: hash(0x31), header: hash(0x41), filter: Uint8Array.of(1, 2, 3) }

type Answers = { readonly [N in EngineCallName]?: ((input: EngineCalls[N]["in"]) => EngineCalls[N]["out"]) | undefined }

interface Options {
  readonly answers?: Answers
  readonly isSynced?: boolean
  readonly isFiltered?: boolean
}

/** A node of these blocks. Of outpoints it has index 0, which block 1 made, and 1, which is in the mempool; 2 is spent. */
const nodeWith = ({ answers = {}, isFiltered = true, isSynced = true }: Options = {}): MethodNode => {
  const known: Answers = {
    blockFacts: ({ hash: [byte] }) => facts(byte!),
    hashAt: ({ height }) => height <= TIP ? hash(height) : undefined,
    coin: ({ vout }) => vout === 0 ? COIN : undefined,
    outputs: ({ outpoints }) => ({
      tip: hash(TIP),
      outputs: outpoints.map(({ vout }) =>
        vout > 2
          ? undefined
          : { value: 5n, script: SCRIPT, confirmations: vout === 0 ? 3 : 0, isCoinbase: false, isSpent: vout === 2 }
      )
    }),
    indexes: () =>
      isFiltered
        ? [{ name: "basic block filter index", synced: isSynced, bestBlockHeight: TIP, lacksBlocks: false }]
        : [],
    blockFilters: ({ from, stop }) => from === 1 && stop[0] === 1 ? [FILTER] : undefined,
    filterHeaders: ({ heights, stop }) =>
      heights.map((height) => ({ ...FILTER, block: stop, header: hash(0x40 + height) })),
    ...answers
  }
  const call = (name: EngineCallName, input: never) => {
    const answer = known[name] as ((input: never) => unknown) | undefined
    return answer === undefined
      ? Effect.fail(callError("Misc", `no answer to ${name}`))
      : Effect.sync(() => answer(input))
  }
  return {
    network: NETWORKS.regtest,
    activeCalls: activeCalls(() => 0),
    deprecated: new Set(),
    chain: { call, state: () => ({ ...STATE, height: TIP, hash: hash(TIP) }) },
    blocks: {
      bytes: () => Effect.succeed(Uint8Array.of(0, 1, 2, 3, 4)),
      undo: () => Effect.succeed({ spent: [[{ script: SCRIPT, value: 7n }, { script: SCRIPT, value: 8n }]] })
    }
  } as unknown as MethodNode
}

const asked = (path: string, options: Options = {}, body: Uint8Array = new Uint8Array(), verb = "GET") =>
  Effect.map(answerPath(verb, `/rest/${path}`, body, { node: () => nodeWith(options) }), (answer) => ({
    status: answer.status,
    type: answer.headers?.["Content-Type"],
    body: typeof answer.body === "string" ? answer.body : Buffer.from(answer.body as Uint8Array)
  }))

const refuses = (rows: ReadonlyArray<readonly [path: string, status: number, message: string, options?: Options]>) =>
  Effect.forEach(
    rows,
    ([path, status, message, options]) =>
      Effect.map(
        asked(path, options),
        (answer) => assert.deepStrictEqual(answer, { status, type: "text/plain", body: `${message}\r\n` }, path)
      )
  )

const NO_FORMAT = "output format not found (available: .bin, .hex, .json)"

describe("headers by Bitcoin Core's REST", () => {
  const bin = (path: string) => Effect.map(asked(path), ({ body, status }) => [status, hex(body as Uint8Array)])
  const all = (...heights: ReadonlyArray<number>): string => heights.map((height) => hex(header(height))).join("")

  it.effect("come from a block on, at most as many as asked, five where nothing is said, in each form", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* bin(`headers/${text(1)}.bin`), [200, all(1, 2, 3)])
      assert.deepStrictEqual(yield* bin(`headers/${text(1)}.bin?count=2`), [200, all(1, 2)])
      assert.deepStrictEqual(yield* bin(`headers/1/${text(0)}.bin`), [200, all(0)])
      assert.deepStrictEqual(yield* bin(`headers/2000/${text(2)}.bin`), [200, all(2, 3)])
      // Nothing of a block that is not in the active chain, or of none.
      assert.deepStrictEqual(yield* bin(`headers/1/${text(8)}.bin`), [200, ""])
      assert.deepStrictEqual(yield* bin(`headers/1/${text(0x77)}.bin`), [200, ""])
      assert.deepStrictEqual(yield* asked(`headers/1/${text(2)}.hex`), {
        status: 200,
        type: "text/plain",
        body: `${all(2)}\n`
      })
      const json = yield* asked(`headers/2/${text(2)}.json`)
      assert.strictEqual(json.type, "application/json")
      const found = JSON.parse(json.body as string) as ReadonlyArray<{ readonly height: number }>
      assert.deepStrictEqual(found.map(({ height }) => height), [2, 3])
      const five = yield* asked(`headers/${text(0)}.bin`, {
        answers: { blockFacts: () => ({ ...facts(1)!, next: hash(1) }) }
      })
      assert.strictEqual(five.body.length, 5 * 80)
    }))

  it.effect("are refused with the range, the format and the form of the path", () =>
    refuses([
      [`headers/0/${text(1)}.bin`, 400, "Header count is invalid or out of acceptable range (1-2000): 0"],
      [`headers/2001/${text(1)}.bin`, 400, "Header count is invalid or out of acceptable range (1-2000): 2001"],
      [`headers/x/${text(1)}.bin`, 400, "Header count is invalid or out of acceptable range (1-2000): x"],
      [`headers/a/b/${text(1)}.bin`, 400, "Invalid URI format. Expected /rest/headers/<hash>.<ext>?count=<count>"],
      ["headers/1/xy.bin", 400, "Invalid hash: xy"],
      [`headers/1/${text(1)}`, 404, NO_FORMAT]
    ]))
})

describe("blocks by Bitcoin Core's REST", () => {
  it.effect("come in bytes and digits, whole or in part", () =>
    Effect.gen(function*() {
      const whole = yield* asked(`block/${text(1)}.bin`)
      assert.deepStrictEqual([whole.status, whole.type, hex(whole.body as Buffer)], [
        200,
        "application/octet-stream",
        "0001020304"
      ])
      assert.strictEqual((yield* asked(`block/notxdetails/${text(1)}.hex`)).body, "0001020304\n")
      const part = (query: string) => Effect.map(asked(`blockpart/${text(1)}.hex?${query}`), ({ body }) => body)
      assert.strictEqual(yield* part("offset=1&size=2"), "0102\n")
      assert.strictEqual(yield* part("offset=0&size=5"), "0001020304\n")
      assert.strictEqual(yield* part("offset=4&size=1"), "04\n")
    }))

  it.effect("are refused where they are not here, and parts where they lie outside", () =>
    refuses([
      [`block/${text(0x77)}.bin`, 404, `${text(0x77)} not found`],
      [`block/${text(9)}.bin`, 404, `${text(9)} not available (pruned data)`],
      [`block/${text(10)}.json`, 404, `${text(10)} not available (not fully downloaded)`],
      [`block/${text(1)}`, 404, NO_FORMAT],
      [`blockpart/${text(1)}.bin?size=1`, 400, "Block part offset missing or invalid"],
      [`blockpart/${text(1)}.bin?offset=-1&size=1`, 400, "Block part offset missing or invalid"],
      [`blockpart/${text(1)}.bin?offset=0`, 400, "Block part size missing or invalid"],
      [`blockpart/${text(1)}.bin?offset=0&size=0`, 400, `Bad block part offset/size 0/0 for ${text(1)}`],
      [`blockpart/${text(1)}.bin?offset=4&size=2`, 400, `Bad block part offset/size 4/2 for ${text(1)}`],
      [`blockpart/${text(1)}.json?offset=0&size=1`, 400, "JSON output is not supported for this request type"],
      [`spenttxouts/${text(0x77)}.bin`, 404, `${text(0x77)} not found`],
      [`spenttxouts/${text(8)}.bin`, 404, `${text(8)} undo not available`],
      [`spenttxouts/${text(1)}.bin`, 404, `${text(1)} undo not available`, {
        answers: { blockFacts: () => ({ ...facts(1)!, undo: undefined }) }
      }]
    ]))

  it.effect("have hashes by height", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* asked("blockhashbyheight/3.hex")).body, `${text(3)}\n`)
      assert.strictEqual((yield* asked("blockhashbyheight/0.json")).body, `{"blockhash":"${text(0)}"}\n`)
      assert.deepStrictEqual((yield* asked("blockhashbyheight/2.bin")).body, Buffer.from(hash(2)))
      yield* refuses([
        ["blockhashbyheight/4.bin", 404, "Block height out of range"],
        ["blockhashbyheight/2147483647.bin", 404, "Block height out of range"],
        ["blockhashbyheight/2147483648.bin", 400, "Invalid height: 2147483648"],
        ["blockhashbyheight/-1.bin", 400, "Invalid height: -1"],
        ["blockhashbyheight/a\"<b.bin", 400, "Invalid height: ab"]
      ])
    }))

  it.effect("have what they spend, the coinbase first with nothing, and genesis with nothing at all", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* asked(`spenttxouts/${text(2)}.hex`)).body,
        `${["0200", "02", "0700000000000000", "0151", "0800000000000000", "0151"].join("")}\n`
      )
      assert.strictEqual((yield* asked(`spenttxouts/${text(0)}.hex`)).body, "0100\n")
      const found = JSON.parse((yield* asked(`spenttxouts/${text(2)}.json`)).body as string) as ReadonlyArray<
        ReadonlyArray<{ readonly value: number }>
      >
      assert.deepStrictEqual(found.map((each) => each.map(({ value }) => value)), [[], [7e-8, 8e-8]])
    }))
})

describe("filters by Bitcoin Core's REST", () => {
  it.effect("come with their type, block and length, and their headers one after another", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* asked(`blockfilter/basic/${text(1)}.hex`)).body, `00${text(1)}03010203\n`)
      assert.strictEqual((yield* asked(`blockfilter/basic/${text(1)}.json`)).body, "{\"filter\":\"010203\"}\n")
      const headersIn = (path: string) => Effect.map(asked(`blockfilterheaders/basic/${path}`), ({ body }) => body)
      assert.strictEqual(yield* headersIn(`${text(1)}.hex?count=2`), `${text(0x41)}${text(0x42)}\n`)
      assert.strictEqual(yield* headersIn(`1/${text(2)}.json`), `["${text(0x42)}"]\n`)
      assert.strictEqual(yield* headersIn(`1/${text(8)}.hex`), "\n")
    }))

  it.effect("are refused by type, path and index", () =>
    refuses([
      [`blockfilter/${text(1)}.bin`, 400, "Invalid URI format. Expected /rest/blockfilter/<filtertype>/<blockhash>"],
      [`blockfilter/odd/${text(1)}.bin`, 400, "Unknown filtertype odd"],
      [`blockfilter/basic/${text(0x77)}.bin`, 404, `${text(0x77)} not found`],
      [`blockfilter/basic/${text(8)}.bin`, 404, "Filter not found. Block was not connected to active chain."],
      [
        `blockfilter/basic/${text(2)}.bin`,
        404,
        "Filter not found. This error is unexpected and indicates index corruption."
      ],
      [
        `blockfilter/basic/${text(2)}.bin`,
        404,
        "Filter not found. Block filters are still in the process of being indexed.",
        { isSynced: false }
      ],
      [`blockfilter/basic/${text(1)}.bin`, 400, "Index is not enabled for filtertype basic", { isFiltered: false }],
      [
        `blockfilterheaders/${text(1)}.bin`,
        400,
        "Invalid URI format. Expected /rest/blockfilterheaders/<filtertype>/<blockhash>.<ext>?count=<count>"
      ],
      [
        `blockfilterheaders/basic/1/2/${text(1)}.bin`,
        400,
        "Invalid URI format. Expected /rest/blockfilterheaders/<filtertype>/<blockhash>.<ext>?count=<count>"
      ],
      [
        `blockfilterheaders/basic/0/${text(1)}.bin`,
        400,
        "Header count is invalid or out of acceptable range (1-2000): 0"
      ],
      [
        `blockfilterheaders/basic/1/${text(1)}.bin`,
        404,
        "Filter not found. This error is unexpected and indicates index corruption.",
        { answers: { filterHeaders: () => undefined } }
      ]
    ]))
})

describe("unspent outputs by Bitcoin Core's REST", () => {
  const outpoint = (vout: number): string => `${text(0x22)}-${vout}`
  const bitmapIn = (path: string) =>
    Effect.map(asked(path), ({ body }) => {
      const { bitmap, chainHeight, chaintipHash, utxos } = JSON.parse(body as string) as {
        readonly bitmap: string
        readonly chainHeight: number
        readonly chaintipHash: string
        readonly utxos: ReadonlyArray<{ readonly height: number; readonly value: number }>
      }
      return [bitmap, chainHeight, chaintipHash, utxos.map(({ height, value }) => [height, value])]
    })

  it.effect("are those of the chain, or also those of the mempool, with the block that they are of", () =>
    Effect.gen(function*() {
      const ids = [0, 1, 2, 3].map(outpoint).join("/")
      assert.deepStrictEqual(yield* bitmapIn(`getutxos/${ids}.json`), ["1000", 2, text(2), [[1, 5e-8]]])
      assert.deepStrictEqual(yield* bitmapIn(`getutxos/${outpoint(9)}.json`), ["0", TIP, text(TIP), []])
      assert.deepStrictEqual(yield* bitmapIn(`getutxos/checkmempool/${ids}.json`), [
        "1100",
        TIP,
        text(TIP),
        [[1, 5e-8], [0x7fff_ffff, 5e-8]]
      ])
    }))

  it.effect("come in bytes: height, tip, a bit for each, and what is in those that are", () =>
    Effect.gen(function*() {
      const ids = [3, 0, 3, 3, 3, 3, 3, 3, 0].map(outpoint).join("/")
      const coin = ["00000000", "01000000", "0500000000000000", "0151"].join("")
      assert.strictEqual(
        (yield* asked(`getutxos/${ids}.hex`)).body,
        `02000000${text(2)}02020102${coin}${coin}\n`
      )
    }))

  it.effect("are refused above fifteen", () =>
    Effect.gen(function*() {
      const ids = (count: number): string => Array.from({ length: count }, () => outpoint(0)).join("/")
      assert.strictEqual((yield* asked(`getutxos/${ids(15)}.json`)).status, 200)
      yield* refuses([
        [`getutxos/${ids(16)}.json`, 400, "Error: max outpoints exceeded (max: 15, tried: 16)"],
        ["getutxos.json", 400, "Error: empty request"],
        [`getutxos/${ids(1)}`, 404, NO_FORMAT]
      ])
    }))
})

describe("the mempool by Bitcoin Core's REST", () => {
  const answers: Answers = { mempoolIds: () => ({ txids: hash(5), sequence: 77 }), mempoolEntries: () => [] }
  const contents = (query: string) =>
    Effect.map(asked(`mempool/contents.json${query}`, { answers }), ({ body }) => JSON.parse(body as string))

  it.effect("has its transactions with or without details, and its sequence number without alone", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* contents(""), {})
      assert.deepStrictEqual(yield* contents("?verbose=true"), {})
      assert.deepStrictEqual(yield* contents("?verbose=false"), [text(5)])
      assert.deepStrictEqual(yield* contents("?verbose=false&mempool_sequence=true"), {
        txids: [text(5)],
        mempool_sequence: 77
      })
      const flag = (name: string): string => `The "${name}" query parameter must be either "true" or "false".`
      yield* refuses([
        ["mempool/contents.json?verbose=1", 400, flag("verbose")],
        ["mempool/contents.json?mempool_sequence=TRUE", 400, flag("mempool_sequence")],
        [
          "mempool/contents.json?mempool_sequence=true",
          400,
          "Verbose results cannot contain mempool sequence values. (hint: set \"verbose=false\")"
        ],
        ["mempool/other.json", 400, "Invalid URI format. Expected /rest/mempool/<info|contents>.json"],
        ["mempool/contents.bin", 404, "output format not found (available: json)"]
      ])
    }))
})

describe("a request to Bitcoin Core's REST", () => {
  it.effect("is refused where nothing is, the node is starting, or the method of HTTP is another", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* asked("nothing/x.json")).status, 404)
      assert.strictEqual((yield* asked(`headers/${text(1)}.bin`, {}, undefined, "DELETE")).status, 405)
      for (const verb of ["POST", "HEAD", "PUT"]) {
        assert.strictEqual((yield* asked(`headers/${text(1)}.bin`, {}, undefined, verb)).status, 200, verb)
      }
      const starting = yield* answerPath("GET", `/rest/headers/${text(1)}.bin`, new Uint8Array(), {
        node: () => "Loading block index…"
      })
      assert.deepStrictEqual([starting.status, starting.body], [
        503,
        "Service temporarily unavailable: Loading block index…\r\n"
      ])
    }))

  it.effect("that fails inside is no fault of the client: status 500, with the reason of an error and none of a defect", () =>
    Effect.gen(function*() {
      const failing = yield* asked("blockhashbyheight/1.bin", {
        answers: {
          hashAt: () => {
            throw new Error("a secret")
          }
        }
      })
      assert.deepStrictEqual([failing.status, failing.body], [500, "Internal error\r\n"])
      const unanswered = yield* asked("blockhashbyheight/1.bin", { answers: { hashAt: undefined } })
      assert.deepStrictEqual([unanswered.status, unanswered.body], [500, "no answer to hashAt\r\n"])
    }))
})
