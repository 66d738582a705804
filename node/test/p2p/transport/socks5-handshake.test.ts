import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import {
  type ProxyCredentials,
  type SocksHandshake,
  socksHandshake,
  type SocksStep
} from "../../../src/p2p/transport/socks5/socks5-handshake.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { endpoint } from "./transport-suite.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"))
const shown = (step: SocksStep): string =>
  step._tag === "Send" ? `Send ${hex(step.bytes)}` : step._tag === "Connected" ?
    `Connected ${hex(step.rest)}`
    : step._tag === "Failed"
    ? `Failed ${step.reason}`
    : step._tag === "Refused"
    ? `Refused ${step.answer}`
    : step._tag

const V4 = endpoint("1.2.3.4:8333")
const begun = (target: Endpoint = V4, credentials?: ProxyCredentials): SocksHandshake =>
  socksHandshake(target, credentials)
/** A handshake whose request has been sent. */
const requested = (): SocksHandshake => {
  const handshake = begun()
  handshake.feed(bytes("0500"))
  return handshake
}

const NO_PROTOCOL = "Failed the proxy does not keep to the protocol"

describe("what is said to a SOCKS5 proxy", () => {
  it("begins with the ways of logging in: none, and a password where there is one", () => {
    assert.strictEqual(hex(begun().first), "050100")
    assert.strictEqual(hex(begun(V4, { username: "u", password: "p" }).first), "05020002")
  })

  it.each<readonly [text: string, target: Endpoint, request: string]>([
    ["an IPv4 address", V4, `05010003 07 ${hex(Buffer.from("1.2.3.4"))} 208d`],
    ["an IPv6 address", endpoint("[2003::1]:258"), `05010003 07 ${hex(Buffer.from("2003::1"))} 0102`],
    ["a name", { ...endpoint("0.0.0.0:65535"), name: "seed.example" }, "05010003 0c 736565642e6578616d706c65 ffff"],
    [
      "a hidden service",
      { address: { network: AddressNetwork.TORV3, bytes: new Uint8Array(32) }, port: 1 },
      `05010003 3e ${hex(Buffer.from(`${"a".repeat(51)}m2dqd.onion`))} 0001`
    ]
  ])("asks for %s", (_, target, request) => {
    assert.strictEqual(shown(begun(target).feed(bytes("0500"))), `Send ${request.replaceAll(" ", "")}`)
  })

  it("logs in with the password when the proxy wants that, and asks then", () => {
    const handshake = begun(V4, { username: "me", password: "secret" })
    assert.strictEqual(shown(handshake.feed(bytes("05"))), "More")
    assert.strictEqual(shown(handshake.feed(bytes("02"))), "Send 01026d6506736563726574")
    assert.strictEqual(shown(handshake.feed(bytes("0100"))), `Send 0501000307${hex(Buffer.from("1.2.3.4"))}208d`)
  })

  it("has 255 bytes of a name at most", () => {
    const handshake = begun(V4, { username: "x".repeat(300), password: "" })
    assert.strictEqual(shown(handshake.feed(bytes("0502"))), `Send 01ff${"78".repeat(255)}00`)
  })
})

describe("what a SOCKS5 proxy answers", () => {
  it.each([
    ["0400", "Failed what answers there is no SOCKS5 proxy"],
    ["4854", "Failed what answers there is no SOCKS5 proxy"],
    ["0502", "Failed the proxy wants another way of logging in"],
    ["05ff", "Failed the proxy wants another way of logging in"],
    ["050000", NO_PROTOCOL]
  ])("to the ways of logging in: %s", (answer, step) => assert.strictEqual(shown(begun().feed(bytes(answer))), step))

  it.each([
    ["0101", "Failed the proxy refuses the credentials"],
    ["0500", "Failed the proxy refuses the credentials"],
    ["010000", NO_PROTOCOL],
    ["01", "More"]
  ])("to a password: %s", (answer, step) => {
    const handshake = begun(V4, { username: "u", password: "p" })
    handshake.feed(bytes("0502"))
    assert.strictEqual(shown(handshake.feed(bytes(answer))), step)
  })

  it.each([
    ["", "More"],
    ["05", "More"],
    ["0500", "More"],
    ["05000001", "More"],
    ["05000001 00000000 00", "More"],
    ["05000001 00000000 0000", "Connected "],
    ["05000001 00000000 0000 f9beb4d9", "Connected f9beb4d9"],
    [`05000004 ${"00".repeat(16)} 00`, "More"],
    [`05000004 ${"00".repeat(16)} 0000 aa`, "Connected aa"],
    ["05000003 03 616263 00", "More"],
    ["05000003 03 616263 0000 bb", "Connected bb"],
    ["05000003 00 0000 cc", "Connected cc"],
    [`05000003 ff ${"61".repeat(255)} 0000 dd`, "Connected dd"],
    ["05000002 00", NO_PROTOCOL],
    ["05000000 00", NO_PROTOCOL],
    ["04", NO_PROTOCOL]
  ])("to the request: %s", (answer, step) => assert.strictEqual(shown(requested().feed(bytes(answer))), step))

  it.each<readonly [code: string, reason: string]>([
    ["01", "general failure"],
    ["02", "connection not allowed"],
    ["03", "network unreachable"],
    ["04", "host unreachable"],
    ["05", "connection refused"],
    ["06", "TTL expired"],
    ["07", "protocol error"],
    ["08", "address type not supported"],
    ["09", "error 9"],
    ["f0", "onion service descriptor can not be found"],
    ["f1", "onion service descriptor is invalid"],
    ["f2", "onion service introduction failed"],
    ["f3", "onion service rendezvous failed"],
    ["f4", "onion service missing client authorization"],
    ["f5", "onion service wrong client authorization"],
    ["f6", "onion service invalid address"],
    ["f7", "onion service introduction timed out"],
    ["f8", "error 248"]
  ])(
    "error %s: %s",
    (code, reason) => assert.strictEqual(shown(requested().feed(bytes(`05${code}`))), `Refused ${reason}`)
  )

  it("is taken in any pieces", () => {
    const whole = bytes("05000001 00000000 0000 f9beb4d9")
    for (let cut = 1; cut < 10; cut++) {
      const handshake = requested()
      assert.strictEqual(shown(handshake.feed(whole.subarray(0, cut))), "More")
      assert.strictEqual(shown(handshake.feed(whole.subarray(cut))), "Connected f9beb4d9")
    }
  })
})
