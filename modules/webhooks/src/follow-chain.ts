import { bytesEqual } from "@lockstep/kernel/bytes"
import type { ModuleEventPayload, NodeClient } from "@lockstep/sdk"
import { eventData } from "./event-json.ts"
import type { Outbox } from "./queue/outbox.ts"

type ChainStep = Extract<ModuleEventPayload, { readonly _tag: "NewBlock" | "BlockDisconnected" }>

/** Puts every step of the chain into the outbox, from the position on disk on. */
export interface ChainFollower {
  readonly start: () => Promise<void>
  readonly take: (step: ChainStep) => Promise<void>
  /** Restarts after the last step that was put, since steps may be missing. */
  readonly again: () => Promise<void>
  readonly stop: () => void
}

const RETRY_MS = 5_000
const SECOND = 1_000

/** Byte range of the parent's hash in a block header. */
const PARENT = { from: 4, to: 36 } as const
const TIME_AT = 68

/** Fetches the block of an event and its header. */
const blockOf = async (node: NodeClient, step: ChainStep) => {
  const hash = step._tag === "NewBlock" ? step.block_hash : step.hash
  const { value: header } = await node.ask("GetBlockHeader", { hash })
  if (header === undefined) throw new Error(`the node has no header of a block at height ${step.height}`)
  return { hash, header, parent: header.subarray(PARENT.from, PARENT.to) }
}

/**
 * Follows the chain. A step that does not connect to the last one was put before, as after {@link ChainFollower.again},
 * and is skipped.
 */
export const chainFollower = (node: NodeClient, outbox: Outbox, oldestBlockSeconds: number): ChainFollower => {
  let position: Uint8Array | undefined
  let retry: NodeJS.Timeout | undefined
  let isOver = false

  const again = async (): Promise<void> => {
    clearTimeout(retry)
    if (isOver || position === undefined) return
    try {
      await node.ask("FollowChain", { from_block: position })
    } catch (error) {
      // After a reindex the node may not know the block yet.
      node.log("Warn", `the chain cannot be followed from the last block: ${(error as Error).message}; trying again`)
      retryLater()
    }
  }
  const retryLater = (): void => {
    clearTimeout(retry)
    if (!isOver) retry = setTimeout(() => void again(), RETRY_MS)
  }

  const taken = async (step: ChainStep): Promise<void> => {
    const { hash, header, parent } = await blockOf(node, step)
    const isConnect = step._tag === "NewBlock"
    if (position === undefined || !bytesEqual(isConnect ? parent : hash, position)) return
    const next = isConnect ? hash : parent
    const time = Buffer.from(header).readUInt32LE(TIME_AT)
    const isOld = oldestBlockSeconds > 0 && time < Date.now() / SECOND - oldestBlockSeconds
    if (isOld) await outbox.savePosition(next)
    else {
      const more = {
        previous_hash: Buffer.from(parent.toReversed()).toString("hex"),
        time,
        header: Buffer.from(header).toString("hex")
      }
      await outbox.put(step._tag, { ...eventData(step), ...more }, next)
    }
    position = next
  }

  return {
    start: async () => {
      position = await outbox.position()
      if (position === undefined) {
        position = (await node.ask("GetChainTip")).value
        await outbox.savePosition(position)
      }
      await again()
      node.log("Info", `${outbox.hooks.length} hooks follow the chain`)
    },
    take: async (step) => {
      try {
        await taken(step)
      } catch (error) {
        retryLater()
        throw error
      }
    },
    again,
    stop: () => {
      isOver = true
      clearTimeout(retry)
    }
  }
}
