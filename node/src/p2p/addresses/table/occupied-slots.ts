import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { KnownNode } from "./known-node.ts"

/** A slot with its node. */
export interface OccupiedSlot {
  readonly bucket: number
  readonly place: number
  readonly node: KnownNode
}

/** Returns the occupied slots of a table, in order. */
export const occupiedSlots = (slots: ReadonlyArray<KnownNode | undefined>): ReadonlyArray<OccupiedSlot> => {
  const { most } = ADDRESS_LIMITS.bucketSize
  return slots.flatMap((node, i) => node === undefined ? [] : [{ bucket: Math.floor(i / most), place: i % most, node }])
}
