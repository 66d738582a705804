import type { BlockTemplate } from "@lockstep/sdk"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { blockBytes, headerBytes } from "../mining/block.ts"
import { coinbaseOutputs, coinbaseParts, coinbaseWithWitness, outputBytes } from "../mining/coinbase.ts"
import { checkAddress, followTemplates } from "../mining/follow-templates.ts"
import { rootOf, solvedBlock } from "../mining/solved-block.ts"
import { difficultyOfTarget, targetOfDifficulty } from "../mining/target.ts"
import { nextDifficulty } from "../mining/vardiff.ts"
import { blockTemplate } from "./block-template.ts"
import { ANYONE, coinbase, output, rootAbove, sha256d, spend } from "./stratum-v2-coinbase.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const COMMITMENT = Uint8Array.from({ length: 38 }, (_, i) => i)

const template = (change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(1),
    default_witness_commitment: COMMITMENT,
    longpoll_id: "a",
    ...change
  })

describe("the bytes of a block that is mined", () => {
  const HEADER = {
    version: 0xfffffffe,
    previousHash: new Uint8Array(32).fill(2),
    merkleRoot: new Uint8Array(32).fill(3),
    time: 0x04030201,
    bits: 0x08070605,
    nonce: 0xffffffff
  }

  it("begin with version, parent, root, time, bits and nonce", () => {
    const whole = `feffffff${"02".repeat(32)}${"03".repeat(32)}0102030405060708ffffffff`
    assert.strictEqual(hex(headerBytes(HEADER)), whole)
    assert.strictEqual(hex(headerBytes({ ...HEADER, version: -2 })), whole)
  })

  it("have the coinbase first, with the witness that a commitment needs, and without one where there is none", () => {
    const stripped = Buffer.from("0200000001aabbcc00000000", "hex")
    const transactions = [{ data: Uint8Array.of(7) }, { data: Uint8Array.of(8) }]
    const header = headerBytes(HEADER)
    const witnessed = `02000000000101aabbcc0120${"00".repeat(32)}00000000`
    assert.strictEqual(hex(coinbaseWithWitness(stripped, { default_witness_commitment: COMMITMENT })), witnessed)
    assert.strictEqual(
      hex(blockBytes(header, stripped, { default_witness_commitment: COMMITMENT, transactions })),
      `${hex(header)}03${witnessed}0708`
    )
    assert.strictEqual(
      hex(blockBytes(header, stripped, { default_witness_commitment: undefined, transactions: [] })),
      `${hex(header)}010200000001aabbcc00000000`
    )
  })

  it("have outputs with value, length and script, their number before them", () => {
    assert.strictEqual(hex(outputBytes(0x0102030405, Uint8Array.of(0x51))), "05040302010000000151")
    assert.strictEqual(
      hex(coinbaseOutputs(template(), ANYONE)),
      `02${hex(output(5_000_000_000, ANYONE))}${hex(output(0, COMMITMENT))}`
    )
    assert.strictEqual(
      hex(coinbaseOutputs(template({ default_witness_commitment: undefined }), ANYONE)),
      `01${hex(output(5_000_000_000, ANYONE))}`
    )
  })

  it("have a coinbase with the height and a push of what miners change", () => {
    const { after, before } = coinbaseParts(template({ height: 300 }), ANYONE, 12)
    assert.strictEqual(hex(before), `0200000001${"00".repeat(32)}ffffffff10022c010c`)
    assert.strictEqual(hex(after), `ffffffff${hex(coinbaseOutputs(template(), ANYONE))}00000000`)
  })

  it("are those of a solution, whose hash is that of the header", () => {
    const [one, other] = [spend(Buffer.alloc(32, 1), 1), spend(Buffer.alloc(32, 2), 2)]
    const outputs = [output(5_000_000_000, ANYONE), output(0, COMMITMENT)]
    const { prefix, suffix, txid } = coinbase({ height: 100, outputs, script: Buffer.of(1, 100, 16) })
    const work = {
      template: { ...template(), transactions: [one, other] },
      coinbase: coinbaseParts(template(), ANYONE, 16),
      branch: [one.txid, sha256d(Buffer.concat([other.txid, other.txid]))]
    }
    const extranonce = Buffer.alloc(16, 9)
    const root = rootAbove(txid(extranonce), work.branch)
    assert.deepStrictEqual(Buffer.from(rootOf(work, extranonce)), root)
    const { block, hash, value } = solvedBlock(work, { extranonce, time: 5, nonce: 6, version: 7 })
    const header = headerBytes({
      version: 7,
      previousHash: new Uint8Array(32).fill(1),
      merkleRoot: root,
      time: 5,
      bits: 0x207fffff,
      nonce: 6
    })
    assert.deepStrictEqual(Buffer.from(hash), sha256d(header))
    assert.strictEqual(value, BigInt(`0x${hex(hash.toReversed())}`))
    assert.strictEqual(
      hex(block()),
      hex(Buffer.concat([header, Buffer.of(3), prefix, extranonce, suffix, one.data, other.data]))
    )
  })
})

