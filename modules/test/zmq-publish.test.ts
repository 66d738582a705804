import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "vitest"
import { publish } from "../zmq/src/publish.ts"

/** A block and its transaction: the first of regtest. */
const BLOCK = NETWORKS.regtest.genesisBlock
const HASH = Uint8Array.from({ length: 32 }, (_, i) => i)
const SHOWN = HASH.toReversed()
const TXID = Buffer.from("4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", "hex")

type Step = Parameters<typeof publish>[2]

/** What is published of a step where so many topics are wanted. */
const published = async (step: Step, topics: ReadonlyArray<string>, hasBlock = true) => {
  const asked: Array<unknown> = []
  const sent: Array<ReadonlyArray<unknown>> = []
  const node = {
    ask: (name: string, { hash }: { readonly hash: Uint8Array }) => {
      asked.push([name, hash])
      return Promise.resolve({ value: hasBlock ? BLOCK : undefined })
    }
  }
  const to = {
    has: (...names: ReadonlyArray<string>) => names.some((name) => topics.includes(name)),
    tip: (...values: ReadonlyArray<unknown>) => void sent.push(["tip", ...values]),
    block: (...values: ReadonlyArray<unknown>) => void sent.push(["block", ...values]),
    transaction: (...values: ReadonlyArray<unknown>) => void sent.push(["transaction", ...values]),
    mempool: (...values: ReadonlyArray<unknown>) => void sent.push(["mempool", ...values])
  }
  await publish(node as never, to as never, step)
  return { asked, sent }
}

const tip = { _tag: "UpdatedTip", block_hash: HASH } as Step
const connectedBlock = { _tag: "BlockConnected", block_hash: HASH } as Step
const disconnectedBlock = { _tag: "BlockDisconnected", block_hash: HASH } as Step

describe("what the module zmq publishes", () => {
  it("of a new tip is its hash as people read it, and the block where that is wanted", async () => {
    assert.deepStrictEqual(await published(tip, ["hashblock"]), { asked: [], sent: [["tip", SHOWN, undefined]] })
    assert.deepStrictEqual(await published(tip, ["rawblock"]), {
      asked: [["GetBlock", HASH]],
      sent: [["tip", SHOWN, BLOCK]]
    })
  })

  it.each([["hashtx"], ["rawtx"]])("of a block are its transactions before it where %s is wanted", async (topic) => {
    for (const [step, letter] of [[connectedBlock, "C"], [disconnectedBlock, "D"]] as const) {
      const { asked, sent } = await published(step, [topic])
      assert.deepStrictEqual(asked, [["GetBlock", HASH]])
      assert.deepStrictEqual(sent.map(([what]) => what), ["transaction", "block"])
      const { bytes, txid } = sent[0]![1] as { readonly txid: Uint8Array; readonly bytes: Uint8Array }
      assert.deepStrictEqual(Buffer.from(txid), TXID)
      assert.deepStrictEqual(Buffer.from(bytes), Buffer.from(BLOCK.subarray(81)))
      assert.deepStrictEqual(sent[1], ["block", letter, SHOWN])
    }
  })

  it("of a block is its step alone where no transactions are wanted", async () => {
    assert.deepStrictEqual(await published(connectedBlock, ["sequence", "rawblock"]), {
      asked: [],
      sent: [["block", "C", SHOWN]]
    })
  })

  it("of a transaction is itself and its step with the number in the mempool, or its step alone when it goes", async () => {
    const bytes = Uint8Array.of(1, 2)
    const added = { _tag: "TransactionAdded", tx_hash: HASH, transaction: bytes, sequence: 5n } as unknown as Step
    assert.deepStrictEqual((await published(added, [])).sent, [
      ["transaction", { txid: SHOWN, bytes }],
      ["mempool", "A", SHOWN, 5n]
    ])
    const removed = { _tag: "TransactionRemoved", tx_hash: HASH, sequence: 6n } as unknown as Step
    assert.deepStrictEqual((await published(removed, ["rawtx"])).sent, [["mempool", "R", SHOWN, 6n]])
  })

  it("fails where the node does not have the block", async () => {
    const text = `the node has no block ${Buffer.from(SHOWN).toString("hex")}`
    for (const step of [tip, connectedBlock]) {
      const refused = await published(step, ["rawblock", "rawtx"], false).then(
        () => "",
        (error: Error) => error.message
      )
      assert.strictEqual(refused, text)
    }
  })
})
