import { assert, describe, it } from "vitest"
import type { ServedProtocol } from "../stratum-v2/src/role.ts"
import { openConnection } from "../stratum-v2/src/set-up.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"

const SETUP: MessageOf<"SetupConnection"> = {
  _tag: "SetupConnection",
  protocol: 1,
  min_version: 2,
  max_version: 2,
  flags: 1,
  endpoint_host: "",
  endpoint_port: 0,
  vendor: "",
  hardware_version: "",
  firmware: "",
  device_id: ""
}

const CLOSE: Message = { _tag: "CloseChannel", channel_id: 1, reason_code: "" }

/** A connection to a server of protocol 1, which needs flag 1 and knows flag 2. */
const opened = (isFull = false) => {
  const [sent, taken]: [Array<Message>, Array<Message>] = [[], []]
  const served: ServedProtocol = {
    knownFlags: 3,
    neededFlags: 1,
    mostPayload: 1_000_000,
    isFull: () => isFull,
    open: () => ({ take: (message) => taken.push(message) > 0, newTemplate: () => undefined, end: () => undefined })
  }
  return { connection: openConnection(new Map([[1, served]]), (message) => void sent.push(message)), sent, taken }
}

describe("the set-up of a connection", () => {
  it("opens a protocol that is served, with its limit of bytes", () => {
    const { connection, sent, taken } = opened()
    const before = connection.mostPayload()
    assert.isTrue(connection.take({ ...SETUP, flags: 3 }))
    assert.deepStrictEqual(sent, [{ _tag: "SetupConnection.Success", used_version: 2, flags: 0 }])
    assert.isBelow(before, connection.mostPayload())
    assert.isTrue(connection.take(CLOSE))
    assert.deepStrictEqual(taken, [CLOSE])
  })

  it("comes before anything else, and once", () => {
    assert.isFalse(opened().connection.take(CLOSE))
    const { connection, sent } = opened()
    connection.take(SETUP)
    assert.isFalse(connection.take(SETUP))
    assert.deepStrictEqual(sent[1], { _tag: "SetupConnection.Error", flags: 0, error_code: "already-set-up" })
  })

  it.each<readonly [string, Partial<typeof SETUP>, boolean, number]>([
    ["unsupported-protocol", { protocol: 2 }, false, 0],
    ["protocol-version-mismatch", { min_version: 3, max_version: 3 }, false, 0],
    ["protocol-version-mismatch", { min_version: 1, max_version: 1 }, false, 0],
    ["unsupported-feature-flags", { flags: 0 }, false, 1],
    ["unsupported-feature-flags", { flags: 0x80000005 }, false, 0x80000004],
    ["too-many-connections", {}, true, 0]
  ])("is refused as %s with %j", (error_code, change, isFull, flags) => {
    const { connection, sent } = opened(isFull)
    assert.isFalse(connection.take({ ...SETUP, ...change }))
    assert.deepStrictEqual(sent, [{ _tag: "SetupConnection.Error", flags, error_code }])
  })
})
