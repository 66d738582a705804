import { extendedRoot, type ScriptedMiner, scriptedMiner, solvedNonce } from "@lockstep/modules/test-miner-v2"
import { createBase58check } from "@scure/base"
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

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

let running: NodeWithModules
let port: number
let authority: Uint8Array
const miners: Array<ScriptedMiner> = []

const mined = async (): Promise<number> => await running.call("getblockcount") as number

/** A miner that is set up. */
const connected = async (flags: number): Promise<ScriptedMiner> => {
  const miner = await scriptedMiner(port, authority)
  miners.push(miner)
  miner.send({ ...SETUP, flags })
  assert.strictEqual((await miner.next("SetupConnection.Success")).used_version, 2)
  return miner
}

const open = { request_id: 5, user_identity: "worker", nominal_hash_rate: 0, max_target: EASIEST } as const

describe.runIf(process.platform === "linux")("the module stratum-v2", () => {
  beforeAll(async () => {
    port = await freePort()
    running = await nodeWithModules({
      "stratum-v2": [
        `network_listen = ["127.0.0.1:${port}"]`,
        `listen = "127.0.0.1:${port}"`,
        "least_difficulty = 0.000000001",
        `payout_address = "${PAYOUT}"`
      ].join("\n")
    })
    assert.strictEqual((await running.status("stratum-v2")).status, "loaded", running.log())
    const info = await running.call("getstratumv2info") as { readonly authority: string }
    const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()
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
    const before = await mined()
    miner.send({ ...share(true), channel_id: 99 })
    assert.strictEqual((await miner.next("SubmitShares.Error")).error_code, "invalid-channel-id")
    miner.send({ ...share(true), ntime: 1 })
    assert.strictEqual((await miner.next("SubmitShares.Error")).error_code, "invalid-ntime")
    miner.send(share(true))
    assert.strictEqual((await miner.next("SubmitShares.Success")).last_sequence_number, 1)
    await running.until(async () => await mined() === before + 1)
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
    const before = await mined()
    proxy.send({ _tag: "SubmitSharesExtended", ...share, extranonce: extranonce.subarray(1) })
    assert.strictEqual((await proxy.next("SubmitShares.Error")).error_code, "bad-extranonce-size")
    proxy.send({ _tag: "SubmitSharesExtended", ...share, version: version ^ 1 })
    assert.strictEqual((await proxy.next("SubmitShares.Error")).error_code, "invalid-version")
    proxy.send({ _tag: "SubmitSharesExtended", ...share })
    assert.strictEqual((await proxy.next("SubmitShares.Success")).last_sequence_number, 7)
    await running.until(async () => await mined() === before + 1)
    const next = await proxy.next("NewExtendedMiningJob")
    assert.deepStrictEqual([next.channel_id, next.min_ntime], [group_channel_id, undefined])
    assert.strictEqual((await proxy.next("SetNewPrevHash")).channel_id, group_channel_id)
    proxy.send({ _tag: "UpdateChannel", channel_id, nominal_hash_rate: 1e15, maximum_target: EASIEST })
    const { maximum_target } = await proxy.next("SetTarget")
    assert.strictEqual(maximum_target[31], 0, "a faster miner gets a harder target")
  })

  it("ends a connection of another protocol, with the code of the error", async () => {
    const miner = await scriptedMiner(port, authority)
    miner.send({ ...SETUP, protocol: 2 })
    assert.strictEqual((await miner.next("SetupConnection.Error")).error_code, "unsupported-protocol")
    await miner.closed
  })
})
