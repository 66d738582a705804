import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../process/node-process.ts"
import { connectPeer } from "../p2p/sockets/wire-peer.ts"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

interface Captured {
  readonly microseconds: bigint
  readonly command: string
  readonly payload: Buffer
}

/** What a file of Bitcoin Core's layout holds. */
const messagesIn = (path: string): ReadonlyArray<Captured> => {
  const bytes = readFileSync(path)
  const messages: Array<Captured> = []
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at + 20)
    const field = bytes.subarray(at + 8, at + 20)
    const command = field.toString("latin1").replace(/\0+$/, "")
    assert.isTrue(field.subarray(command.length).every((byte) => byte === 0))
    const payload = bytes.subarray(at + 24, at + 24 + length)
    assert.lengthOf(payload, length)
    messages.push({ microseconds: bytes.readBigInt64LE(at), command, payload })
    at += 24 + length
  }
  return messages
}

describe("-capturemessages", () => {
  it("keeps every message of a peer with its time, in a file for each direction", async () => {
    const port = await freePort()
    const before = BigInt(Date.now()) * 1_000n
    const { ended } = place.start("-capturemessages", "-listen", `-bind=127.0.0.1:${port}`)
    await place.ready()
    const peer = await connectPeer(port)
    // The node sends one when the handshake is complete.
    await until("a ping has come", () => peer.commands().includes("ping"))
    peer.say({ command: "ping", nonce: 0x0123_4567n })
    await until("the ping was answered", () => peer.commands().includes("pong"))
    const directory = join(place.directory, "message_capture")
    const names = readdirSync(directory)
    assert.lengthOf(names, 1)
    assert.match(names[0]!, /^127\.0\.0\.1_\d+$/)
    const [received, sent] = ["msgs_recv.dat", "msgs_sent.dat"].map((name) =>
      messagesIn(join(directory, names[0]!, name))
    )
    assert.strictEqual(received![0]!.command, "version")
    assert.strictEqual(sent!.find(({ command }) => command === "pong")?.payload.readBigUInt64LE(), 0x0123_4567n)
    assert.strictEqual(received!.find(({ command }) => command === "ping")?.payload.readBigUInt64LE(), 0x0123_4567n)
    const times = [...received!, ...sent!].map(({ microseconds }) => microseconds)
    assert.isTrue(times.every((time) => time >= before && time <= BigInt(Date.now() + 1) * 1_000n))
    assert.strictEqual(statSync(join(directory, names[0]!, "msgs_recv.dat")).mode & 0o777, 0o600)
    const mocked = Number(before / 1_000_000n) + 5_000
    await place.call("setmocktime", mocked)
    peer.say({ command: "ping", nonce: 2n })
    await until(
      "the time of tests counts",
      () => messagesIn(join(directory, names[0]!, "msgs_recv.dat")).at(-1)!.microseconds === BigInt(mocked) * 1_000_000n
    )
    peer.end()
    await place.call("stop")
    assert.strictEqual((await ended).exitCode, 0)
  })
})
