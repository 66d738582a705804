import type { BlockTemplate } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import type { FoundBlock } from "../stratum-v2/src/found-block.ts"
import { templateConnection } from "../stratum-v2/src/template-distribution/template-connection.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { blockTemplate } from "./block-template.ts"
import {
  ANYONE,
  coinbase,
  EXTRANONCE,
  output,
  outputsFor,
  pathOf,
  rootAbove,
  sha256d,
  spend
} from "./stratum-v2-coinbase.ts"

const payments = [1, 2, 3].map((value) => spend(Buffer.alloc(32, value), value))
const OUTPUTS = outputsFor(payments, 5_000_000_006, ANYONE)
const COMMITMENT = new Uint8Array(OUTPUTS[1]!.subarray(9))
const PATH = pathOf(payments.map(({ txid }) => txid))

const templateOn = (tip: number, change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    coinbase_value: 5_000_000_006,
    default_witness_commitment: COMMITMENT,
    transactions: payments.map(({ data, txid, wtxid }, i) => ({
      data,
      txid,
      wtxid,
      fee: i + 1,
      sigops: 10,
      weight: 400,
      depends: []
    })),
    ...change
  })

const CONSTRAINTS: MessageOf<"CoinbaseOutputConstraints"> = {
  _tag: "CoinbaseOutputConstraints",
  coinbase_output_max_additional_size: 100,
  coinbase_output_max_additional_sigops: 4
}

/** A client of templates, and what it was sent since the last look. */
const client = (first: BlockTemplate | "none" = templateOn(1)) => {
  let present = first === "none" ? undefined : first
  const sent: Array<Message> = []
  const found: Array<FoundBlock> = []
  const warned: Array<string> = []
  const role = templateConnection({
    jobs: { template: () => present },
    send: (message) => void sent.push(message),
    found: (block) => void found.push(block),
    warn: (text) => void warned.push(text)
  })
  return {
    role,
    found,
    warned,
    seen: (): ReadonlyArray<Message> => sent.splice(0),
    tags: (): ReadonlyArray<string> => sent.splice(0).map(({ _tag }) => _tag),
    give: (template: BlockTemplate, isNewTip: boolean) => {
      present = template
      role.newTemplate(isNewTip)
    }
  }
}

const requestOf = (template_id: bigint): Message => ({ _tag: "RequestTransactionData", template_id })

/** A solution of the template of tip 1, whose header is as good as regtest wants, or not. */
const solution = (template_id: bigint, isGood = true) => {
  const { prefix, suffix, txid } = coinbase({ height: 100, outputs: OUTPUTS })
  const extranonce = Buffer.alloc(EXTRANONCE, 5)
  const root = rootAbove(txid(extranonce), PATH)
  const headerOf = (nonce: number): Buffer => {
    const rest = Buffer.alloc(12)
    rest.writeUInt32LE(1_700_000_007, 0)
    rest.writeUInt32LE(0x207fffff, 4)
    rest.writeUInt32LE(nonce, 8)
    return Buffer.concat([Buffer.from("00200020", "hex"), Buffer.alloc(32, 1), root, rest])
  }
  let header_nonce = 0
  while ((sha256d(headerOf(header_nonce))[31]! < 0x7f) !== isGood) header_nonce++
  const coinbase_tx = Buffer.concat([prefix, extranonce, suffix])
  const message: MessageOf<"SubmitSolution"> = {
    _tag: "SubmitSolution",
    template_id,
    version: 0x20002000,
    header_timestamp: 1_700_000_007,
    header_nonce,
    coinbase_tx
  }
  return { message, header: headerOf(header_nonce), coinbase_tx }
}

