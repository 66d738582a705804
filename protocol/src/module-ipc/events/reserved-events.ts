/**
 * Types of events that keep their tags, because tags are positions, and that this node does not have: each with the
 * reason. None is ever sent, so a module can neither subscribe to it nor publish it.
 */
export const RESERVED_EVENTS = {
  MempoolCleared: "the node never clears its mempool",
  StorageRead: "the node does not time single reads",
  StorageWrite: "the node does not time single writes",
  StorageQuery: "the node does not time single queries",
  DatabaseBackupStarted: "the node makes no backups",
  DatabaseBackupCompleted: "the node makes no backups"
} as const

/** A type of event whose tag is kept and that is never sent. */
export type ReservedEvent = keyof typeof RESERVED_EVENTS
