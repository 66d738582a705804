import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { transactionOf } from "@lockstep/kernel/model"
import { assert, describe, it } from "vitest"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"

const TOKEN = "events-admin"
const MEBIBYTE = 1_048_576

interface LoggedEvent {
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
}

const eventsOf = (node: RunningNode): ReadonlyArray<LoggedEvent> =>
  node.stdout().split("\n").filter((line) => line.endsWith("}") && line.includes(`"category":"events"`)).map((line) => {
    const { event, payload } = JSON.parse(line) as { event: string; payload: string }
    return { event, payload: JSON.parse(payload) as Record<string, unknown> }
  })

const until = async (node: RunningNode, name: string, count = 1): Promise<ReadonlyArray<LoggedEvent["payload"]>> => {
  for (let tries = 0; tries < 600; tries++) {
    const found = eventsOf(node).filter(({ event }) => event === name)
    if (found.length >= count) return found.map(({ payload }) => payload)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no ${name}:\n${node.stdout()}`)
}

/** What is to be kept free so that the rest of the disk is nine tenths full. */
const nearlyFull = (directory: string): number => {
  const { bavail, blocks, bsize } = statfsSync(directory)
  const used = (blocks - bavail) * bsize
  return Math.floor((blocks * bsize - used * 1.08) / MEBIBYTE)
}

const withNode = async (use: (node: RunningNode) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-events-"))
  const file = join(root, "node.toml")
  writeFileSync(
    file,
    configWith(
      TOKEN,
      `[logging]`,
      `level = "debug"`,
      `[storage]`,
      `maintenance_interval_secs = 1`,
      `min_free_disk_mb = ${nearlyFull(root)}`,
      `[storage.pruning]`,
      `mode = "manual"`
    )
  )
  const node = await startNode(join(root, "data"), { args: ["--config", file], token: TOKEN })
  try {
    await use(node)
    await node.client.call("stop")
    assert.strictEqual((await node.ended).exitCode, 0)
  } finally {
    node.signal("SIGKILL")
    await node.ended
    node.client.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Spends the coinbase of the first block, which anyone can. */
const spendOfFirst = async (node: RunningNode): Promise<string> => {
  const { tx: [txid] } = await node.client.call("getblock", await node.client.call("getblockhash", 1), 1) as {
    tx: ReadonlyArray<string>
  }
  const prevout = { txid: new Uint8Array(Buffer.from(txid!, "hex")).reverse(), vout: 0 }
  const script = Uint8Array.from([0x00, 0x20, ...new Uint8Array(32)])
  return hexOf(
    transactionOf({
      version: 2,
      inputs: [{ prevout, script: new Uint8Array(0), sequence: 0xffffffff, witness: [Uint8Array.of(0x51)] }],
      outputs: [{ value: 4_999_990_000n, script }],
      lockTime: 0
    }).bytes
  )
}

describe("a running node emits", () => {
  it("transactions, templates, maintenance by the clock and by hand, and resources that are close to their limits", () =>
    withNode(async (node) => {
      const { client } = node
      const [warning] = await until(node, "ResourceLimitWarning")
      assert.deepInclude(warning, { resource_type: "disk", threshold_percent: 90 })
      assert.closeTo(warning!["usage_percent"] as number, 92.6, 2)

      const hashes = await client.call("generatetoaddress", 101, OPEN_ADDRESS) as ReadonlyArray<string>
      const templates = await until(node, "BlockTemplateUpdated")
      assert.deepInclude(templates.at(-1), { previous_hash: hashes.at(-1), height: 102, transactions: 0 })

      const txid = await client.call("sendrawtransaction", await spendOfFirst(node))
      const [accepted] = await until(node, "NewTransaction")
      assert.strictEqual(accepted!["txid"], txid)
      assert.notStrictEqual(accepted!["wtxid"], txid)

      await client.call("generatetoaddress", 900, OPEN_ADDRESS)
      await client.call("pruneblockchain", 500)
      await until(node, "MaintenanceCompleted", 2)
      const maintenance = eventsOf(node).filter(({ event }) => event.includes("Maintenance"))
      const manual = maintenance.findIndex(({ payload }) => payload["reason"] === "manual")
      assert.deepStrictEqual(maintenance[manual]!.payload, {
        operation: "cleanup",
        urgency: "medium",
        reason: "manual"
      })
      assert.isTrue(
        maintenance.slice(manual).some(({ event, payload }) =>
          event === "MaintenanceCompleted" && payload["maintenance_type"] === "prune"
        )
      )
      const periodic = maintenance.filter(({ payload }) =>
        payload["reason"] === "periodic" || payload["maintenance_type"] === "cleanup"
      )
      assert.deepStrictEqual(periodic[0]!.payload, { operation: "both", urgency: "low", reason: "periodic" })
      assert.strictEqual(periodic[1]!.event, "MaintenanceStarted")
      assert.strictEqual(periodic[2]!.event, "MaintenanceCompleted")
      assert.deepInclude(periodic[2]!.payload, { maintenance_type: "cleanup", success: true })
    }))
})