describe("a target", () => {
  it.each([
    [1, `ffff${"0".repeat(52)}`],
    [0.5, `1fffe${"0".repeat(52)}`],
    [65_535, `1${"0".repeat(52)}`],
    [2 ** -40, `${"f".repeat(64)}`]
  ])("of the difficulty %d", (difficulty, expected) => {
    assert.strictEqual(targetOfDifficulty(difficulty).toString(16), expected)
  })

  it("has its difficulty, to forty digits behind the point", () => {
    assert.strictEqual(difficultyOfTarget(0xffffn << 208n), 1)
    assert.strictEqual(difficultyOfTarget(0xffffn << 209n), 0.5)
    assert.strictEqual(difficultyOfTarget(0xffffn << 248n), 2 ** -40)
    assert.strictEqual(difficultyOfTarget(0xffffn << 249n), 0)
  })
})

describe("the pace of a miner", () => {
  const RULES = { shareSeconds: 10, least: 1 }
  it.each([
    ["is judged after twelve shares", 100, 12, 60, 200],
    ["is not judged after eleven shares", 100, 11, 55, undefined],
    ["is judged after twelve intervals", 100, 4, 120, 100 / 3],
    ["is not judged before twelve intervals", 100, 4, 119.9, undefined],
    ["is well one and a half times too fast at most", 100, 18, 120.1, undefined],
    ["is too fast from one and a half times on", 100, 18, 120, 150],
    ["is too slow from two thirds on", 90, 8, 120, 60],
    ["is well above two thirds", 90, 9, 120, undefined],
    ["without a share counts as half a one", 100, 0, 120, 25],
    ["of shares in no time rises by the factor 4", 100, 12, 0, 400]
  ])("%s", (_, current, shares, seconds, expected) => {
    const next = nextDifficulty(RULES, current, shares, seconds)
    if (expected === undefined || next === undefined) assert.strictEqual(next, expected)
    else assert.approximately(next, expected, 1e-9)
  })
})

const RULES = ["segwit", "signet", "taproot"]
const ASKED = { rules: RULES, coinbase_script: undefined, coinbase_address: "addr" }

type Asked = readonly [name: string, request: unknown]

/** A node that answers requests with what a test says, one after another. */
const nodeOf = (answers: ReadonlyArray<BlockTemplate | string>) => {
  const left = [...answers]
  const asked: Array<Asked> = []
  const logged: Array<string> = []
  const node = {
    ask: (name: string, request: unknown) => {
      asked.push([name, request])
      const answer = left.shift()!
      return typeof answer === "string" ? Promise.reject(new Error(answer)) : Promise.resolve({ value: answer })
    },
    log: (level: string, text: string) => void logged.push(`${level}: ${text}`)
  }
  return { asked, left, logged, node: node as never }
}

describe("the address that blocks pay to", () => {
  it("is checked by asking for a template", async () => {
    const { asked, node } = nodeOf([template()])
    await checkAddress(node, "addr")
    assert.deepStrictEqual(asked, [["GetBlockTemplate", ASKED]])
  })

  it("is refused where the node says that it is none, not where there is no template yet", async () => {
    const refused = await checkAddress(nodeOf(["addr is no address of this network"]).node, "addr").then(
      () => "",
      (error: Error) => error.message
    )
    assert.strictEqual(refused, "the setting payout_address is wrong: addr is no address of this network")
    await checkAddress(nodeOf(["the node is in its initial download"]).node, "addr")
  })
})

describe("templates that are followed", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  const followed = async (answers: ReadonlyArray<BlockTemplate | string>) => {
    const at = nodeOf(answers)
    const taken: Array<BlockTemplate> = []
    const following = followTemplates(
      { node: at.node, address: "addr", refreshSeconds: 20, take: (each) => void taken.push(each) },
      () => at.left.length === 0
    )
    return { ...at, following, taken }
  }

  it("are taken where the transactions or their fees are others, and asked for by the last one", async () => {
    const answers = [
      template(),
      template(),
      template({ longpoll_id: "b" }),
      template({ longpoll_id: "b", coinbase_value: 5_000_000_001 })
    ]
    const { asked, following, logged, taken } = await followed(answers)
    await following
    assert.deepStrictEqual(taken, [answers[0], answers[2], answers[3]])
    const wait = (longpoll_id: string): Asked => [
      "WaitForBlockTemplate",
      { ...ASKED, longpoll_id, timeout_seconds: 20 }
    ]
    assert.deepStrictEqual(asked, [["GetBlockTemplate", ASKED], wait("a"), wait("a"), wait("b")])
    assert.deepStrictEqual(logged, [])
  })

  it("are asked for again five seconds after a refusal, which is logged once until it is another", async () => {
    const { asked, following, logged } = await followed(["no", "no", "busy", template(), "busy", "no", template()])
    const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
    await settled()
    assert.lengthOf(asked, 1)
    vi.advanceTimersByTime(4_999)
    await settled()
    assert.lengthOf(asked, 1)
    vi.advanceTimersByTime(1)
    await settled()
    assert.lengthOf(asked, 2)
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(5_000)
      await settled()
    }
    await following
    assert.deepStrictEqual(
      logged,
      ["no", "busy", "busy", "no"].map((each) => `Warn: there is no block template: ${each}`)
    )
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("are followed no more after a refusal that is the end, which is not logged", async () => {
    const { following, logged } = await followed([template(), "the connection is over"])
    await following
    assert.deepStrictEqual([logged, vi.getTimerCount()], [[], 0])
  })
})
