import { coinbase, EXTRANONCE, output, rootAbove } from "@lockstep/modules/test-coinbase-v2"
import { extendedRoot, type ScriptedMiner, scriptedMiner, solvedNonce } from "@lockstep/modules/test-miner-v2"
import { createBase58check } from "@scure/base"
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { loadWitness } from "./witness-module.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"
import {
  allocated,
  declarable,
  declare,
  mineCoins,
  type Mined,
  nonceFor,
  payment,
  refusalOf
} from "./stratum-v2-roles.ts"

/** An address of regtest. */
const PAYOUT = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"

const EASIEST = new Uint8Array(32).fill(0xff)

const SETUP = {
  _tag: "SetupConnection",
  protocol: 0,
  min_version: 2,
  max_version: 2,
  flags: 0,
  endpoint_host: "127.0.0.1",
  endpoint_port: 0,
  vendor: "test",
  hardware_version: "",
  firmware: "",
  device_id: ""
} as const

const CONSTRAINTS = {
  _tag: "CoinbaseOutputConstraints",
  coinbase_output_max_additional_size: 100,
  coinbase_output_max_additional_sigops: 4
} as const

let running: NodeWithModules
let mined: Mined
let port: number
let authority: Uint8Array
const miners: Array<ScriptedMiner> = []

const height = async (): Promise<number> => await running.call("getblockcount") as number

/** A miner that is set up. */
const connected = async (flags: number, protocol = 0): Promise<ScriptedMiner> => {
  const miner = await scriptedMiner(port, authority)
  miners.push(miner)
  miner.send({ ...SETUP, flags, protocol })
  assert.strictEqual((await miner.next("SetupConnection.Success")).used_version, 2)
  return miner
}

const open = { request_id: 5, user_identity: "worker", nominal_hash_rate: 0, max_target: EASIEST } as const

