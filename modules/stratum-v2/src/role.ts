import type { Message } from "./wire/messages.ts"

/** Behaviour of a connection after it was set up for a protocol. */
export interface Role {
  /** Handles a message. Returns false if it ends the connection. */
  readonly take: (message: Message) => boolean
  /** Called for each new template; `isNewTip` is true if it is on another tip. */
  readonly newTemplate: (isNewTip: boolean) => void
  /** Called when the connection has ended. */
  readonly end: () => void
}

/** Options for serving connections of one protocol. */
export interface ServedProtocol {
  /** Flags of `SetupConnection` that this server can satisfy. */
  readonly knownFlags: number
  /** Flags that every client must set to be served. */
  readonly neededFlags: number
  readonly mostPayload: number
  /** Reports whether no further connection is accepted. */
  readonly isFull: () => boolean
  readonly open: (flags: number) => Role
}
