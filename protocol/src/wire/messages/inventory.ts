import { compactSizeLength, writeCompactSize, writerOf } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { INVENTORY_ENTRY_SIZE, type InventoryEntry, readInventoryEntry, writeInventoryEntry } from "../inventory.ts"
import { readList } from "../payload-cursor.ts"

/** Objects that the sender has (`inv`), requests (`getdata`), or was asked for and lacks (`notfound`). */
export interface InventoryMessage<C extends "inv" | "getdata" | "notfound"> {
  readonly command: C
  readonly inventory: ReadonlyArray<InventoryEntry>
}

const inventory = <C extends "inv" | "getdata" | "notfound">(command: C): Codec<InventoryMessage<C>> => ({
  read: (cursor, limits) => ({
    command,
    inventory: readList(cursor, "inventory entries", limits.inventory, readInventoryEntry)
  }),
  write: (message) => {
    const count = message.inventory.length
    const writer = writerOf(compactSizeLength(count) + count * INVENTORY_ENTRY_SIZE)
    writeCompactSize(writer, count)
    for (const entry of message.inventory) writeInventoryEntry(writer, entry)
    return writer.bytes
  }
})

export const inv = inventory("inv")
export const getdata = inventory("getdata")
export const notfound = inventory("notfound")
