import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { answerPath } from "../../src/core-rest/answer-path.ts"
import { EMPTY_MEMPOOL, STATE } from "../rpc/fake-chain.ts"
import { BLOCK, coinbase, displayed, FACTS, hash, mined, nodeWith, text } from "./mined-node.ts"

const STORAGE_ERROR = { message: "the disk is gone", reason: "failed" }

const DEPLOYMENTS = {
  hash: hash(9),
  height: 3,
  flags: 0,
  heights: { bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 0, taproot: 0 },
  signalled: []
}

const asked = (path: string, over: Parameters<typeof nodeWith>[0] = {}) =>
  Effect.map(
    answerPath("GET", `/rest/${path}`, new Uint8Array(), { node: () => nodeWith(over) }),
    ({ body, headers, status }) => [status, headers["Content-Type"], String(body)] as const
  )

const json = (path: string, over: Parameters<typeof nodeWith>[0] = {}) =>
  Effect.map(asked(path, over), ([status, type, body]) => {
    assert.deepStrictEqual([status, type], [200, "application/json"], body)
    assert.match(body, /\n$/)
    return JSON.parse(body)
  })

describe("a block in JSON by Bitcoin Core's REST", () => {
  it.effect("has its transactions with the outputs that they spend, or their ids alone", () =>
    Effect.gen(function*() {
      const whole = yield* json(`block/${text(9)}.json`)
      assert.deepStrictEqual([whole.hash, whole.height], [text(9), 3])
      assert.deepStrictEqual(whole.tx[1].vin[0].prevout.value, 0.000_03)
      const withIds = yield* json(`block/notxdetails/${text(9)}.json`)
      assert.deepStrictEqual(withIds.tx, [displayed(coinbase), displayed(mined)])
    }))

  it.effect("that cannot be read is an error of input and output, in each form", () =>
    Effect.gen(function*() {
      const blocks = { bytes: () => Effect.fail(STORAGE_ERROR), block: () => Effect.fail(STORAGE_ERROR) }
      for (const form of ["bin", "hex", "json"]) {
        assert.deepStrictEqual(yield* asked(`block/${text(9)}.${form}`, { parts: { blocks } }), [
          500,
          "text/plain",
          `I/O error reading ${text(9)}\r\n`
        ], form)
      }
    }))
})

describe("a part of a block by Bitcoin Core's REST", () => {
  const part = (query: string) =>
    Effect.map(asked(`blockpart/${text(9)}.hex?${query}`), ([status, , body]) => [status, body])
  const MOST = 2n ** 64n - 1n

  it.effect("may end where the block does, and no byte behind", () =>
    Effect.gen(function*() {
      const { length } = BLOCK
      assert.deepStrictEqual(yield* part(`offset=0&size=${length}`), [200, `${Buffer.from(BLOCK).toString("hex")}\n`])
      assert.deepStrictEqual(yield* part(`offset=1&size=${length}`), [
        400,
        `Bad block part offset/size 1/${length} for ${text(9)}\r\n`
      ])
      assert.deepStrictEqual((yield* part(`offset=${length}&size=0`))[0], 400)
      assert.deepStrictEqual((yield* part(`offset=${length - 1}&size=1`))[0], 200)
    }))

  it.effect("has numbers of 64 bits: larger ones are none, and neither is nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* part(`offset=${MOST}&size=${MOST}`), [
        400,
        `Bad block part offset/size ${MOST}/${MOST} for ${text(9)}\r\n`
      ])
      for (const offset of [`offset=${MOST + 1n}&`, "offset=&", "offset&", ""]) {
        assert.deepStrictEqual(
          yield* part(`${offset}size=1`),
          [400, "Block part offset missing or invalid\r\n"],
          offset
        )
      }
      for (const size of [`&size=${MOST + 1n}`, "&size=", "&size", ""]) {
        assert.deepStrictEqual(yield* part(`offset=1${size}`), [400, "Block part size missing or invalid\r\n"], size)
      }
    }))
})

