import { afterEach, assert, describe, it } from "vitest"
import { type Migration, startModule } from "../src/index.ts"
import { type FakeNode, fakeNode } from "../src/test-kit/fake-node.ts"

let node: FakeNode | undefined
afterEach(() => node?.close())

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const shown = ({ database }: FakeNode) =>
  Object.fromEntries(database().map(({ key, value }) => [Buffer.from(key).toString(), Buffer.from(value).toString()]))

/** A migration that puts one entry, and one that renames it. */
const FIRST: Migration = { about: "the first form", run: () => ({ puts: [{ key: bytes("a"), value: bytes("1") }] }) }
const SECOND: Migration = {
  about: "another name",
  run: async ({ node: { ask } }) => {
    const { value: [old] } = await ask("ReadStorage", { keys: [bytes("a")] })
    return { puts: [{ key: bytes("b"), value: old! }], removals: [bytes("a")] }
  }
}

/** Starts a module with these migrations, and ends it. */
const start = async (on: FakeNode, migrations: ReadonlyArray<Migration>): Promise<void> => {
  const { over, stop } = await startModule({ version: "1.0.0", migrations }, on.environment)
  stop()
  await over
}

const failure = (on: FakeNode, migrations: ReadonlyArray<Migration>): Promise<string> =>
  start(on, migrations).then(() => "started", (error: unknown) => (error as Error).message)

describe("migrations of the database of a module", () => {
  it("run once each, in order, and before the module sets up", async () => {
    node = await fakeNode()
    await start(node, [FIRST])
    assert.deepStrictEqual(shown(node), { a: "1", "sdk.migrations": "1" })
    await start(node, [FIRST, SECOND])
    assert.deepStrictEqual(shown(node), { b: "1", "sdk.migrations": "2" })
    await start(node, [FIRST, SECOND])
    assert.deepStrictEqual(node.log.map(({ message }) => message), [
      "migration 1: the first form",
      "migration 2: another name"
    ])
    const seen: Array<string> = []
    const { over, stop } = await startModule({
      version: "1.0.0",
      migrations: [FIRST, SECOND, { about: "third", run: () => void seen.push("migration") }],
      setup: () => seen.push("setup")
    }, node.environment)
    stop()
    await over
    assert.deepStrictEqual(seen, ["migration", "setup"])
  })

  it("are written in one batch with the note that they have run", async () => {
    node = await fakeNode()
    await start(node, [FIRST, SECOND])
    const writes = node.requests.filter(({ _tag }) => _tag === "WriteStorage")
    assert.deepStrictEqual(
      writes.map((each) => each._tag === "WriteStorage" && [each.puts.length, each.removals.length]),
      [[2, 0], [2, 1]]
    )
  })

  it("that fail end the module with their reason, and run again at the next start", async () => {
    node = await fakeNode()
    const broken: Migration = {
      about: "breaks",
      run: () => {
        throw new Error("no such form")
      }
    }
    assert.strictEqual(await failure(node, [FIRST, broken]), "no such form")
    assert.deepStrictEqual(shown(node), { a: "1", "sdk.migrations": "1" })
    assert.strictEqual(await failure(node, [FIRST, SECOND]), "started")
    assert.deepStrictEqual(shown(node), { b: "1", "sdk.migrations": "2" })
  })

  it("are refused where a later program has changed the database", async () => {
    node = await fakeNode()
    await start(node, [FIRST, SECOND])
    assert.strictEqual(
      await failure(node, [FIRST]),
      "the database has seen 2 migrations, and this program knows 1: install the later version again"
    )
  })

  /** Starts a module on a database that says how many migrations have run. */
  const startWhere = async (noted: string): Promise<string> => {
    node = await fakeNode()
    await start(node, [FIRST])
    const { context, over, stop } = await startModule({ version: "1.0.0" }, node.environment)
    await context.node.ask("WriteStorage", {
      puts: [{ key: bytes("sdk.migrations"), value: bytes(noted) }],
      removals: [bytes("a")]
    })
    stop()
    await over
    return failure(node, [FIRST])
  }

  it.each(["x", "-1", "1.5", "1e99"])("are refused where the database says that %s have run", async (text) => {
    assert.strictEqual(await startWhere(text), "the number of migrations in the database is none")
  })

  it("all run where the database says that none has", async () => {
    assert.strictEqual(await startWhere("0"), "started")
    assert.deepStrictEqual(shown(node!), { a: "1", "sdk.migrations": "1" })
  })
})
