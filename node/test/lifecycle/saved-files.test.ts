import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { patience } from "../process/patience.ts"
import { until, wireNodes } from "../p2p/sockets/wire-node.ts"

const FILES = ["mempool.dat", "fee_estimates.dat"] as const

/** What each file is made of, and what the log says of it. */
const ROUNDS: ReadonlyArray<ReadonlyArray<readonly [content: (saved: Buffer) => Uint8Array, fault: RegExp]>> = [
  [
    [(saved) => saved.subarray(0, saved.length - 1), /it ends early or is damaged/],
    [() => Buffer.from("what is this doing here?"), /its version is/]
  ],
  [
    [() => Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0), /its version is 3/],
    [(saved) => saved.subarray(0, saved.length >> 1), /it ends early/]
  ]
]

describe("a node whose saved files are of no use", () => {
  it("names them, sets them aside and starts", { timeout: patience(90_000) }, async () => {
    const nodes = wireNodes()
    try {
      const first = await nodes.start("node")
      await nodes.stop(first)
      const paths = FILES.map((name) => join(first.directory, "regtest", name))
      const saved = paths.map((path) => readFileSync(path))
      for (const damages of ROUNDS) {
        const contents = damages.map(([content], i) => content(saved[i]!))
        paths.forEach((path, i) => writeFileSync(path, contents[i]!))
        const node = await nodes.start("node")
        const isLoaded = async () => (await node.call<{ readonly loaded: boolean }>("getmempoolinfo")).loaded
        await until("the mempool is loaded", isLoaded)
        for (const [i, path] of paths.entries()) {
          await until(`${path} is set aside`, () => existsSync(`${path}.damaged`))
          assert.deepStrictEqual(readFileSync(`${path}.damaged`), Buffer.from(contents[i]!))
          await until("the log says so", () => node.running.stdout().includes(`${path}.damaged`))
          assert.match(node.running.stdout(), damages[i]![1])
        }
        await nodes.stop(node)
        // What the node saves at its end is in order.
        paths.forEach((path, i) => assert.strictEqual(readFileSync(path).length, saved[i]!.length))
        for (const path of paths) rmSync(`${path}.damaged`)
      }
    } finally {
      await nodes.end()
    }
  })
})
