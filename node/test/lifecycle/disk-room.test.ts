import { assert, describe, it } from "@effect/vitest"
import type { NodeConfig } from "../../src/config/config.ts"
import { littleRoom } from "../../src/lifecycle/disk-room.ts"

const GIBIBYTE = 2 ** 30

const configOf = (network: NodeConfig["network"], storage: Partial<NodeConfig["storage"]> = {}): NodeConfig =>
  ({
    network,
    dataDirectory: "/data/node",
    storage: { pruning: { _tag: "Disabled" }, coreBlocks: undefined, copyCoreBlocks: false, ...storage }
  }) as NodeConfig

const withFree = (gibibytes: number) => (): number => gibibytes * GIBIBYTE

describe("the warning about a disk that is too small for the chain", () => {
  it("names what is free and what is needed, and how to need less, where all blocks are kept", () => {
    assert.strictEqual(
      littleRoom(configOf("mainnet"), 0, withFree(64)),
      "the disk of /data/node has 64 GiB free, and the rest of the chain takes about 827 GiB; " +
        "choose a larger disk with --data-dir, or keep recent blocks only with [storage.pruning].target_mb"
    )
    assert.isUndefined(littleRoom(configOf("mainnet"), 0, withFree(900)))
  })

  it("counts the target of pruning and the coins, where blocks are pruned", () => {
    const pruned = configOf("mainnet", { pruning: { _tag: "TargetSize", bytes: 10 * GIBIBYTE } })
    assert.isUndefined(littleRoom(pruned, 0, withFree(64)))
    assert.strictEqual(
      littleRoom(pruned, 0, withFree(20)),
      "the disk of /data/node has 20 GiB free, and the rest of the chain takes about 27 GiB; choose a larger disk with --data-dir"
    )
  })

  it("counts the newest blocks alone, where no others are kept", () => {
    const recent = configOf("mainnet", { pruning: { _tag: "KeepBlocks", blocks: 288 } })
    assert.isUndefined(littleRoom(recent, 0, withFree(20)))
    assert.isDefined(littleRoom(recent, 0, withFree(15)))
  })

  it("counts what is on disk already, and blocks that are read in place", () => {
    assert.isUndefined(littleRoom(configOf("mainnet"), 0.9, withFree(100)))
    assert.isDefined(littleRoom(configOf("mainnet"), 0.9, withFree(50)))
    assert.isUndefined(littleRoom(configOf("mainnet"), 1, withFree(0)))
    const inPlace = { coreBlocks: "/core/blocks" }
    assert.isUndefined(littleRoom(configOf("mainnet", inPlace), 0, withFree(30)))
    assert.isDefined(littleRoom(configOf("mainnet", { ...inPlace, copyCoreBlocks: true }), 0, withFree(30)))
  })

  it("is not there on regtest, and is there on the other networks", () => {
    assert.isUndefined(littleRoom(configOf("regtest"), 0, withFree(0)))
    for (const network of ["testnet3", "testnet4", "signet"] as const) {
      assert.isDefined(littleRoom(configOf(network), 0, withFree(1)), network)
    }
  })
})
