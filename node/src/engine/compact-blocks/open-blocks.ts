import type { Reconstruction } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"

/** Blocks that are being reconstructed, by id. If there are too many, the oldest is dropped. */
export interface OpenBlocks {
  readonly open: (id: number, block: Reconstruction) => void
  readonly find: (id: number) => Reconstruction | undefined
  readonly close: (id: number) => void
  readonly size: () => number
}

/** The maximum at a time. Each block has at most three senders, and only blocks up to two above the tip are reconstructed. */
const MOST = 24

export const openBlocks = (most = MOST): OpenBlocks => {
  const blocks = new Map<number, Reconstruction>()
  return {
    open: (id, block) => {
      blocks.set(id, block)
      if (blocks.size > most) blocks.delete(blocks.keys().next().value!)
    },
    find: (id) => blocks.get(id),
    close: (id) => void blocks.delete(id),
    size: () => blocks.size
  }
}
