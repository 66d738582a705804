import type { Message } from "./wire/messages.ts"

/** What a connection does once it is set up for a protocol. */
export interface Role {
  /** Takes a message; false: it ends the connection. */
  readonly take: (message: Message) => boolean
  /** There is a template, on another tip or not. */
  readonly newTemplate: (isNewTip: boolean) => void
  /** The connection is over. */
  readonly end: () => void
}

/** How connections of one protocol are served. */
export interface ServedProtocol {
  /** Flags of `SetupConnection` that this server can satisfy. */
  readonly knownFlags: number
  /** Flags that every client must set to be served. */
  readonly neededFlags: number
  readonly mostPayload: number
  /** Whether there is no room for another connection. */
  readonly isFull: () => boolean
  readonly open: (flags: number) => Role
}
