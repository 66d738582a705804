import { assert, describe, it } from "vitest"
import { isOtherNetwork, isV1Answer, v1Beginning } from "../../../src/wire/v2-transport/v1-beginning.ts"

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)
const OTHER = Uint8Array.of(0xf9, 0xbe, 0xb4, 0xd9)

/** The head of a message: magic and the twelve bytes of its command. */
const headOf = (magic: Uint8Array, command: string): Uint8Array =>
  Uint8Array.of(...magic, ...Buffer.from(command.padEnd(12, "\0"), "latin1"))

describe("how a connection of v1 begins", () => {
  it("is with the magic of the network and `version`, in sixteen bytes", () => {
    assert.deepStrictEqual(v1Beginning(MAGIC), headOf(MAGIC, "version"))
    assert.lengthOf(v1Beginning(MAGIC), 16)
  })

  it("is of another network when `version` stands behind any magic", () => {
    assert.isTrue(isOtherNetwork(headOf(OTHER, "version")))
    for (const command of ["verack", "versioN", "version1", "Version", ""]) {
      assert.isFalse(isOtherNetwork(headOf(OTHER, command)), command)
    }
  })

  it("is an answer in v1 with any command of small letters and digits, behind this network's magic", () => {
    for (const command of ["version", "reject", "a", "z", "0", "9", "az09az09az09"]) {
      assert.isTrue(isV1Answer(headOf(MAGIC, command), MAGIC), command)
    }
    for (const command of ["`", "{", "/", ":", "Version", "ver sion", "\u0001", "reject\u007f"]) {
      assert.isFalse(isV1Answer(headOf(MAGIC, command), MAGIC), command)
    }
    assert.isFalse(isV1Answer(headOf(OTHER, "version"), MAGIC))
    for (let i = 0; i < 4; i++) {
      const bytes = headOf(MAGIC, "version")
      bytes[i]! ^= 1
      assert.isFalse(isV1Answer(bytes, MAGIC), `byte ${i} of the magic`)
    }
  })

  it("is none before all sixteen bytes are there, and what follows them does not matter", () => {
    const head = headOf(MAGIC, "reject")
    assert.isFalse(isV1Answer(head.subarray(0, 15), MAGIC))
    assert.isTrue(isV1Answer(Uint8Array.of(...head, 0xff, 0x00), MAGIC))
  })
})
