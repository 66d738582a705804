import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { authorityKeyOf, authorityText, signedCertificate } from "../stratum-v2/src/noise/certificate.ts"
import {
  initiate,
  newKeyPair,
  publicX,
  respond,
  SECOND_BYTES,
  type Session
} from "../stratum-v2/src/noise/handshake.ts"
import { frameReader, sealFrame } from "../stratum-v2/src/wire/frames.ts"
import {
  decodeMessage,
  encodeMessage,
  type Message,
  MESSAGES,
  type MessageName
} from "../stratum-v2/src/wire/messages.ts"
import * as F from "../stratum-v2/src/wire/fields.ts"

const uint = (bytes: number) => fc.integer({ min: 0, max: 2 ** (8 * bytes) - 1 })
const text = fc.string({ unit: "binary", maxLength: 12 })
const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const u256 = fc.uint8Array({ minLength: 32, maxLength: 32 })

const ARBITRARIES = new Map<unknown, fc.Arbitrary<unknown>>([
  [F.u8, uint(1)],
  [F.u16, uint(2)],
  [F.u32, uint(4)],
  [F.u64, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })],
  [F.f32, fc.float({ noNaN: true, noDefaultInfinity: true })],
  [F.bool, fc.boolean()],
  [F.u256, u256],
  [F.b0_32, bytes(32)],
  [F.b0_64k, bytes(300)],
  [F.b0_255, bytes(255)],
  [F.b0_16m, bytes(300)],
  [F.str0_255, text],
  [MESSAGES.NewMiningJob.fields.min_ntime, fc.option(uint(4), { nil: undefined })],
  [MESSAGES.NewExtendedMiningJob.fields.min_ntime, fc.option(uint(4), { nil: undefined })],
  [MESSAGES.NewExtendedMiningJob.fields.merkle_path, fc.array(u256, { maxLength: 5 })],
  [MESSAGES.SetCustomMiningJob.fields.merkle_path, fc.array(u256, { maxLength: 5 })],
  [MESSAGES.NewTemplate.fields.merkle_path, fc.array(u256, { maxLength: 5 })],
  [MESSAGES.DeclareMiningJob.fields.wtxid_list, fc.array(u256, { maxLength: 5 })],
  [MESSAGES.ProvideMissingTransactions.fields.unknown_tx_position_list, fc.array(uint(2), { maxLength: 5 })],
  [MESSAGES["ProvideMissingTransactions.Success"].fields.transaction_list, fc.array(bytes(300), { maxLength: 5 })],
  [MESSAGES["RequestTransactionData.Success"].fields.transaction_list, fc.array(bytes(300), { maxLength: 5 })]
])

const anyMessage = (name: MessageName): fc.Arbitrary<Message> =>
  fc.record(
    Object.fromEntries(Object.entries(MESSAGES[name].fields).map(([field, of]) => [field, ARBITRARIES.get(of)!])),
    { noNullPrototype: true }
  ).map((fields) => ({ _tag: name, ...fields }) as never)

const NAMES = Object.keys(MESSAGES) as ReadonlyArray<MessageName>
const AUTHORITY = new Uint8Array(32).fill(7)
const NOW = 1_700_000_000

const handshake = (): { readonly client: Session; readonly server: Session } => {
  const server = newKeyPair()
  const certificate = signedCertificate(AUTHORITY, publicX(server), { from: NOW - 1, until: NOW + 1 })
  const initiator = initiate()
  const { second, session } = respond(initiator.first, server, certificate)
  assert.lengthOf(second, SECOND_BYTES)
  return { client: initiator.finish(second, authorityKeyOf(AUTHORITY), NOW)!, server: session }
}

describe("messages of Stratum V2", () => {
  it.each(NAMES)("%s is read back as it was written, and cut short it is none", (name) => {
    fc.assert(
      fc.property(anyMessage(name), (message) => {
        const { payload, type } = encodeMessage(message)
        assert.deepStrictEqual(decodeMessage({ type, payload }), message)
        assert.isUndefined(decodeMessage({ type, payload: payload.subarray(0, -1) }))
      }),
      { numRuns: 30 }
    )
  })

  it("of an unknown type, and bytes that are no fields, are none", () => {
    assert.isUndefined(decodeMessage({ type: 0xff, payload: Buffer.alloc(0) }))
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.uint8Array({ maxLength: 200 }), (name, any) => {
        const message = decodeMessage({ type: MESSAGES[name].type, payload: Buffer.from(any) })
        if (message !== undefined) {
          const again = encodeMessage(message).payload
          assert.deepStrictEqual(again, Buffer.from(any.subarray(0, again.length)))
        }
      }),
      { numRuns: 300 }
    )
  })
})

describe("the handshake", () => {
  it("leads both sides to the same keys, and frames of any size travel in any pieces", () => {
    const { client, server } = handshake()
    const reader = frameReader(server)
    for (const length of [0, 1, 65_519, 65_520, 81_920]) {
      const payload = Buffer.alloc(length, length & 0xff)
      const sealed = sealFrame(client, { type: 9, isOfChannel: true, payload })
      const cut = Math.min(sealed.length, 30)
      const frames = [...reader.feed(sealed.subarray(0, cut))!, ...reader.feed(sealed.subarray(cut))!]
      assert.deepStrictEqual(frames, [{ type: 9, isOfChannel: true, payload }])
    }
    const back = sealFrame(server, { type: 1, isOfChannel: false, payload: Buffer.from("x") })
    assert.strictEqual(frameReader(client).feed(back)![0]!.payload.toString(), "x")
  })

  it("refuses a changed byte, wherever it is", () => {
    const { client, server } = handshake()
    const sealed = sealFrame(client, { type: 9, isOfChannel: true, payload: Buffer.from("share") })
    sealed[25]! ^= 1
    assert.isUndefined(frameReader(server).feed(sealed))
  })

  it.each([
    ["another authority", new Uint8Array(32).fill(8), NOW],
    ["a certificate that is over", AUTHORITY, NOW + 2],
    ["a certificate that has not begun", AUTHORITY, NOW - 2]
  ])("refuses %s", (_, authority, now) => {
    const server = newKeyPair()
    const certificate = signedCertificate(AUTHORITY, publicX(server), { from: NOW - 1, until: NOW + 1 })
    const initiator = initiate()
    const { second } = respond(initiator.first, server, certificate)
    assert.isUndefined(initiator.finish(second, authorityKeyOf(authority), now))
  })

  it("writes the key of an authority as the specification does", () => {
    const key = Buffer.from("76637000979c1c11af0c300bcd8c7fe48610fce9b9c11e3daee35ae0b08a7455", "hex")
    assert.strictEqual(authorityText(key), "9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXh")
  })
})
