import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { levelLogFault } from "../../../src/storage/key-value/opening/level-log-fault.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

/** The log that LevelDB itself writes for some batches, the last one of many blocks. */
const writtenLog = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const store = yield* openLevelStore(directory)
  for (let batch = 0; batch < 40; batch++) {
    yield* store.write((writer) => {
      for (let n = 0; n < (batch === 39 ? 2000 : 30); n++) {
        writer.put(Uint8Array.of(1, batch, n >>> 8, n), new Uint8Array(60).fill(n | 1))
      }
    })
  }
  yield* store.close
  const [name] = fs.readdirSync(directory).filter((candidate) => candidate.endsWith(".log"))
  return new Uint8Array(fs.readFileSync(join(directory, name!)))
})

const withBytes = (log: Uint8Array, from: number, bytes: Uint8Array): Uint8Array => {
  const copy = log.slice()
  copy.set(bytes, from)
  return copy
}

describe("the log of LevelDB", () => {
  it.effect("is sound as it is written, wherever a death cuts it off", () =>
    Effect.gen(function*() {
      const log = yield* writtenLog
      assert.isAbove(log.length, 5 * 32_768)
      for (let end = log.length; end > 0; end -= 997) {
        assert.isUndefined(levelLogFault(log.subarray(0, end)), `cut at ${end}`)
      }
      assert.isUndefined(levelLogFault(new Uint8Array(0)))
      const reserved = new Uint8Array(log.length + 50_000)
      reserved.set(log)
      assert.isUndefined(levelLogFault(reserved))
    }))

  it.effect("is not when a bit is flipped, anywhere", () =>
    Effect.gen(function*() {
      const log = yield* writtenLog
      for (let at = 3; at < log.length; at += 1499) {
        const fault = levelLogFault(withBytes(log, at, Uint8Array.of(log[at]! ^ 4)))
        assert.isDefined(fault, `flipped at ${at}`)
      }
    }))

  it.effect("may have sectors never written in its last record, and nowhere else", () =>
    Effect.gen(function*() {
      const log = yield* writtenLog
      const sectors = Math.floor(log.length / 512)
      assert.isUndefined(levelLogFault(withBytes(log, (sectors - 2) * 512, new Uint8Array(512))))
      assert.isDefined(levelLogFault(withBytes(log, 10 * 512, new Uint8Array(512))))
    }))

  it.effect("may have lost any sectors of its last record, headers among them, but none of one that others follow", () =>
    Effect.gen(function*() {
      const log = yield* writtenLog
      // The last batch begins behind 39 of the same size; each block that one of them crosses into costs another head.
      const first = new DataView(log.buffer, log.byteOffset).getUint16(4, true) + 7
      const last = first * 39 + 7 * Math.floor(first * 39 / 32_768)
      const firstSector = Math.ceil(last / 512)
      const without = (...sectors: ReadonlyArray<number>): Uint8Array =>
        sectors.reduce<Uint8Array>((left, sector) => withBytes(left, sector * 512, new Uint8Array(512)), log)
      for (let sector = firstSector; sector < firstSector + 200; sector += 7) {
        assert.isUndefined(levelLogFault(without(sector)), `sector ${sector}`)
        assert.isUndefined(levelLogFault(without(sector, sector + 1, sector + 65)), `sectors from ${sector}`)
      }
      const header = withBytes(log, last, new Uint8Array(firstSector * 512 - last))
      assert.isUndefined(levelLogFault(header), "the header")
      for (let sector = 0; sector < firstSector - 1; sector += 3) {
        assert.isDefined(levelLogFault(without(sector)), `sector ${sector}`)
      }
    }))
})