describe.runIf(process.platform === "linux")("the module stratum-v2", () => {
  beforeAll(async () => {
    port = await freePort()
    running = await nodeWithModules({
      "stratum-v2": [
        "least_difficulty = 0.000000001",
        "refresh_seconds = 1",
        "job_declaration = true",
        "template_distribution = true",
        `payout_address = "${PAYOUT}"`
      ].join("\n")
    }, [`[stratum_v2]\nenabled = true\nlisten_addr = "127.0.0.1:${port}"`])
    assert.strictEqual((await running.status("stratum-v2")).status, "loaded", running.log())
    const info = await running.call("getstratumv2info") as { readonly authority: string }
    const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()
    mined = await mineCoins(running)
    authority = createBase58check(sha256).decode(info.authority).subarray(2)
  }, patience(120_000))

  afterAll(async () => {
    for (const { end } of miners) end()
    await running.stop()
  })

  it("vouches for itself with the key that it names, and for no other", async () => {
    const other = authority.map((byte, i) => i === 31 ? byte ^ 1 : byte)
    const refused = await scriptedMiner(port, other).then(() => "none", ({ message }: Error) => message)
    assert.include(refused, "does not vouch")
  })

  it("serves a miner with standard jobs, which finds a block", async () => {
    const miner = await connected(1)
    miner.send({ _tag: "OpenStandardMiningChannel", ...open })
    const { channel_id } = await miner.next("OpenStandardMiningChannel.Success")
    const job = await miner.next("NewMiningJob")
    assert.isUndefined(job.min_ntime, "the first job is a future one")
    const tip = await miner.next("SetNewPrevHash")
    assert.strictEqual(tip.job_id, job.job_id)
    const time = tip.min_ntime
    const share = (isGood: boolean) => ({
      _tag: "SubmitSharesStandard" as const,
      channel_id,
      sequence_number: 1,
      job_id: job.job_id,
      nonce: solvedNonce(tip, { root: job.merkle_root, time, version: job.version }, isGood),
      ntime: time,
      version: job.version
    })
    const before = await height()
    miner.send({ ...share(true), channel_id: 99 })
    assert.strictEqual((await miner.next("SubmitShares.Error")).error_code, "invalid-channel-id")
    miner.send({ ...share(true), ntime: 1 })
    assert.strictEqual((await miner.next("SubmitShares.Error")).error_code, "invalid-ntime")
    miner.send(share(true))
    assert.strictEqual((await miner.next("SubmitShares.Success")).last_sequence_number, 1)
    await running.until(async () => await height() === before + 1)
    const next = await miner.next("NewMiningJob")
    assert.strictEqual((await miner.next("SetNewPrevHash")).job_id, next.job_id)
    miner.send(share(true))
    assert.strictEqual((await miner.next("SubmitShares.Error")).error_code, "stale-share")
  })

  it("serves a proxy with extended jobs to its group, and rolls version and extranonce", async () => {
    const proxy = await connected(4)
    proxy.send({ _tag: "OpenExtendedMiningChannel", ...open, min_extranonce_size: 9 })
    assert.strictEqual((await proxy.next("OpenMiningChannel.Error")).error_code, "min-extranonce-size-too-large")
    proxy.send({ _tag: "OpenExtendedMiningChannel", ...open, min_extranonce_size: 8 })
    const { channel_id, extranonce_prefix, extranonce_size, group_channel_id } = await proxy.next(
      "OpenExtendedMiningChannel.Success"
    )
    const job = await proxy.next("NewExtendedMiningJob")
    const tip = await proxy.next("SetNewPrevHash")
    const extranonce = new Uint8Array(extranonce_size).fill(3)
    const version = (job.version & ~0x1fffe000) | 0x00004000
    const root = extendedRoot(job, Buffer.concat([extranonce_prefix, extranonce]))
    const nonce = solvedNonce(tip, { root, time: tip.min_ntime, version })
    const share = {
      channel_id,
      sequence_number: 7,
      job_id: job.job_id,
      nonce,
      ntime: tip.min_ntime,
      version,
      extranonce
    }
    const before = await height()
    proxy.send({ _tag: "SubmitSharesExtended", ...share, extranonce: extranonce.subarray(1) })
    assert.strictEqual((await proxy.next("SubmitShares.Error")).error_code, "bad-extranonce-size")
    proxy.send({ _tag: "SubmitSharesExtended", ...share, version: version ^ 1 })
    assert.strictEqual((await proxy.next("SubmitShares.Error")).error_code, "invalid-version")
    proxy.send({ _tag: "SubmitSharesExtended", ...share })
    assert.strictEqual((await proxy.next("SubmitShares.Success")).last_sequence_number, 7)
    await running.until(async () => await height() === before + 1)
    const next = await proxy.next("NewExtendedMiningJob")
    assert.deepStrictEqual([next.channel_id, next.min_ntime], [group_channel_id, undefined])
    assert.strictEqual((await proxy.next("SetNewPrevHash")).channel_id, group_channel_id)
    proxy.send({ _tag: "UpdateChannel", channel_id, nominal_hash_rate: 1e15, maximum_target: EASIEST })
    const { maximum_target } = await proxy.next("SetTarget")
    assert.strictEqual(maximum_target[31], 0, "a faster miner gets a harder target")
  })

  it("publishes what miners do", async () => {
    const types = ["StratumClientConnected", "StratumClientDisconnected", "MiningJobCreated", "ShareSubmitted"] as const
    const isWitnessed = await loadWitness(running, types)
    const miner = await connected(1)
    miner.send({ _tag: "OpenStandardMiningChannel", ...open })
    const { channel_id } = await miner.next("OpenStandardMiningChannel.Success")
    const { job_id, merkle_root: root, version } = await miner.next("NewMiningJob")
    const tip = await miner.next("SetNewPrevHash")
    const { min_ntime: time } = tip
    const nonce = solvedNonce(tip, { root, time, version })
    miner.send({ _tag: "SubmitSharesStandard", channel_id, sequence_number: 1, job_id, nonce, ntime: time, version })
    await miner.next("SubmitShares.Success")
    miner.end()
    await running.until(() => types.every(isWitnessed))
  })

  it("distributes templates, and submits the block that a client makes of one", async () => {
    const [client, sent] = [await connected(0, 2), payment(mined)]
    client.send(CONSTRAINTS)
    const first = await client.next("NewTemplate")
    assert.isTrue(first.future_template)
    const tip = await client.next("SetTemplatePrevHash")
    assert.strictEqual(tip.template_id, first.template_id)
    await running.call("sendrawtransaction", sent.data.toString("hex"))
    const second = await client.next("NewTemplate")
    assert.deepStrictEqual([second.future_template, second.template_id > first.template_id], [false, true])
    assert.strictEqual(second.coinbase_tx_value_remaining, first.coinbase_tx_value_remaining + 10_000n)
    client.send({ _tag: "RequestTransactionData", template_id: second.template_id })
    const { transaction_list } = await client.next("RequestTransactionData.Success")
    assert.deepStrictEqual(transaction_list.map((each) => Buffer.from(each)), [sent.data])
    client.send({ _tag: "RequestTransactionData", template_id: 99n })
    assert.strictEqual((await client.next("RequestTransactionData.Error")).error_code, "template-id-not-found")

    const { prefix, suffix, txid } = coinbase({
      height: await height() + 1,
      script: second.coinbase_prefix,
      outputs: [output(second.coinbase_tx_value_remaining, Uint8Array.of(0x51)), second.coinbase_tx_outputs]
    })
    const extranonce = Buffer.alloc(EXTRANONCE, 4)
    const { header_timestamp: time } = tip
    const solution = (isGood: boolean) => ({
      _tag: "SubmitSolution" as const,
      template_id: second.template_id,
      version: second.version,
      header_timestamp: time,
      header_nonce: solvedNonce(
        { ...tip, _tag: "SetNewPrevHash", channel_id: 0, job_id: 0, min_ntime: 0 },
        { root: rootAbove(txid(extranonce), second.merkle_path), time, version: second.version },
        isGood
      ),
      coinbase_tx: Buffer.concat([prefix, extranonce, suffix])
    })
    const before = await height()
    client.send(solution(false))
    await running.until(() => running.log().includes("has not the proof of work of a block"))
    client.send(solution(true))
    await running.until(async () => await height() === before + 1)
    assert.isTrue((await client.next("NewTemplate")).future_template)
    await client.next("SetTemplatePrevHash")
    client.send({ _tag: "RequestTransactionData", template_id: second.template_id })
    assert.strictEqual((await client.next("RequestTransactionData.Error")).error_code, "stale-template-id")
    client.send({ ...CONSTRAINTS, coinbase_output_max_additional_size: 1_000_000 })
    await client.closed
  })

  it("refuses declarations that are wrong, each with its code", async () => {
    const client = await connected(1, 1)
    const { payout, token } = await allocated(client)
    const known = payment(mined)
    const job = await declarable(mined, [known], payout)
    declare(client, Buffer.alloc(16), 3, job)
    assert.strictEqual((await client.next("DeclareMiningJob.Error")).error_code, "invalid-mining-job-token")
    const others = await declarable(mined, [known], Uint8Array.of(0x51))
    assert.match(await refusalOf(client, others, job), /^invalid-job-param-value-coinbase_tx_suffix: /)
    const noCoinbase = { coinbase: { ...job.coinbase, prefix: job.coinbase.prefix.subarray(1) } }
    assert.match(await refusalOf(client, noCoinbase, job), /^invalid-job-param-value-coinbase_tx_prefix: /)
    const twice = { wtxids: [known.wtxid, known.wtxid] }
    assert.match(await refusalOf(client, twice, job), /^invalid-job-param-value-wtxid_list: .*twice/)
    const dear = await declarable(mined, [], payout)
    const greedy = { ...dear, coinbase: (await declarable(mined, [known], payout)).coinbase }
    assert.match(await refusalOf(client, greedy, dear), /^invalid-job: bad-/)

    declare(client, token, 4, job)
    assert.deepStrictEqual((await client.next("ProvideMissingTransactions")).unknown_tx_position_list, [0])
    const another = payment(mined)
    client.send({ _tag: "ProvideMissingTransactions.Success", request_id: 4, transaction_list: [another.data] })
    assert.strictEqual(
      (await client.next("DeclareMiningJob.Error")).error_code,
      "invalid-job-param-value-wtxid_list"
    )
    declare(client, token, 5, job)
    assert.strictEqual((await client.next("DeclareMiningJob.Error")).error_code, "invalid-mining-job-token")
    client.send({ _tag: "RequestTransactionData", template_id: 1n })
    await client.closed
  })

  it("has a declared job mined in a channel, and takes the block of another one from its client", async () => {
    const client = await connected(1, 1)
    const { payout, token } = await allocated(client)
    const own = payment(mined)
    const job = await declarable(mined, [own], payout)
    declare(client, token, 6, job)
    await client.next("ProvideMissingTransactions")
    client.send({ _tag: "ProvideMissingTransactions.Success", request_id: 6, transaction_list: [own.data] })
    const { new_mining_job_token } = await client.next("DeclareMiningJob.Success")

    const proxy = await connected(6)
    proxy.send({ _tag: "OpenExtendedMiningChannel", ...open, min_extranonce_size: 8 })
    const { channel_id, extranonce_prefix, extranonce_size } = await proxy.next("OpenExtendedMiningChannel.Success")
    const custom = {
      _tag: "SetCustomMiningJob",
      channel_id,
      request_id: 8,
      mining_job_token: new_mining_job_token,
      version: job.version,
      prev_hash: job.prev_hash,
      min_ntime: job.time,
      nbits: job.nbits,
      coinbase_tx_version: 2,
      coinbase_prefix: job.coinbase.script,
      coinbase_tx_input_nSequence: 0xffffffff,
      coinbase_tx_outputs: job.coinbase.outputs,
      coinbase_tx_locktime: 0,
      merkle_path: job.path
    } as const
    const codeOf = async (change: Partial<Omit<typeof custom, "_tag">> | object): Promise<string> => {
      proxy.send({ ...custom, ...change })
      return (await proxy.next("SetCustomMiningJob.Error")).error_code
    }
    assert.strictEqual(await codeOf({ channel_id: 99 }), "invalid-channel-id")
    assert.strictEqual(await codeOf({ mining_job_token: token }), "invalid-mining-job-token")
    const changes = {
      version: job.version ^ 1,
      prev_hash: Buffer.alloc(32),
      min_ntime: 1,
      nbits: 1,
      coinbase_tx_version: 3,
      coinbase_prefix: Buffer.of(0x51),
      coinbase_tx_input_nSequence: 0,
      coinbase_tx_outputs: Buffer.of(0),
      coinbase_tx_locktime: 1,
      merkle_path: []
    }
    for (const [field, value] of Object.entries(changes)) {
      assert.strictEqual(await codeOf({ [field]: value }), `invalid-job-param-value-${field}`)
    }
    proxy.send(custom)
    const { job_id } = await proxy.next("SetCustomMiningJob.Success")
    const extranonce = Buffer.alloc(extranonce_size, 5)
    const nonce = nonceFor(job, Buffer.concat([extranonce_prefix, extranonce]))
    const before = await height()
    proxy.send({
      _tag: "SubmitSharesExtended",
      channel_id,
      sequence_number: 1,
      job_id,
      nonce,
      ntime: job.time,
      version: job.version,
      extranonce
    })
    await proxy.next("SubmitShares.Success")
    await running.until(async () => await height() === before + 1)
    const { tx } = await running.call("getblock", await running.call("getbestblockhash"), 1) as { tx: Array<string> }
    assert.deepStrictEqual(tx.slice(1), [Buffer.from(own.txid).reverse().toString("hex")])

    // The module knows the new tip.
    await proxy.next("SetNewPrevHash")
    const again = await allocated(client)
    const next = await declarable(mined, [], payout)
    declare(client, again.token, 7, next)
    await client.next("DeclareMiningJob.Success")
    const all = Buffer.alloc(EXTRANONCE, 6)
    client.send({
      _tag: "PushSolution",
      extranonce: all,
      prev_hash: next.prev_hash,
      nonce: nonceFor(next, all),
      ntime: next.time,
      nbits: next.nbits,
      version: next.version
    })
    await running.until(async () => await height() === before + 2)
  })

  it("ends a connection of another protocol, with the code of the error", async () => {
    const miner = await scriptedMiner(port, authority)
    miner.send({ ...SETUP, protocol: 3 })
    assert.strictEqual((await miner.next("SetupConnection.Error")).error_code, "unsupported-protocol")
    await miner.closed
  })
})
