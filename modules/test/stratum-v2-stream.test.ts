import type { BlockTemplate, NetworkStream } from "@lockstep/sdk"
import { type Duplex, duplexPair } from "node:stream"
import { afterEach, assert, describe, it } from "vitest"
import { authorityKeyOf, signedCertificate } from "../stratum-v2/src/noise/certificate.ts"
import { initiate, newKeyPair, publicX, SECOND_BYTES } from "../stratum-v2/src/noise/handshake.ts"
import { openServer } from "../stratum-v2/src/server.ts"
import { PROTOCOLS } from "../stratum-v2/src/set-up.ts"
import { rulesOf, SETTINGS } from "../stratum-v2/src/settings.ts"
import { frameReader, sealFrame } from "../stratum-v2/src/wire/frames.ts"
import { decodeMessage, encodeMessage, type Message, type MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { setupConnection } from "./setup-connection.ts"
import { blockTemplate } from "./block-template.ts"
import { ANYONE, output } from "./stratum-v2-coinbase.ts"

const AUTHORITY = new Uint8Array(32).fill(7)
const KEYS = newKeyPair()
const NOW = Date.now() / 1_000
const CERTIFICATE = signedCertificate(AUTHORITY, publicX(KEYS), { from: NOW - 60, until: NOW + 3_600 })

const templateOn = (tip: number, change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    ...change
  })

const turns = async (): Promise<void> => {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => void setImmediate(resolve))
}

const streams: Array<Duplex> = []
afterEach(() => streams.splice(0).forEach((stream) => void stream.destroy()))

const ROLES = { job_declaration: true, template_distribution: true }

/** A server over streams in memory. `clients` names who came and went. */
const serving = (settings: Partial<typeof SETTINGS> = ROLES) => {
  const clients: Array<string> = []
  const shares: Array<ReadonlyArray<unknown>> = []
  const blocks: Array<ReadonlyArray<unknown>> = []
  const server = openServer({
    server: KEYS,
    certificate: () => CERTIFICATE,
    rules: rulesOf({ ...SETTINGS, payout_address: "a", ...settings }),
    propose: () => Promise.resolve(undefined),
    found: ({ finder, height }) => void blocks.push([finder, height]),
    warn: () => undefined,
    now: () => 0,
    connected: (endpoint) => void clients.push(`+${endpoint}`),
    disconnected: (endpoint) => void clients.push(`-${endpoint}`),
    shared: ({ id }, _, user) => void shares.push([id, user])
  })
  /** The bytes of a client's first message, in pieces, and its session. */
  const join = async (pieces = 1, behind: ReadonlyArray<Message> = []) => {
    const [near, far] = duplexPair()
    streams.push(near, far)
    server.serve(Object.assign(near, { remoteAddress: "10.0.0.1:7" }) as unknown as NetworkStream)
    const initiator = initiate()
    const first = Buffer.from(initiator.first)
    for (let i = 0; i < pieces; i++) {
      far.write(first.subarray(i * first.length / pieces, (i + 1) * first.length / pieces))
    }
    await turns()
    const answer = far.read() as Buffer
    const session = initiator.finish(answer.subarray(0, SECOND_BYTES), authorityKeyOf(AUTHORITY), NOW)!
    const reader = frameReader(session)
    const send = (message: Message): void => void far.write(sealFrame(session, encodeMessage(message)))
    const seen = async (): Promise<ReadonlyArray<Message>> => {
      await turns()
      const bytes = far.read() as Buffer | null
      return bytes === null ? [] : reader.feed(bytes)!.map((frame) => decodeMessage(frame)!)
    }
    for (const message of behind) send(message)
    return { far, near, seen, send, session }
  }
  return { blocks, clients, join, server, shares }
}

const SUCCESS: Message = { _tag: "SetupConnection.Success", used_version: 2, flags: 0 }

const OPEN: Message = {
  _tag: "OpenStandardMiningChannel",
  request_id: 1,
  user_identity: "u",
  nominal_hash_rate: 0,
  max_target: new Uint8Array(32).fill(0xff)
}