describe("a client of the template distribution protocol", () => {
  it("is sent the present template once it says what it adds, as a future one, with its tip", () => {
    const { role, seen } = client()
    assert.isTrue(role.take(CONSTRAINTS))
    assert.deepStrictEqual(seen(), [
      {
        _tag: "NewTemplate",
        template_id: 1n,
        future_template: true,
        version: 0x20000000,
        coinbase_tx_version: 2,
        coinbase_prefix: Uint8Array.of(1, 100),
        coinbase_tx_input_sequence: 0xffff_ffff,
        coinbase_tx_value_remaining: 5_000_000_006n,
        coinbase_tx_outputs_count: 1,
        coinbase_tx_outputs: new Uint8Array(output(0, COMMITMENT)),
        coinbase_tx_locktime: 0,
        merkle_path: PATH.map((each) => new Uint8Array(each))
      },
      {
        _tag: "SetTemplatePrevHash",
        template_id: 1n,
        prev_hash: new Uint8Array(32).fill(1),
        header_timestamp: 1_700_000_000,
        nbits: 0x207fffff,
        target: new Uint8Array(Buffer.from(`${"00".repeat(29)}ffff7f`, "hex"))
      }
    ])
  })

  it("is sent no outputs before witnesses are in force", () => {
    const { role, seen } = client(templateOn(1, { default_witness_commitment: undefined, transactions: [] }))
    role.take(CONSTRAINTS)
    assert.deepInclude(seen()[0], {
      coinbase_tx_outputs_count: 0,
      coinbase_tx_outputs: new Uint8Array(),
      merkle_path: []
    })
  })

  it("is sent a template on the same tip without the tip, on another with it", () => {
    const { give, role, seen, tags } = client()
    role.take(CONSTRAINTS)
    seen()
    give(templateOn(1), false)
    const [same, ...more] = seen()
    assert.deepInclude(same, { _tag: "NewTemplate", template_id: 2n, future_template: false })
    assert.lengthOf(more, 0)
    give(templateOn(2), true)
    assert.deepStrictEqual(tags(), ["NewTemplate", "SetTemplatePrevHash"])
  })

  it("is sent a template again when it says anew what it adds, on the tip that it has", () => {
    const { role, seen, tags } = client()
    role.take(CONSTRAINTS)
    tags()
    assert.isTrue(role.take({ ...CONSTRAINTS, coinbase_output_max_additional_size: 200 }))
    const again = seen()
    assert.deepStrictEqual(again.map(({ _tag }) => _tag), ["NewTemplate"])
    assert.deepInclude(again[0], { template_id: 2n, future_template: false })
  })

  it("is sent its first template as one on a new tip where there was none before", () => {
    const { give, role, tags, warned } = client("none")
    assert.isTrue(role.take(CONSTRAINTS))
    assert.deepStrictEqual(tags(), [])
    give(templateOn(1), false)
    assert.deepStrictEqual(tags(), ["NewTemplate", "SetTemplatePrevHash"])
    assert.deepStrictEqual(warned, [])
  })

  it("is sent nothing before it says what it adds", () => {
    const { give, tags, warned } = client()
    give(templateOn(1), true)
    assert.deepStrictEqual([tags(), warned], [[], []])
  })

  it.each([
    ["size", { coinbase_output_max_additional_size: 1_000_000 }],
    ["signature operations", { coinbase_output_max_additional_sigops: 20_001 }]
  ])("is disconnected where a block has no room for the %s that it adds", (_, change) => {
    const { role, tags } = client()
    assert.isFalse(role.take({ ...CONSTRAINTS, ...change }))
    assert.deepStrictEqual(tags(), [])
  })

  it("stays where only a later template has no room, which is a warning", () => {
    const { give, role, tags, warned } = client()
    role.take(CONSTRAINTS)
    tags()
    give(templateOn(1, { weight_limit: 1_000 }), false)
    assert.deepStrictEqual(tags(), [])
    assert.deepStrictEqual(warned, ["a template has no room for what a client adds to the coinbase"])
  })

  it.each<Message>([
    requestOf(1n),
    solution(1n).message,
    { _tag: "CloseChannel", channel_id: 1, reason_code: "" }
  ])("is disconnected for $_tag before it says what it adds", (message) => {
    const { role, seen, warned } = client()
    assert.isFalse(role.take(message))
    assert.deepStrictEqual([seen(), warned], [[], []])
  })

  it("is disconnected for a message of another protocol", () => {
    const { role } = client()
    role.take(CONSTRAINTS)
    assert.isFalse(role.take({ _tag: "CloseChannel", channel_id: 1, reason_code: "" }))
  })
})

