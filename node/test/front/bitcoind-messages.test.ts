import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { truncateSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { join } from "node:path"
import { makePlace, type Place, until } from "../bitcoind/bitcoind-process.ts"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { ownName } from "./own-names.ts"

const ADDRESS = "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"
const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:18444"

/** A Tor that wants a password. */
const tor = (): Server =>
  createServer((socket) => {
    socket.on("error", () => undefined)
    socket.on("data", () => socket.write("250-PROTOCOLINFO 1\r\n250-AUTH METHODS=HASHEDPASSWORD\r\n250 OK\r\n"))
  })

const listening = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

describe("bitcoind", { timeout: patience(60_000) }, () => {
  const servers = [tor(), createServer()]
  let place: Place
  /** What the log gained. */
  let since = 0
  const logged = (): string => place.debugLog().slice(since)

  beforeAll(async () => void (place = await makePlace()), patience(60_000))
  afterAll(() => {
    for (const server of servers) server.close()
    place.remove()
  })

  it("names its own options in the log while it runs: of Tor, of nodes and of callers", async () => {
    const control = await listening(servers[0]!)
    const node = place.start(
      "-listen=1",
      `-bind=127.0.0.1:${await freePort()}`,
      `-torcontrol=127.0.0.1:${control}`,
      "-rpcwhitelist=someone:nosuchmethod",
      "-rpcwhitelistdefault=0",
      "-debug=tor",
      "-debug=net"
    )
    await place.ready()
    await place.call("generatetoaddress", 3, ADDRESS)
    await place.call("addnode", ONION, "onetry").catch(() => undefined)
    await until("Tor is asked", () => logged().includes("-torpassword"))
    await until("the onion service is tried", () => logged().includes("-onion, or Tor's control port as -torcontrol"))
    assert.include(logged(), "-rpcwhitelist names methods that this node does not have")
    assert.include(await place.call("help", "addnode") as string, "set by -v2transport")
    await place.call("stop")
    assert.strictEqual((await node.ended).exitCode, 0)
    assert.isUndefined(ownName(logged()))
  })

  it("names -rpcbind in the log where another program has its port", async () => {
    since = place.debugLog().length
    const taken = await listening(servers[1]!)
    const { exitCode, stderr } = await place.start(`-rpcbind=127.0.0.1:${taken}`, "-rpcallowip=127.0.0.1").ended
    assert.deepStrictEqual([exitCode, ownName(stderr), ownName(logged())], [1, undefined, undefined])
    assert.include(logged(), "stop it, or choose another address with -rpcbind")
  })

  it("names -reindex where its engine, which is a thread of its own, finds a damaged block file", async () => {
    since = place.debugLog().length
    truncateSync(join(place.directory, "blocks", "blk00000.dat"), 100)
    const { exitCode, stderr } = await place.start().ended
    assert.deepStrictEqual([exitCode, ownName(stderr), ownName(logged())], [1, undefined, undefined])
    assert.match(logged(), /blk00000\.dat is too short.* or run `bitcoind -reindex`:/)
  })
})