describe("a stream of Stratum V2", () => {
  it("is served once its first message is whole, in any pieces, and as one that came and went", async () => {
    const { clients, join, server } = serving()
    const { far, seen, send } = await join(4)
    assert.deepStrictEqual(clients, ["+10.0.0.1:7"])
    send(setupConnection(PROTOCOLS.mining))
    assert.deepStrictEqual(await seen(), [SUCCESS])
    assert.deepStrictEqual(server.miners().map(([, address]) => address), ["10.0.0.1:7"])
    far.destroy()
    await turns()
    // The other end of a pair in memory ends, and is destroyed with it.
    assert.deepStrictEqual(clients.slice(0, 1), ["+10.0.0.1:7"])
  })

  it("takes what stands behind the first message", async () => {
    const { join } = serving()
    const { seen } = await join(1, [setupConnection(PROTOCOLS.mining), OPEN])
    const tags = (await seen()).map(({ _tag }) => _tag)
    assert.deepStrictEqual(tags, ["SetupConnection.Success", "OpenStandardMiningChannel.Success"])
  })

  it.each<readonly [string, (at: Awaited<ReturnType<ReturnType<typeof serving>["join"]>>) => void]>([
    ["bytes that are not sealed", ({ far }) => void far.write(Buffer.alloc(64))],
    [
      "a message that there is not",
      ({ far, session }) =>
        void far.write(sealFrame(session, { type: 0xff, isOfChannel: false, payload: Buffer.alloc(0) }))
    ],
    ["a message that is not of its protocol", ({ send }) => send({ _tag: "RequestTransactionData", template_id: 1n })]
  ])("ends with %s, and what was answered before is sent", async (_, act) => {
    const { clients, join, server } = serving()
    const at = await join()
    at.send(setupConnection(PROTOCOLS.mining))
    act(at)
    assert.deepStrictEqual(await at.seen(), [SUCCESS])
    await turns()
    assert.isTrue(at.near.destroyed)
    assert.deepStrictEqual(clients, ["+10.0.0.1:7", "-10.0.0.1:7"])
    assert.lengthOf(server.miners(), 0)
    // It is sent no template any more.
    server.take(templateOn(1))
  })

  it("takes no message and no template behind what ends it, and sends why it ends", async () => {
    const { join, server } = serving()
    const { near, seen, send } = await join()
    const errors: Array<string> = []
    near.on("error", ({ message }) => void errors.push(message))
    send(setupConnection(PROTOCOLS.mining))
    send(OPEN)
    send(setupConnection(PROTOCOLS.mining))
    send(OPEN)
    near.once("finish", () => void server.take(templateOn(1)))
    const answers = await seen()
    assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
      "SetupConnection.Success",
      "OpenStandardMiningChannel.Success",
      "SetupConnection.Error"
    ])
    await turns()
    assert.deepStrictEqual([errors, near.destroyed], [[], true])
  })

  it("ends where more than eight mebibytes wait for a peer that does not read", async () => {
    const { join, server } = serving()
    const { near, seen, send } = await join()
    send(setupConnection(PROTOCOLS.templateDistribution))
    send({
      _tag: "CoinbaseOutputConstraints",
      coinbase_output_max_additional_size: 0,
      coinbase_output_max_additional_sigops: 0
    })
    await seen()
    const most = 8 * 1024 * 1024
    const data = new Uint8Array(3 * 1024 * 1024)
    const each = {
      data,
      txid: new Uint8Array(32),
      wtxid: new Uint8Array(32),
      fee: 0,
      sigops: 0,
      weight: 0,
      depends: []
    }
    server.take(templateOn(1, { transactions: [each] }))
    for (let i = 0; near.writableLength <= most && i < 10; i++) {
      send({ _tag: "RequestTransactionData", template_id: 1n })
      await turns()
      assert.isFalse(near.destroyed)
    }
    assert.isFalse(near.destroyed)
    send({ _tag: "RequestTransactionData", template_id: 1n })
    await turns()
    assert.isTrue(near.destroyed)
  })
})

