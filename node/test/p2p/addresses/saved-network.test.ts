import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSubnet } from "../../../src/net/subnet.ts"
import { reputation } from "../../../src/p2p/connections/reputation.ts"
import type { P2pNotifications } from "../../../src/p2p/basics/p2p-notifications.ts"
import { savedFiles } from "../../../src/p2p/saved/saved-network.ts"
import { replaceSmallFile } from "../../../src/p2p/saved/small-file.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"

const NOW = unixSeconds(1_700_193_573)

const place = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const lines: Array<string> = []
  const environment = { now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(4) }
  const notify: P2pNotifications = {
    event: () => undefined,
    log: (level, message) => void lines.push(`${level}: ${message}`)
  }
  return { directory, lines, environment, notify, files: savedFiles({ directory }, environment, notify) }
})

describe("what the network layer keeps across restarts", () => {
  it.live("addresses, bans and the peers to connect to first", () =>
    Effect.gen(function*() {
      const { directory, environment, files, lines, notify } = yield* place
      const first = yield* files.load
      assert.deepStrictEqual([first.book.size(), first.bans, first.anchors], [0, [], []])
      first.book.add([{ ...endpoint("11.1.1.1:8333"), services: 9n, time: NOW }], endpoint("12.1.1.1:1").address)
      const { bans } = reputation(environment, notify)
      bans.ban({ subnet: parseSubnet("192.0.2.0/24")!, created: NOW, until: unixSeconds(NOW + 10) })
      yield* files.saveAll({ book: first.book, bans, anchors: () => [endpoint("11.1.1.1:8333")] })
      const second = yield* savedFiles({ directory }, environment, notify).load
      assert.deepStrictEqual(second.book.table.list.map(({ key }) => key), first.book.table.list.map(({ key }) => key))
      assert.deepStrictEqual(second.bans, bans.list(NOW))
      assert.deepStrictEqual(second.anchors, [endpoint("11.1.1.1:8333")])
      const third = yield* savedFiles({ directory }, environment, notify).load
      assert.deepStrictEqual(third.anchors, [], "after a crash no peer is trusted to be the same")
      assert.deepStrictEqual(lines, [])
    }))

  it.live("anchors stay as they are in a run in which the node chooses no peers", () =>
    Effect.gen(function*() {
      const { directory, environment, files, notify } = yield* place
      const { book } = yield* files.load
      const { bans } = reputation(environment, notify)
      const keep = { book, bans, anchors: () => [endpoint("11.1.1.1:8333")] }
      yield* files.saveAll(keep)
      const between = savedFiles({ directory, choosesPeers: false }, environment, notify)
      assert.deepStrictEqual((yield* between.load).anchors, [])
      yield* between.saveAll({ ...keep, anchors: () => [] })
      assert.deepStrictEqual((yield* savedFiles({ directory }, environment, notify).load).anchors, keep.anchors())
    }))

  for (const name of ["peers.json", "banlist.json", "anchors.json"]) {
    it.live(`a damaged ${name} is named, put aside, and the node starts without it`, () =>
      Effect.gen(function*() {
        const { directory, files, lines } = yield* place
        writeFileSync(join(directory, name), "{\"damaged\"")
        const { anchors, bans, book } = yield* files.load
        assert.deepStrictEqual([book.size(), bans, anchors], [0, [], []])
        assert.strictEqual(lines.length, 1)
        assert.include(lines[0], `${join(directory, name)} is damaged`)
        assert.strictEqual(readFileSync(join(directory, `${name}.damaged`), "utf8"), "{\"damaged\"")
        assert.isFalse(existsSync(join(directory, name)))
        writeFileSync(join(directory, name), "{\"damaged again\"")
        yield* files.load
        assert.include(lines[1], `${name}.damaged-2`)
        assert.strictEqual(readFileSync(join(directory, `${name}.damaged`), "utf8"), "{\"damaged\"")
        assert.strictEqual(readFileSync(join(directory, `${name}.damaged-2`), "utf8"), "{\"damaged again\"")
      }))
  }

  it.live("a file that cannot be read or written stops nothing", () =>
    Effect.gen(function*() {
      const { directory, environment, files, lines, notify } = yield* place
      mkdirSync(join(directory, "peers.json"))
      const { book } = yield* files.load
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "leaves it as it is")
      mkdirSync(join(directory, "banlist.json"))
      yield* files.saveBans(reputation(environment, notify).bans)
      assert.strictEqual(lines.length, 2)
      assert.include(lines[1], "cannot be written")
      assert.strictEqual(book.size(), 0)
      chmodSync(directory, 0o700)
    }))

  it.live("what stands where a file cannot be read is neither moved nor written over, whatever it is", () =>
    Effect.gen(function*() {
      for (const name of ["peers.json", "banlist.json", "anchors.json"]) {
        for (const make of [(path: string) => mkdirSync(path), (path: string) => execFileSync("mkfifo", [path])]) {
          const { directory, environment, files, lines, notify } = yield* place
          const path = join(directory, name)
          make(path)
          const { book } = yield* files.load
          assert.strictEqual(lines.length, 1, lines.join("\n"))
          assert.include(lines[0], `warn: Cannot read ${path}: it is a`)
          const { bans } = reputation(environment, notify)
          bans.ban({ subnet: parseSubnet("192.0.2.0/24")!, created: NOW, until: unixSeconds(NOW + 10) })
          yield* files.saveAll({ book, bans, anchors: () => [endpoint("11.1.1.1:8333")] })
          assert.isFalse(lstatSync(path).isFile(), name)
          assert.deepStrictEqual(readdirSync(directory).filter((each) => each.startsWith(name)), [name])
          assert.strictEqual(lines.length, 1)
        }
      }
    }))

  it.live("the same file may be written at once by several", () =>
    Effect.gen(function*() {
      const { directory } = yield* place
      const path = join(directory, "file")
      const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(1_000 * (20 - i)))
      const faults = yield* Effect.forEach(texts, (text) => replaceSmallFile(path, Buffer.from(text)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(faults.filter((fault) => fault !== undefined), [])
      assert.strictEqual(readFileSync(path, "utf8"), texts.at(-1))
    }))

  it.live("bans are written when they have changed, and only then", () =>
    Effect.gen(function*() {
      const { directory, environment, files, notify } = yield* place
      const { bans } = reputation(environment, notify)
      yield* files.saveBans(bans)
      const path = join(directory, "banlist.json")
      writeFileSync(path, "touched")
      yield* files.saveBans(bans)
      assert.strictEqual(readFileSync(path, "utf8"), "touched")
      bans.ban({ subnet: parseSubnet("192.0.2.1")!, created: NOW, until: unixSeconds(NOW + 10) })
      yield* files.saveBans(bans)
      assert.include(readFileSync(path, "utf8"), "192.0.2.1/32")
    }))
})
