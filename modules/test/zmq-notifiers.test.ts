import { assert, describe, it } from "vitest"
import { notifiersOf, placeOf, SETTINGS } from "../zmq/src/notifiers.ts"

describe("notifiers of the module zmq", () => {
  it("are what the settings name, by topic", () => {
    const settings = { ...SETTINGS, pubsequence: ["tcp://[::1]:1"], pubhashtx: ["tcp://*:2"], pubhashtxhwm: 0 }
    assert.deepStrictEqual(notifiersOf(settings), [
      { topic: "hashtx", address: "tcp://*:2", highWater: 0 },
      { topic: "sequence", address: "tcp://[::1]:1", highWater: 1_000 }
    ])
    assert.deepStrictEqual(["tcp://*:2", "tcp://[::1]:1"].map(placeOf), ["0.0.0.0:2", "[::1]:1"])
  })

  it.each([
    [{}, /nothing is to be published: set pubhashblock/],
    [{ pubrawtx: ["28332"] }, /pubrawtx must be tcp:\/\/host:port, and is 28332/],
    [{ pubrawtx: ["tcp://a:1"], pubrawtxhwm: 1.5 }, /pubrawtxhwm must be a whole number from 0 on, and is 1.5/]
  ])("are refused with %j", (settings, message) => {
    assert.throws(() => notifiersOf({ ...SETTINGS, ...settings }), message)
  })
})
