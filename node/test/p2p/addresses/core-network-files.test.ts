import { assert, describe, it } from "@effect/vitest"
import { bytesOfHex } from "@lockstep/protocol/networks/hex.ts"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import type { BanList } from "../../../src/p2p/connections/ban-list.ts"
import type { P2pNotifications } from "../../../src/p2p/basics/p2p-notifications.ts"
import { coreNetworkFiles } from "../../../src/p2p/saved/core-network-files.ts"
import { peersChecksum } from "../../../src/p2p/saved/core-peers-file.ts"
import { savedFiles } from "../../../src/p2p/saved/saved-network.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { endpoint } from "../transport/transport-suite.ts"

const MAGIC = bytesOfHex("fabfb5da")
const NOW = 1_700_000_000
const environment = { now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(4) }

const place = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const said: Array<string> = []
  const lines: Array<string> = []
  const notify: P2pNotifications = {
    event: () => undefined,
    log: (_level, message) => void lines.push(message),
    trace: (happening) =>
      void said.push(...happening._tag === "AddressFileMissing" ? [happening._tag] : coreTexts(happening))
  }
  const core = coreNetworkFiles({ directory, magic: MAGIC }, notify)
  const peers = join(directory, "peers.dat")
  const anchors = join(directory, "anchors.dat")
  return { anchors, core, directory, lines, notify, peers, said }
})

const filled = () => {
  const book = addressBook(environment)
  for (const at of ["11.1.1.1:1", "12.1.1.1:1"].map(endpoint)) {
    book.add([{ ...at, services: 9n, time: NOW }], endpoint("30.1.1.1:1").address)
  }
  return book.table
}

describe("the files of Bitcoin Core's network layer", () => {
  it.live("peers.dat is read back, and said to be missing where it is", () =>
    Effect.gen(function*() {
      const { core, peers, said } = yield* place
      assert.isUndefined(yield* core.loadTable)
      assert.deepStrictEqual(said.splice(0), ["AddressFileMissing"])
      assert.isUndefined(yield* core.saveTable(filled()))
      const table = yield* core.loadTable
      assert.deepStrictEqual(
        table?.list.map(({ key }) => key).toSorted(),
        filled().list.map(({ key }) => key).toSorted()
      )
      assert.match(said[0]!, /^Loaded 2 addresses from peers\.dat  \d+ms$/)
      writeFileSync(peers, "damaged")
      const { message } = yield* Effect.flip(core.loadTable)
      assert.include(message, "Invalid or corrupt peers.dat (Invalid network magic number). If you believe")
      assert.include(message, `you can move the file ("${peers}") out of the way`)
      assert.isTrue(existsSync(peers))
    }))

  it.live("peers.dat and anchors.dat that cannot be read stay, and ones that cannot be written are said to be", () =>
    Effect.gen(function*() {
      const { core, lines, directory, notify, peers } = yield* place
      mkdirSync(peers)
      mkdirSync(join(directory, "anchors.dat"))
      const kept = coreNetworkFiles({ directory, magic: MAGIC }, notify)
      assert.isUndefined(yield* kept.loadTable)
      assert.deepStrictEqual(yield* kept.loadAnchors, [])
      assert.lengthOf(lines, 2)
      assert.isTrue(lines.every((line) => line.includes(".dat: it is a directory")), lines.join("\n"))
      assert.isUndefined(yield* kept.saveTable(filled()))
      assert.isUndefined(yield* kept.saveAnchors([]))
      lines.splice(0)
      assert.isString(yield* core.saveTable(filled()))
      const keep = { bans: { version: () => -1 } as BanList, book: addressBook(environment), anchors: () => [] }
      yield* savedFiles({ directory, core }, environment, notify).saveAll(keep)
      assert.lengthOf(lines, 2)
      assert.isTrue(lines.every((line) => line.includes(".dat cannot be written: ")))
    }))

  it.live("peers.dat of another version is backed up, and the node begins anew", () =>
    Effect.gen(function*() {
      const { core, peers, said } = yield* place
      yield* core.saveTable(filled())
      const body = new Uint8Array(readFileSync(peers)).slice(0, -32)
      body.set([99, 32 + 99], 4)
      const bytes = Uint8Array.of(...body, ...peersChecksum(body))
      writeFileSync(peers, bytes)
      assert.isUndefined(yield* core.loadTable)
      assert.deepStrictEqual(said, [
        `Creating new peers.dat because the file version was not compatible ("${peers}"). ` +
        "Original backed up to peers.dat.bak"
      ])
      assert.deepStrictEqual(new Uint8Array(readFileSync(`${peers}.bak`)), bytes)
    }))

  it.live("peers.dat and banlist.json are written by the first start, and by later ones left as they are", () =>
    Effect.gen(function*() {
      const { core, directory, notify, peers } = yield* place
      const bans = join(directory, "banlist.json")
      const files = savedFiles({ directory, core }, environment, notify)
      assert.deepStrictEqual([existsSync(peers), existsSync(bans)], [false, false])
      yield* files.load
      assert.deepStrictEqual(JSON.parse(readFileSync(bans, "utf8")).banned_nets, [])
      const written = readFileSync(peers)
      assert.strictEqual(written.length, 4_210)
      yield* files.load
      assert.deepStrictEqual(readFileSync(peers), written)
    }))

  it.live("anchors.dat is for one start alone", () =>
    Effect.gen(function*() {
      const { anchors, core, said } = yield* place
      const two = ["11.1.1.1:1", "12.1.1.1:2"].map(endpoint)
      assert.isUndefined(yield* core.saveAnchors(two))
      assert.deepStrictEqual((yield* core.loadAnchors).map(({ port }) => port), [1, 2])
      assert.isFalse(existsSync(anchors))
      assert.deepStrictEqual(yield* core.loadAnchors, [])
      writeFileSync(anchors, "damaged")
      assert.deepStrictEqual(yield* core.loadAnchors, [])
      assert.isFalse(existsSync(anchors))
      const flush = "DumpAnchors: Flush 2 outbound block-relay-only peer addresses to anchors.dat"
      const tried = (count: number) => `${count} block-relay-only anchors will be tried for connections.`
      assert.deepStrictEqual(said, [`${flush} started`, `${flush} completed`, tried(2), tried(0), tried(0)])
    }))
})