describe("the state of the chain by Bitcoin Core's REST", () => {
  const parts = { peers: () => undefined }

  it.effect("is what getblockchaininfo answers, in JSON alone", () =>
    Effect.gen(function*() {
      const info = yield* json("chaininfo.json", { parts })
      assert.deepStrictEqual([info.chain, info.blocks, info.headers], ["regtest", STATE.height, STATE.headersHeight])
      assert.deepStrictEqual(yield* asked("chaininfo.hex", { parts }), [
        404,
        "text/plain",
        "output format not found (available: json)\r\n"
      ])
    }))

  it.effect("has the deployments at the tip, or at the block that is named, which has to be known", () =>
    Effect.gen(function*() {
      const looked: Array<unknown> = []
      const answers = {
        deployments: (input: { readonly hash: Uint8Array | undefined }) => {
          looked.push(input.hash)
          return input.hash === undefined || input.hash[0] === 9 ? DEPLOYMENTS : undefined
        }
      }
      assert.deepStrictEqual((yield* json("deploymentinfo.json", { answers })).hash, text(9))
      assert.deepStrictEqual((yield* json("deploymentinfo/.json", { answers })).height, 3)
      assert.deepStrictEqual((yield* json(`deploymentinfo/${text(9)}.json`, { answers })).height, 3)
      assert.deepStrictEqual(looked, [undefined, undefined, hash(9)])
      assert.deepStrictEqual(yield* asked(`deploymentinfo/${text(8)}.json`, { answers }), [
        400,
        "text/plain",
        "Block not found\r\n"
      ])
      assert.deepStrictEqual((yield* asked("deploymentinfo/xy.json", { answers })).slice(0, 1), [400])
      assert.deepStrictEqual((yield* asked("deploymentinfo.bin", { answers })).slice(0, 1), [404])
      assert.lengthOf(looked, 4)
    }))

  it.effect("has the heights that 31 bits hold, and refuses what is none", () =>
    Effect.gen(function*() {
      const answers = {
        hashAt: ({ height }: { readonly height: number }) => height === 2 ** 31 - 1 ? hash(5) : undefined
      }
      assert.strictEqual((yield* asked("blockhashbyheight/2147483647.hex", { answers }))[2], `${text(5)}\n`)
      assert.strictEqual((yield* asked("blockhashbyheight/2147483648.hex", { answers }))[0], 400)
    }))
})

describe("unspent outputs by Bitcoin Core's REST, with those of the mempool", () => {
  it.effect("have the height of the block that they are of, also where the chain has gone on, or is all that is known", () =>
    Effect.gen(function*() {
      const output = { value: 5n, script: Uint8Array.of(0x51), confirmations: 2, isCoinbase: false, isSpent: false }
      const found = (tip: Uint8Array) =>
        json(`getutxos/checkmempool/${text(0x22)}-0.json`, { answers: { outputs: () => ({ tip, outputs: [output] }) } })
      const known = yield* found(hash(9))
      assert.deepStrictEqual([known.chainHeight, known.chaintipHash, known.utxos[0].height], [3, text(9), 2])
      const unknown = yield* found(hash(8))
      assert.deepStrictEqual([unknown.chainHeight, unknown.utxos[0].height], [STATE.height, STATE.height - 1])
    }))
})

describe("the mempool by Bitcoin Core's REST", () => {
  it.effect("has its facts in JSON alone", () =>
    Effect.gen(function*() {
      const answers = { mempoolFacts: () => ({ ...EMPTY_MEMPOOL, count: 3, usage: 77 }) }
      const { size, usage } = yield* json("mempool/info.json", { answers })
      assert.deepStrictEqual([size, usage], [3, 77])
      assert.strictEqual((yield* asked("mempool/info.bin", { answers }))[0], 404)
    }))
})

describe("filters and headers of one block by Bitcoin Core's REST", () => {
  it.effect("ask the index for the filter of that block alone", () =>
    Effect.gen(function*() {
      const looked: Array<unknown> = []
      const answers = {
        indexes: () => [{ name: "basic block filter index", synced: true, bestBlockHeight: 3, lacksBlocks: false }],
        blockFilters: (input: unknown) => {
          looked.push(input)
          return [{ block: hash(9), filterHash: hash(1), header: hash(2), filter: Uint8Array.of(1) }]
        }
      }
      assert.strictEqual((yield* asked(`blockfilter/basic/${text(9)}.hex`, { answers }))[2], `00${text(9)}0101\n`)
      assert.deepStrictEqual(looked, [{ from: FACTS.height, stop: hash(9), most: 1 }])
    }))

  it.effect("end at a block that is in no active chain, whose filter was never made", () =>
    Effect.gen(function*() {
      const answers = {
        blockFacts: () => ({ ...FACTS, confirmations: -1 }),
        indexes: () => [{ name: "basic block filter index", synced: true, bestBlockHeight: 3, lacksBlocks: false }],
        blockFilters: () => []
      }
      assert.deepStrictEqual((yield* asked(`headers/1/${text(9)}.hex`, { answers }))[2], "\n")
      // It was connected once: its filter is missing, which is a fault of the index.
      assert.match((yield* asked(`blockfilter/basic/${text(9)}.hex`, { answers }))[2], /indicates index corruption/)
      assert.match(
        (yield* asked(`blockfilter/basic/${text(9)}.hex`, {
          answers: { ...answers, blockFacts: () => ({ ...FACTS, confirmations: -1, undo: undefined }) }
        }))[2],
        /was not connected to active chain/
      )
      assert.match(
        (yield* asked(`blockfilter/basic/${text(9)}.hex`, {
          answers: { ...answers, blockFacts: () => ({ ...FACTS, undo: undefined }) }
        }))[2],
        /indicates index corruption/
      )
    }))
})