describe("the protocols of a server of Stratum V2", () => {
  const answerTo = async (settings: Partial<typeof SETTINGS>, protocol: number, flags: number) => {
    const { join } = serving(settings)
    const { seen, send } = await join()
    send(setupConnection(protocol, flags))
    const [answer] = await seen()
    return answer?._tag === "SetupConnection.Error" ? [answer.error_code, answer.flags] : answer?._tag
  }
  const success = "SetupConnection.Success"
  const [mining, declaration, distribution] = [0, 1, 2]

  it.each<readonly [Partial<typeof SETTINGS>, number, number, unknown]>([
    [{}, mining, 0, success],
    [{}, mining, 5, success],
    [{}, mining, 2, ["unsupported-feature-flags", 2]],
    [{ job_declaration: true }, mining, 7, success],
    [{ job_declaration: true }, mining, 8, ["unsupported-feature-flags", 8]],
    [{}, declaration, 1, ["unsupported-protocol", 0]],
    [{ template_distribution: true }, declaration, 1, ["unsupported-protocol", 0]],
    [{ job_declaration: true }, declaration, 1, success],
    [{ job_declaration: true }, declaration, 0, ["unsupported-feature-flags", 1]],
    [{ job_declaration: true }, declaration, 3, ["unsupported-feature-flags", 2]],
    [{ job_declaration: true }, distribution, 0, ["unsupported-protocol", 0]],
    [{ template_distribution: true }, distribution, 0, success],
    [{ template_distribution: true }, distribution, 1, ["unsupported-feature-flags", 1]]
  ])(
    "with the settings %j: the protocol %d with the flags %d is answered %j",
    async (settings, protocol, flags, answer) => {
      assert.deepStrictEqual(await answerTo(settings, protocol, flags), answer)
    }
  )

  it("tell connections apart, report shares, and blocks only where a share is one", async () => {
    const { blocks, join, server, shares } = serving({ ...ROLES, least_difficulty: 1e-12 })
    const job = server.take(templateOn(1))
    assert.strictEqual(job.id, 1)
    const prefixes: Array<string> = []
    for (let i = 0; i < 2; i++) {
      const { seen, send } = await join()
      send(setupConnection(PROTOCOLS.mining))
      send(OPEN)
      const opened = (await seen()).find((each) => each._tag === "OpenStandardMiningChannel.Success")!
      prefixes.push(Buffer.from(opened.extranonce_prefix).toString("hex").slice(0, 8))
      for (let nonce = 0; nonce < 24; nonce++) {
        send({
          _tag: "SubmitSharesStandard",
          channel_id: opened.channel_id,
          sequence_number: nonce,
          job_id: 1,
          nonce,
          ntime: 1_700_000_000,
          version: 0x20000000
        })
      }
      await seen()
    }
    assert.deepStrictEqual(prefixes, ["00000001", "00000002"])
    assert.deepStrictEqual(shares, Array.from({ length: 48 }, () => [1, "u"]))
    // About half of all headers are blocks of regtest.
    assert.isTrue(blocks.length > 2 && blocks.length < 46, String(blocks.length))
    assert.deepStrictEqual(blocks[0], ["u", 100])
  })

  it("know the transactions of templates for declarations, of this tip and the one before", async () => {
    const { join, server } = serving({ job_declaration: true })
    const { seen, send } = await join()
    send(setupConnection(PROTOCOLS.jobDeclaration, 1))
    await seen()
    const wtxid = new Uint8Array(32).fill(5)
    const each = { data: new Uint8Array(1), txid: wtxid, wtxid, fee: 0, sigops: 0, weight: 0, depends: [] }
    const outcome = async (): Promise<string> => {
      send({ _tag: "AllocateMiningJobToken", user_identifier: "", request_id: 1 })
      const [token] = await seen() as ReadonlyArray<MessageOf<"AllocateMiningJobToken.Success">>
      send({
        _tag: "DeclareMiningJob",
        request_id: 1,
        mining_job_token: token!.mining_job_token,
        version: 0x20000000,
        coinbase_tx_prefix: Buffer.from(`0200000001${"00".repeat(32)}ffffffff12`, "hex").subarray(),
        coinbase_tx_suffix: Buffer.concat([
          Buffer.from("0000ffffffff01", "hex"),
          output(1, ANYONE),
          Buffer.alloc(4)
        ]),
        wtxid_list: [wtxid],
        excess_data: new Uint8Array()
      })
      return (await seen()).map(({ _tag }) => _tag).join()
    }
    server.take(templateOn(1, { transactions: [each] }))
    assert.strictEqual(await outcome(), "DeclareMiningJob.Success")
    server.take(templateOn(2))
    server.take(templateOn(2))
    assert.strictEqual(await outcome(), "DeclareMiningJob.Success")
    // It is known from its declaration on this tip as well; on the tips behind, no more.
    server.take(templateOn(3))
    server.take(templateOn(4))
    server.take(templateOn(5))
    assert.strictEqual(await outcome(), "ProvideMissingTransactions")
  })
})
