import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressText } from "../../../src/net/endpoint-text.ts"
import { addressOfDestination, base64Bytes, base64Text } from "../../../src/p2p/transport/i2p/destination.ts"
import { samLines } from "../../../src/p2p/transport/i2p/sam-lines.ts"
import { parseReply } from "../../../src/p2p/transport/i2p/sam-reply.ts"
import { privateKey } from "./sam-server.ts"

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

describe("a reply of an I2P router", () => {
  const of = (line: string) => {
    const reply = parseReply(line)
    return reply === undefined ? undefined : [reply.topic, Object.fromEntries(reply.values)]
  }

  it("has two words and values behind them, some between quotes", () => {
    assert.deepStrictEqual(of("HELLO REPLY RESULT=OK VERSION=3.1"), ["HELLO REPLY", { RESULT: "OK", VERSION: "3.1" }])
    assert.deepStrictEqual(of("STREAM STATUS RESULT=I2P_ERROR MESSAGE=\"a \\\"b\\\"\" X= Y=\"\""), [
      "STREAM STATUS",
      { RESULT: "I2P_ERROR", MESSAGE: "a \"b\"", X: "", Y: "" }
    ])
    assert.deepStrictEqual(of("DEST REPLY  PUB=a~- "), ["DEST REPLY", { PUB: "a~-" }])
    assert.deepStrictEqual(of("NAMING REPLY VALUE=ab=="), ["NAMING REPLY", { VALUE: "ab==" }])
  })

  it("is none where it has another form", () => {
    for (
      const line of ["", "HELLO", "HELLO REPLY MORE", "=OK A B", "HELLO REPLY X=\"a", "HELLO REPLY X=\"a\"b", "\""]
    ) {
      assert.isUndefined(of(line), line)
    }
  })
})

describe("lines of an I2P router", () => {
  it("come out whole however they are cut, and what stands behind them is left alone", () => {
    for (const size of [1, 3, 100]) {
      const lines = samLines()
      const text = "a b\r\nc\n\x00rest\nmore"
      for (let at = 0; at < text.length; at += size) assert.isTrue(lines.add(ascii(text.slice(at, at + size))))
      assert.deepStrictEqual([lines.next(), lines.next()], ["a b", "c"])
      assert.deepStrictEqual(lines.rest(), ascii("\x00rest\nmore"))
    }
    assert.isUndefined(samLines().next())
  })

  it("are not longer than 65,536 bytes", () => {
    const lines = samLines()
    assert.isTrue(lines.add(new Uint8Array(65_536).fill(65)))
    assert.isFalse(lines.add(ascii("A")))
    assert.isFalse(samLines().add(ascii(`${"A".repeat(65_537)}\n`)))
    assert.isTrue(samLines().add(ascii(`${"A".repeat(65_536)}\n`)))
  })
})

describe("a destination", () => {
  it("has an address, which its private key has as well", () => {
    const key = privateKey(1)
    const address = addressOfDestination(key)!
    assert.strictEqual(address.network, AddressNetwork.I2P)
    assert.deepStrictEqual(addressOfDestination(key.subarray(0, 391)), address)
    assert.notDeepEqual(addressOfDestination(privateKey(2)), address)
    assert.match(addressText(address), /^[a-z2-7]{52}\.b32\.i2p$/)
    for (const size of [0, 386, 390]) assert.isUndefined(addressOfDestination(key.subarray(0, size)))
  })

  it("is written in a base 64 of its own", () => {
    const bytes = Uint8Array.of(0xfb, 0xef, 0xff, 0xff)
    assert.strictEqual(base64Text(bytes), "--~~~w==")
    assert.deepStrictEqual(base64Bytes("--~~~w=="), bytes)
    for (const wrong of ["", "+/+/", "a", "abc", "ab c", "====", "a==="]) assert.isUndefined(base64Bytes(wrong), wrong)
  })
})
