import type { BlockTemplate } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import type { FoundBlock } from "../stratum-v2/src/found-block.ts"
import { declarationConnection } from "../stratum-v2/src/job-declaration/declaration-connection.ts"
import { openDeclaredJobs } from "../stratum-v2/src/job-declaration/declared-jobs.ts"
import { openKnownTransactions } from "../stratum-v2/src/job-declaration/known-transactions.ts"
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
const OUTPUTS = outputsFor(payments, 5_000_000_000, ANYONE)
const COINBASE = coinbase({ height: 100, outputs: OUTPUTS })
const BITS = 0x207fffff

const templateOn = (tip: number, change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    bits: BITS,
    default_witness_commitment: new Uint8Array(OUTPUTS[1]!.subarray(9)),
    ...change
  })

/** A client that declares jobs. The node that judges them answers when a test lets it. */
const client = ({ known: isKnown = true, first = templateOn(1) as BlockTemplate | "none" } = {}) => {
  let present = first === "none" ? undefined : first
  const sent: Array<Message> = []
  const found: Array<FoundBlock> = []
  const warned: Array<string> = []
  const proposed: Array<{ readonly block: Uint8Array; readonly judge: (reason?: string) => void }> = []
  const declared = openDeclaredJobs()
  const known = openKnownTransactions()
  if (isKnown) known.add(payments)
  const role = declarationConnection({
    jobs: { template: () => present },
    declared,
    known,
    send: (message) => void sent.push(message),
    propose: (block) => new Promise((judge) => void proposed.push({ block, judge })),
    found: (block) => void found.push(block),
    warn: (text) => void warned.push(text)
  })
  const seen = (): ReadonlyArray<Message> => sent.splice(0)
  const one = <N extends Message["_tag"]>(name: N): MessageOf<N> => {
    const [message, ...more] = seen()
    assert.deepStrictEqual([message?._tag, more], [name, []])
    return message as never
  }
  const token = (request_id = 7): Uint8Array => {
    assert.isTrue(role.take({ _tag: "AllocateMiningJobToken", user_identifier: "", request_id }))
    return one("AllocateMiningJobToken.Success").mining_job_token
  }
  const declare = (change: Partial<MessageOf<"DeclareMiningJob">> = {}): void => {
    const mining_job_token = change.mining_job_token ?? token()
    assert.isTrue(role.take({
      _tag: "DeclareMiningJob",
      request_id: 5,
      version: 0x20000000,
      coinbase_tx_prefix: new Uint8Array(COINBASE.prefix),
      coinbase_tx_suffix: new Uint8Array(COINBASE.suffix),
      wtxid_list: payments.map(({ wtxid }) => new Uint8Array(wtxid)),
      excess_data: new Uint8Array(),
      ...change,
      mining_job_token
    }))
  }
  const refusal = (): readonly [id: number, code: string, details: string] => {
    const { error_code, error_details, request_id } = one("DeclareMiningJob.Error")
    return [request_id, error_code, Buffer.from(error_details).toString()]
  }
  /** The verdict on the oldest proposal that has none; nothing: it is good. */
  const judge = async (reason?: string): Promise<void> => {
    proposed.shift()!.judge(reason)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  const accepted = async (change: Partial<MessageOf<"DeclareMiningJob">> = {}): Promise<Uint8Array> => {
    declare(change)
    await judge()
    return one("DeclareMiningJob.Success").new_mining_job_token
  }
  const give = (template: BlockTemplate, isNewTip: boolean): void => {
    present = template
    role.newTemplate(isNewTip)
  }
  return { accepted, declare, declared, found, give, judge, known, one, proposed, refusal, role, seen, token, warned }
}

const allocate = (request_id: number): Message => ({ _tag: "AllocateMiningJobToken", user_identifier: "", request_id })

describe("a token for a declaration", () => {
  it("comes with the output that is to be paid to, and is another each time", () => {
    const { one, role } = client()
    role.take(allocate(9))
    const { coinbase_tx_outputs, mining_job_token, request_id } = one("AllocateMiningJobToken.Success")
    assert.deepStrictEqual([request_id, mining_job_token.length], [9, 16])
    assert.deepStrictEqual(Buffer.from(coinbase_tx_outputs), Buffer.concat([Buffer.of(1), output(0, ANYONE)]))
    role.take(allocate(9))
    assert.notDeepEqual(one("AllocateMiningJobToken.Success").mining_job_token, mining_job_token)
  })

  it("waits for the first template; the 33rd that waits ends the connection", () => {
    const { give, role, seen } = client({ first: "none" })
    for (let id = 1; id <= 32; id++) assert.isTrue(role.take(allocate(id)))
    assert.isFalse(role.take(allocate(33)))
    assert.deepStrictEqual(seen(), [])
    give(templateOn(1), false)
    const ids = seen().map((each) => each._tag === "AllocateMiningJobToken.Success" ? each.request_id : each._tag)
    assert.deepStrictEqual(ids, Array.from({ length: 33 }, (_, i) => i + 1))
    give(templateOn(2), true)
    assert.deepStrictEqual(seen(), [])
  })

  it("counts once, whatever comes of its declaration", async () => {
    const { declare, proposed, refusal, token } = client()
    const mining_job_token = token()
    declare({ mining_job_token })
    assert.lengthOf(proposed, 1)
    declare({ mining_job_token, request_id: 6 })
    const spent = [6, "invalid-mining-job-token", "there is no such token, or it is spent"] as const
    assert.deepStrictEqual(refusal(), spent)
    declare({ mining_job_token: new Uint8Array(16), request_id: 6 })
    assert.deepStrictEqual(refusal(), spent)
    assert.lengthOf(proposed, 1)
  })

  it("is one of the newest 32 of its client", () => {
    const { declare, proposed, refusal, token } = client()
    const tokens = Array.from({ length: 33 }, () => token())
    declare({ mining_job_token: tokens[0]! })
    assert.strictEqual(refusal()[1], "invalid-mining-job-token")
    declare({ mining_job_token: tokens[1]! })
    assert.lengthOf(proposed, 1)
  })
})

describe("a declaration", () => {
  it("of known transactions is judged as a block, and is a job for all where that is good", async () => {
    const { declare, declared, judge, one, proposed } = client()
    declare()
    const root = rootAbove(COINBASE.txid(Buffer.alloc(EXTRANONCE)), pathOf(payments.map(({ txid }) => txid)))
    const header = Buffer.concat([
      Buffer.from("00000020", "hex"),
      Buffer.alloc(32, 1),
      root,
      Buffer.from("00f15365ffff7f2000000000", "hex")
    ])
    const whole = Buffer.concat([COINBASE.prefix, Buffer.alloc(EXTRANONCE), COINBASE.suffix])
    assert.deepStrictEqual(
      Buffer.from(proposed[0]!.block),
      Buffer.concat([header, Buffer.of(4), whole, ...payments.map(({ data }) => data)])
    )
    await judge()
    const { new_mining_job_token, request_id } = one("DeclareMiningJob.Success")
    assert.strictEqual(request_id, 5)
    const job = declared.find(new_mining_job_token)!
    assert.deepInclude(job.template, { height: 100, version: 0x20000000, transactions: payments })
    assert.deepStrictEqual(job.branch.map((each) => Buffer.from(each)), pathOf(payments.map(({ txid }) => txid)))
    assert.strictEqual(job.target.toString(16), `7fffff${"0".repeat(58)}`)
  })

  it.each([
    ["bad-cb-amount", "invalid-job", "bad-cb-amount"],
    ["inconclusive-not-best-prevblk", "stale-chain-tip", "the tip has changed"]
  ])("that the node rejects as %s is refused as %s", async (reason, code, details) => {
    const { declare, judge, refusal } = client()
    declare()
    await judge(reason)
    assert.deepStrictEqual(refusal(), [5, code, details])
  })

  it("is refused where two others are not judged yet, and taken once one is", async () => {
    const { declare, judge, one, proposed, refusal } = client()
    declare({ request_id: 1 })
    declare({ request_id: 2 })
    declare({ request_id: 3 })
    assert.deepStrictEqual(refusal(), [3, "too-many-declarations", "others are not judged yet"])
    await judge("no")
    assert.deepStrictEqual(refusal(), [1, "invalid-job", "no"])
    declare({ request_id: 4 })
    await judge()
    assert.strictEqual(one("DeclareMiningJob.Success").request_id, 2)
    assert.lengthOf(proposed, 1)
    declare({ request_id: 5 })
    declare({ request_id: 6 })
    assert.strictEqual(refusal()[1], "too-many-declarations")
  })

  it("counts among them while it lacks transactions, and is refused under the number of such a one", () => {
    const { declare, one, refusal } = client({ known: false })
    declare({ request_id: 1 })
    one("ProvideMissingTransactions")
    declare({ request_id: 1 })
    assert.deepStrictEqual(refusal(), [1, "too-many-declarations", "others are not judged yet"])
    declare({ request_id: 2 })
    one("ProvideMissingTransactions")
    declare({ request_id: 3 })
    assert.strictEqual(refusal()[1], "too-many-declarations")
  })

  const NOT_AROUND = "this is no coinbase around 16 bytes of extranonce"
  const PAYS_OTHERS = "the coinbase must pay everything to the first output of the token"
  const other = coinbase({ height: 100, outputs: [output(1, ANYONE), output(1, Buffer.of(0x51))] })
  const nothing = coinbase({ height: 100, outputs: [output(0, ANYONE)] })
  const twice = payments.map(() => new Uint8Array(payments[0]!.wtxid))
  it.each<readonly [string, string, string, Partial<MessageOf<"DeclareMiningJob">>]>([
    ["bytes that are no transaction", "coinbase_tx_prefix", NOT_AROUND, { coinbase_tx_prefix: new Uint8Array(3) }],
    [
      "an extranonce before the script",
      "coinbase_tx_prefix",
      NOT_AROUND,
      {
        coinbase_tx_prefix: new Uint8Array(COINBASE.prefix.subarray(0, 5)),
        coinbase_tx_suffix: new Uint8Array(Buffer.concat([
          COINBASE.prefix.subarray(5 + EXTRANONCE),
          Buffer.alloc(EXTRANONCE),
          COINBASE.suffix
        ]))
      }
    ],
    ["another output with a value", "coinbase_tx_suffix", PAYS_OTHERS, {
      coinbase_tx_suffix: new Uint8Array(other.suffix)
    }],
    ["no output with a value", "coinbase_tx_suffix", PAYS_OTHERS, {
      coinbase_tx_suffix: new Uint8Array(nothing.suffix)
    }],
    ["a transaction that is there twice", "wtxid_list", "a transaction is there twice", { wtxid_list: twice }]
  ])("with %s is refused for its %s", (_, field, details, change) => {
    const { declare, proposed, refusal } = client()
    declare(change)
    assert.deepStrictEqual(refusal(), [5, `invalid-job-param-value-${field}`, details])
    assert.lengthOf(proposed, 0)
  })

  it("is answered no more once the connection is over, and what it declared before is no job any longer", async () => {
    const { accepted, declare, declared, judge, role, seen } = client()
    const token = await accepted()
    assert.isDefined(declared.find(token))
    declare()
    role.end()
    assert.isUndefined(declared.find(token))
    await judge()
    assert.deepStrictEqual(seen(), [])
  })

  it("is one of the newest 32 jobs of its client", async () => {
    const { accepted, declared } = client()
    const tokens: Array<Uint8Array> = []
    for (let i = 0; i < 32; i++) tokens.push(await accepted())
    assert.isDefined(declared.find(tokens[0]!))
    tokens.push(await accepted())
    assert.deepStrictEqual([0, 1, 32].map((i) => declared.find(tokens[i]!) !== undefined), [false, true, true])
  })

  it("is no message for a server of declarations: what only it sends", () => {
    const { role } = client()
    assert.isFalse(
      role.take({ _tag: "DeclareMiningJob.Success", request_id: 1, new_mining_job_token: new Uint8Array() })
    )
  })
})

describe("a declaration with transactions that are not known", () => {
  const provided = (request_id: number, list: ReadonlyArray<Uint8Array>): Message => ({
    _tag: "ProvideMissingTransactions.Success",
    request_id,
    transaction_list: list
  })

  it("asks for them by their places, is judged with them, and they are known from then on", async () => {
    const { accepted, declare, judge, known, one, proposed, role, seen } = client({ known: false })
    known.add([payments[1]!])
    declare()
    assert.deepStrictEqual(one("ProvideMissingTransactions"), {
      _tag: "ProvideMissingTransactions",
      request_id: 5,
      unknown_tx_position_list: [0, 2]
    })
    assert.isTrue(role.take(provided(5, [payments[0]!.data, payments[2]!.data])))
    assert.isUndefined(known.find(payments[0]!.wtxid))
    assert.include(
      Buffer.from(proposed[0]!.block).toString("hex"),
      Buffer.concat(payments.map(({ data }) => data)).toString("hex")
    )
    await judge()
    one("DeclareMiningJob.Success")
    assert.deepStrictEqual(Buffer.from(known.find(payments[0]!.wtxid)!.txid), payments[0]!.txid)
    await accepted()
    assert.deepStrictEqual(seen(), [])
  })

  it.each<readonly [string, ReadonlyArray<Uint8Array>]>([
    ["3 transactions are missing, and 2 came", payments.slice(1).map(({ data }) => data)],
    ["3 transactions are missing, and 4 came", [...payments, payments[0]!].map(({ data }) => data)],
    ["the transaction 0 that came has not this id", payments.toReversed().map(({ data }) => data)],
    ["the transaction 1 that came has not this id", [payments[0]!.data, Buffer.of(1), payments[2]!.data]]
  ])("is refused: %s", (details, list) => {
    const { declare, one, proposed, refusal, role, seen } = client({ known: false })
    declare()
    one("ProvideMissingTransactions")
    assert.isTrue(role.take(provided(5, list)))
    assert.deepStrictEqual(refusal(), [5, "invalid-job-param-value-wtxid_list", details])
    assert.lengthOf(proposed, 0)
    // It is over: the same again is passed over.
    assert.isTrue(role.take(provided(5, payments.map(({ data }) => data))))
    assert.deepStrictEqual([seen(), proposed.length], [[], 0])
  })

  it("is stale on the next tip, not on a template of the same one, and what comes for it then is passed over", () => {
    const { declare, give, one, proposed, refusal, role, seen } = client({ known: false })
    declare()
    one("ProvideMissingTransactions")
    give(templateOn(1), false)
    assert.deepStrictEqual(seen(), [])
    give(templateOn(2), true)
    assert.deepStrictEqual(refusal(), [5, "stale-chain-tip", "the tip has changed"])
    assert.isTrue(role.take(provided(5, payments.map(({ data }) => data))))
    assert.deepStrictEqual([seen(), proposed.length], [[], 0])
  })
})

describe("a pushed solution", () => {
  const EXTRA = Buffer.alloc(EXTRANONCE, 3)
  const headerOf = (nonce: number): Buffer => {
    const rest = Buffer.alloc(12)
    rest.writeUInt32LE(1_700_000_009, 0)
    rest.writeUInt32LE(BITS, 4)
    rest.writeUInt32LE(nonce, 8)
    const root = rootAbove(COINBASE.txid(EXTRA), pathOf(payments.map(({ txid }) => txid)))
    return Buffer.concat([Buffer.from("00200020", "hex"), Buffer.alloc(32, 1), root, rest])
  }
  const nonceOf = (isGood: boolean): number => {
    let nonce = 0
    while ((sha256d(headerOf(nonce))[31]! < 0x7f) !== isGood) nonce++
    return nonce
  }
  const solution = (nonce = nonceOf(true)): MessageOf<"PushSolution"> => ({
    _tag: "PushSolution",
    extranonce: new Uint8Array(EXTRA),
    prev_hash: new Uint8Array(32).fill(1),
    nonce,
    ntime: 1_700_000_009,
    nbits: BITS,
    version: 0x20002000
  })

  it("is the block of the declared job with which it has the proof of work", async () => {
    const { accepted, found, role, warned } = client()
    await accepted()
    assert.isTrue(role.take(solution()))
    assert.deepStrictEqual(warned, [])
    const header = headerOf(nonceOf(true))
    const { block, finder, hash, height } = found[0]!
    assert.deepStrictEqual([finder, height], ["a client of job declaration", 100])
    assert.deepStrictEqual(Buffer.from(hash), sha256d(header))
    const whole = Buffer.concat([COINBASE.prefix, EXTRA, COINBASE.suffix])
    assert.deepStrictEqual(
      Buffer.from(block()),
      Buffer.concat([header, Buffer.of(4), whole, ...payments.map(({ data }) => data)])
    )
  })

  it.each<readonly [string, Partial<MessageOf<"PushSolution">>]>([
    ["without proof of work", { nonce: nonceOf(false) }],
    ["on another tip", { prev_hash: new Uint8Array(32).fill(2) }],
    ["of other bits", { nbits: BITS - 1 }],
    ["with another extranonce", { extranonce: new Uint8Array(EXTRANONCE - 1) }]
  ])("%s is a warning", async (_, change) => {
    const { accepted, found, role, warned } = client()
    await accepted()
    assert.isTrue(role.take({ ...solution(), ...change }))
    assert.deepStrictEqual([found, warned], [[], ["a pushed solution is of no declared job"]])
  })
})
