import { afterAll, assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer } from "node:http"
import { inDirectory, runNodeIn } from "./command-line.ts"

const SYNCED = {
  stage: "Synced",
  progress_percent: 100,
  blocks: 1_234,
  headers: 1_234,
  target_height: 1_234,
  initialblockdownload: false,
  peers: 1
}

/** What a node answers one after another, the last again and again. */
const ANSWERS: ReadonlyArray<unknown> = [
  { error: { code: -28, message: "Loading the chain" } },
  { error: { code: -31, message: "Error: Peer-to-peer functionality missing or disabled" } },
  {
    result: {
      ...SYNCED,
      stage: "Blocks",
      progress_percent: 45,
      blocks: 617,
      blocks_per_second: 10.5,
      inputs_per_second: 20,
      eta_seconds: 59
    }
  },
  { result: { ...SYNCED, stage: "Error", progress_percent: 0, error: "the disk is full" } },
  { result: SYNCED }
]

describe("node sync", () => {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on(
      "end",
      () =>
        response.end(
          JSON.stringify({ jsonrpc: "2.0", id: 1, ...ANSWERS[Math.min(asked++, ANSWERS.length - 1)] as object })
        )
    )
  })
  afterAll(() => void server.close())

  it("waits for a node that starts, reports each stage, and ends when it has caught up", async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as { readonly port: number }
    const { code, stderr, stdout } = await inDirectory((directory) =>
      runNodeIn(directory, ["sync", "--rpc-addr", `127.0.0.1:${port}`])
    )
    assert.deepStrictEqual([code, stdout], [0, "caught up at height 1,234\n"])
    assert.deepStrictEqual(stderr.split("\n"), [
      "Starting: Loading the chain",
      "Blocks (45 %): 617 of 1,234 blocks (50 %), 10.5 blocks/s, 20 inputs/s, 1 peer, cache 0 MiB, 0:59 left",
      "Error (0 %): the disk is full",
      "Synced (100 %): 1,234 of 1,234 blocks (100 %), 0 blocks/s, 0 inputs/s, 1 peer, cache 0 MiB",
      ""
    ])
  })
})

describe("node sync on a private network", () => {
  const ALONE = { ...SYNCED, stage: "Initial", progress_percent: 0, blocks: 101, headers: 101, peers: 0 }

  const outcomeOf = async (answers: ReadonlyArray<unknown>, args: ReadonlyArray<string> = []) => {
    let asked = 0
    const server = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        const result = answers[Math.min(asked++, answers.length - 1)]
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    try {
      const { port } = server.address() as { readonly port: number }
      return await inDirectory((directory) =>
        runNodeIn(directory, ["sync", "--rpc-addr", `127.0.0.1:${port}`, ...args])
      )
    } finally {
      server.close()
    }
  }

  it("ends after some seconds without a peer, and says so", async () => {
    const { code, stdout } = await outcomeOf([ALONE])
    assert.deepStrictEqual([code, stdout], [0, "no peers connected: nothing to sync with at height 101\n"])
  })

  it("goes on where a peer connects in time", async () => {
    const { code, stdout } = await outcomeOf([ALONE, ALONE, { ...ALONE, peers: 1 }, SYNCED])
    assert.deepStrictEqual([code, stdout], [0, "caught up at height 1,234\n"])
  })
})
