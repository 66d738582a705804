import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CACHE, spawnNode } from "../process/node-process.ts"

interface Place {
  readonly name: string
  /** Makes what is there, below the data directory of all networks. */
  readonly prepare: (data: string) => void
  readonly says: Readonly<Record<"verify" | "rebuild", RegExp | undefined>>
}

const NOTHING = /^node: The data directory <data>\/regtest does not exist or is empty: [^\n]*--data-dir[^\n]*\n$/

const PLACES: ReadonlyArray<Place> = [
  { name: "that does not exist", prepare: () => {}, says: { verify: NOTHING, rebuild: NOTHING } },
  {
    name: "that is empty",
    prepare: (data) => mkdirSync(join(data, "regtest"), { recursive: true }),
    says: { verify: NOTHING, rebuild: NOTHING }
  },
  {
    name: "with other files",
    prepare: (data) => {
      mkdirSync(join(data, "regtest", "blocks"), { recursive: true })
      writeFileSync(join(data, "regtest", "notes.txt"), "notes")
    },
    says: {
      verify: /^node: The data directory <data>\/regtest holds no chain: /,
      rebuild: /^node: The data directory <data>\/regtest holds no chain: /
    }
  },
  {
    name: "with block files alone",
    prepare: (data) => {
      mkdirSync(join(data, "regtest", "blocks"), { recursive: true })
      writeFileSync(join(data, "regtest", "blocks", "blk00000.dat"), "")
    },
    says: {
      verify: /^node: There are block files in <data>\/regtest and no store to check: run `lockstep rebuild`/,
      rebuild: undefined
    }
  }
]

const contentOf = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) ? readdirSync(directory, { recursive: true }).map(String).sort() : []

describe("a data directory without a chain", () => {
  for (const { name, prepare, says } of PLACES) {
    for (const command of ["verify", "rebuild"] as const) {
      const words = says[command]
      if (words === undefined) continue
      it(`${name} is refused by ${command}, and left as it is`, async () => {
        const root = mkdtempSync(join(tmpdir(), "lockstep-no-chain-"))
        const data = join(root, "data")
        try {
          prepare(data)
          const before = contentOf(root)
          const { exitCode, stderr, stdout } = await spawnNode([command, "--network", "regtest", "--data-dir", data], {
            HOME: root,
            XDG_CACHE_HOME: CACHE
          }).ended
          assert.deepStrictEqual([exitCode, stdout], [1, ""], stderr)
          assert.match(stderr.replaceAll(data, "<data>"), words)
          assert.deepStrictEqual(contentOf(root).filter((path) => !path.startsWith(".cache")), before)
        } finally {
          rmSync(root, { recursive: true, force: true })
        }
      })
    }
  }
})