describe("the transactions of a template", () => {
  it("are sent to a client that asks for them", () => {
    const { role, seen } = client()
    role.take(CONSTRAINTS)
    seen()
    assert.isTrue(role.take(requestOf(1n)))
    assert.deepStrictEqual(seen(), [{
      _tag: "RequestTransactionData.Success",
      template_id: 1n,
      excess_data: new Uint8Array(),
      transaction_list: payments.map(({ data }) => data)
    }])
  })

  const codeOf = (role: ReturnType<typeof client>["role"], seen: () => ReadonlyArray<Message>, id: bigint) => {
    seen()
    assert.isTrue(role.take(requestOf(id)))
    const [answer] = seen()
    return answer?._tag === "RequestTransactionData.Error" ? answer.error_code : answer?._tag
  }

  it("are stale on the next tip, and not known on the one after it", () => {
    const { give, role, seen } = client()
    role.take(CONSTRAINTS)
    give(templateOn(1), false)
    const success = "RequestTransactionData.Success"
    const codes = () => [1n, 2n, 3n, 4n].map((id) => codeOf(role, seen, id))
    assert.deepStrictEqual(codes(), [success, success, "template-id-not-found", "template-id-not-found"])
    give(templateOn(2), true)
    assert.deepStrictEqual(codes(), ["stale-template-id", "stale-template-id", success, "template-id-not-found"])
    give(templateOn(3), true)
    assert.deepStrictEqual(codes(), [
      "template-id-not-found",
      "template-id-not-found",
      "stale-template-id",
      success
    ])
  })

  it("are those of the newest 32 templates", () => {
    const { give, role, seen } = client()
    role.take(CONSTRAINTS)
    for (let i = 0; i < 31; i++) give(templateOn(1), false)
    assert.strictEqual(codeOf(role, seen, 1n), "RequestTransactionData.Success")
    give(templateOn(1), false)
    assert.deepStrictEqual([1n, 2n, 33n].map((id) => codeOf(role, seen, id)), [
      "template-id-not-found",
      "RequestTransactionData.Success",
      "RequestTransactionData.Success"
    ])
  })

  it("are not known once the connection is over", () => {
    const { role, seen } = client()
    role.take(CONSTRAINTS)
    role.end()
    assert.strictEqual(codeOf(role, seen, 1n), "template-id-not-found")
  })
})

describe("a solution of a client of templates", () => {
  it("is a block of its coinbase and the transactions of the template, also when the tip has changed", () => {
    const { found, give, role, warned } = client()
    role.take(CONSTRAINTS)
    give(templateOn(2), true)
    const { coinbase_tx, header, message } = solution(1n)
    assert.isTrue(role.take(message))
    assert.deepStrictEqual(warned, [])
    assert.lengthOf(found, 1)
    const { block, finder, hash, height } = found[0]!
    assert.deepStrictEqual([finder, height], ["a client of templates", 100])
    assert.deepStrictEqual(Buffer.from(hash), sha256d(header))
    assert.deepStrictEqual(
      Buffer.from(block()),
      Buffer.concat([header, Buffer.of(4), coinbase_tx, ...payments.map(({ data }) => data)])
    )
  })

  it("without the proof of work of a block is a warning", () => {
    const { found, role, warned } = client()
    role.take(CONSTRAINTS)
    assert.isTrue(role.take(solution(1n, false).message))
    assert.deepStrictEqual([found, warned], [
      [],
      ["a solution of the template 1 has not the proof of work of a block"]
    ])
  })

  it("of a template that there is not is a warning", () => {
    const { found, role, warned } = client()
    role.take(CONSTRAINTS)
    assert.isTrue(role.take(solution(2n).message))
    assert.deepStrictEqual([found, warned], [
      [],
      ["a solution is of the template 2, which this server does not have"]
    ])
  })

  it("whose coinbase is no transaction ends the connection", () => {
    const { found, role, warned } = client()
    role.take(CONSTRAINTS)
    assert.isFalse(role.take({ ...solution(1n).message, coinbase_tx: Buffer.alloc(20) }))
    assert.deepStrictEqual([found, warned], [[], []])
  })
})
