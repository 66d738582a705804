import { afterAll, assert, describe, it } from "@effect/vitest"
import { runNodeIn } from "../../cli/command-line.ts"
import { type GatedLine, gatedLine } from "./gated-line.ts"
import { ADDRESS, coinsOf, pause, place, type PlacedNode, until } from "./place.ts"
import { patience } from "../../process/patience.ts"

const BLOCKS = 600
/** The handshake, all headers, and some blocks. */
const SOME = 80_000
/** More than a block of nothing but a coinbase takes, and less than two. */
const BLOCK_BYTES = 400
const MANY = 10_000_000
const DAY = 86_400

const { clear, config, root, start, stop } = place("live-sync")
afterAll(clear)

/** Without garbage every byte belongs to a message, so that what was handled can be known from what came through. */
const PLAIN = ["--set", "connections.v2_transport=false"]

interface Status {
  readonly stage: string
  readonly progress_percent: number
  readonly blocks: number
  readonly headers: number
  readonly target_height: number
  readonly peers: number
  readonly blocks_in_flight: number
  readonly blocks_peers: number
  readonly blocks_per_second: number
  readonly initialblockdownload: boolean
}

interface Info {
  readonly blocks: number
  readonly headers: number
  readonly initialblockdownload: boolean
  readonly verificationprogress: number
}

interface PeerInfo {
  readonly synced_headers: number
  readonly synced_blocks: number
  readonly presynced_headers: number
  readonly inflight: ReadonlyArray<number>
  readonly last_block: number
  readonly last_transaction: number
  readonly bytesrecv_per_msg: Readonly<Record<string, number>>
}

const status = ({ call }: PlacedNode): Promise<Status> => call<Status>("getsyncstatus")

/** A node with an old chain, as one that is far from the present has it. */
const oldChain = async (): Promise<PlacedNode> => {
  const node = await start("old")
  await node.call("setmocktime", Math.floor(Date.now() / 1_000) - 3 * DAY)
  await node.call("generatetoaddress", BLOCKS, ADDRESS)
  return node
}

