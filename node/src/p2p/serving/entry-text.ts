import { InventoryType, type InventoryEntry } from "@lockstep/protocol/wire/inventory.ts"
import { displayHash } from "../../hex.ts"

const NAMES: ReadonlyMap<number, string> = new Map([
  [InventoryType.TX, "tx"],
  [InventoryType.WITNESS_TX, "witness-tx"],
  [InventoryType.WTX, "wtx"],
  [InventoryType.BLOCK, "block"],
  [InventoryType.WITNESS_BLOCK, "witness-block"],
  [InventoryType.FILTERED_BLOCK, "merkleblock"],
  [InventoryType.COMPACT_BLOCK, "cmpctblock"]
])

/** Returns an inventory entry in the words of Bitcoin Core's log. */
export const entryText = ({ hash, type }: InventoryEntry): string =>
  `${NAMES.get(type) ?? `0x${type.toString(16).padStart(8, "0")}`} ${displayHash(hash)}`
