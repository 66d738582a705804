/**
 * Event types without an event in this node, each with the reason. They keep their tags, because tags are positions.
 * They are never sent, so a module can neither subscribe to them nor publish them.
 */
export const RESERVED_EVENTS = {
  MempoolCleared: "the node never clears its mempool",
  StorageRead: "the node does not time single reads",
  StorageWrite: "the node does not time single writes",
  StorageQuery: "the node does not time single queries",
  DatabaseBackupStarted: "the node makes no backups",
  DatabaseBackupCompleted: "the node makes no backups"
} as const

/** An event type whose tag is reserved and that is never sent. */
export type ReservedEvent = keyof typeof RESERVED_EVENTS