/** Changes of coins that are not on disk. */
const uncommitted = async ({ running }: PlacedNode): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${running.port}/metrics`, {
    headers: { authorization: "Bearer live-sync" }
  })
  const found = /^lockstep_coin_cache_changes (\d+)$/m.exec(await response.text())
  return found === null ? Number.NaN : Number(found[1])
}

/** Whether the node has handled all that came through, as far as whole messages go, and connected every block of it. */
const isHeld = async ({ call }: PlacedNode, passed: number): Promise<boolean> => {
  const [[peer], height] = await Promise.all([
    call<ReadonlyArray<PeerInfo>>("getpeerinfo"),
    call<number>("getblockcount")
  ])
  if (passed < SOME || peer === undefined || peer.inflight.length === 0) return false
  const handled = Object.values(peer.bytesrecv_per_msg).reduce((sum, bytes) => sum + bytes, 0)
  return passed - handled < BLOCK_BYTES && Math.min(...peer.inflight) === height + 1
}

/** Waits until the sync has some blocks, and gets no more. */
const untilHeld = async (node: PlacedNode, line: GatedLine): Promise<Status> => {
  await until(
    "the sync is held in the middle of its blocks",
    async () => await isHeld(node, line.passed()) && (await status(node)).stage === "Blocks"
  )
  return status(node)
}

describe("a sync that is watched", () => {
  it(
    "reports its progress, resumes after a kill from what was committed, and ends at the tip",
    { timeout: patience(180_000) },
    async () => {
      const old = await oldChain()
      const line = await gatedLine(old.p2pPort)
      const peer = ["--set", `persistent_peers=127.0.0.1:${line.port}`, ...PLAIN]
      let node = await start("new", peer)
      const rpc = (): ReadonlyArray<
        string
      > => ["--config", config, "--data-dir", node.directory, "--rpc-addr", `127.0.0.1:${node.running.port}`]
      try {
        line.allow(SOME)
        const held = await untilHeld(node, line)
        assert.deepInclude(held, {
          headers: BLOCKS,
          target_height: BLOCKS,
          peers: 1,
          blocks_peers: 1,
          initialblockdownload: true
        })
        assert.isTrue(held.progress_percent > 30 && held.progress_percent < 60, String(held.progress_percent))
        assert.isAbove(held.blocks_in_flight, 0)

        const info = await node.call<Info>("getblockchaininfo")
        assert.deepInclude(info, { blocks: held.blocks, headers: BLOCKS, initialblockdownload: true })
        assert.isTrue(info.verificationprogress > 0 && info.verificationprogress < 1)
        const [seen] = await node.call<ReadonlyArray<PeerInfo>>("getpeerinfo")
        assert.deepInclude(seen, { synced_headers: BLOCKS, presynced_headers: -1, last_transaction: 0 })
        assert.strictEqual(seen?.inflight.length, held.blocks_in_flight)
        assert.isTrue(seen!.inflight.every((height) => height > held.blocks && height <= BLOCKS))
        assert.strictEqual(seen!.synced_blocks, held.blocks)
        assert.isAbove(seen!.last_block, Math.floor(Date.now() / 1_000) - 60)

        const watched = runNodeIn(root, ["sync", ...rpc()])
        const once = await runNodeIn(root, ["sync", "--once", ...rpc()])
        assert.match(
          once.stdout,
          new RegExp(
            `^Blocks \\(\\d+ %\\): ${held.blocks} of ${BLOCKS} blocks \\(\\d+ %\\), [\\d.]+ blocks/s, [\\d,]+ inputs/s, 1 peer, cache \\d+ MiB.*\\n$`
          )
        )

        // What is written after some idle seconds is not fetched again.
        await until("what came is committed", async () => await uncommitted(node) === 0)
        await stop(node, "SIGKILL")
        assert.notStrictEqual((await watched).code, 0)
        node = await start("new", peer)
        assert.strictEqual(await node.call("getblockcount"), held.blocks)
        const ending = runNodeIn(root, ["sync", ...rpc()])
        await until("headers are asked for", async () => (await status(node)).peers === 1)
        line.allow(MANY)
        const { code, stderr, stdout } = await ending
        assert.deepStrictEqual([code, stdout], [0, `caught up at height ${BLOCKS}\n`])
        assert.match(stderr, /^Synced \(100 %\): 600 of 600 blocks \(100 %\)/m)
        assert.strictEqual(await coinsOf(node), await coinsOf(old))
        const [after] = await node.call<ReadonlyArray<PeerInfo>>("getpeerinfo")
        const each = seen!.bytesrecv_per_msg["block"]! / held.blocks
        const again = after!.bytesrecv_per_msg["block"]! / each - (BLOCKS - held.blocks)
        assert.isBelow(again, 17, "blocks that were fetched twice")
        assert.deepInclude(after, { synced_headers: BLOCKS, synced_blocks: BLOCKS, inflight: [] })

        const log = node.running.stdout()
        for (
          const part of [
            /"sync: Headers"/,
            /"sync: Blocks"/,
            /"IBD: \d+ \/ 600","percent":[\d.]+,"blocks_per_second":[\d.]+,"inputs_per_second":\d+,"peers":1,"cache_mib":[\d.]+/,
            /"sync: Synced"/
          ]
        ) {
          assert.match(log, part)
        }
      } finally {
        line.close()
        await stop(node)
        await stop(old)
      }
    }
  )

  it("fails while nothing may be written, says why, and keeps its peers", { timeout: patience(180_000) }, async () => {
    const whole = await start("whole")
    let full = await start("full", ["--set", "storage.min_free_disk_mb=900000000"])
    try {
      await whole.call("generatetoaddress", 120, ADDRESS)
      await full.call("addnode", `127.0.0.1:${whole.p2pPort}`, "add")
      await until("the sync has failed", async () => (await status(full)).stage === "Error")
      await until("the peer is there", async () => (await status(full)).peers === 1)
      await pause(3_000)
      const failed = await full.call<Status & { readonly error: string }>("getsyncstatus")
      assert.match(failed.error, /^Less than 900000000 MiB are free in /)
      assert.deepInclude(failed, { stage: "Error", progress_percent: 0, blocks: 0, peers: 1, blocks_in_flight: 0 })
      const where = ["--config", config, "--data-dir", full.directory, "--rpc-addr", `127.0.0.1:${full.running.port}`]
      const { stdout } = await runNodeIn(root, ["sync", "--once", ...where])
      assert.match(stdout, /^Error \(0 %\): Less than 900000000 MiB are free in .*\n$/)
      const log = full.running.stdout().split("\n").filter((line) => line.includes("\"sync: Error\""))
      assert.lengthOf(log, 1)
      assert.include(log[0], "\"level\":\"error\"")
      await stop(full)
      full = await start("full", [], { NODE_IBD_PEERS: `127.0.0.1:${whole.p2pPort}` })
      await until("the chain is there", async () => (await status(full)).stage === "Synced")
      assert.strictEqual(await coinsOf(full), await coinsOf(whole))
    } finally {
      await stop(full)
      await stop(whole)
    }
  })
})
