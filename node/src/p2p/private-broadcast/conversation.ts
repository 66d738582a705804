import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { PrivateTransaction } from "./private-queue.ts"

/** All that may leave on a private connection: anything else could reveal which node it comes from. */
export const PRIVATE_COMMANDS: ReadonlySet<string> = new Set(["version", "verack", "inv", "tx", "ping"])

/** What is done on a private connection about a message. */
export type PrivateAction =
  | { readonly _tag: "Send"; readonly message: Message }
  /** A ping whose answer says that all before it was processed. */
  | { readonly _tag: "Ping" }
  | { readonly _tag: "Confirm" }
  | { readonly _tag: "End"; readonly why: DisconnectReason }

const end = (why: DisconnectReason): ReadonlyArray<PrivateAction> => [{ _tag: "End", why }]

/** The peer has said its version. */
export const answerVersion = ({ relay }: { readonly relay: boolean }): ReadonlyArray<PrivateAction> =>
  relay
    ? [{ _tag: "Send", message: { command: "verack" } }]
    : end({ _tag: "PrivateNoRelay" })

/** The handshake is complete. `picked`: what the peer is to get. */
export const offer = (picked: PrivateTransaction | undefined): ReadonlyArray<PrivateAction> =>
  picked === undefined ? end({ _tag: "PrivateNothingToSend" }) : [{
    _tag: "Send",
    message: { command: "inv", inventory: [{ type: InventoryType.TX, hash: picked.txid }] }
  }]

const isFor = ({ txid }: PrivateTransaction, inventory: ReadonlyArray<InventoryEntry>): boolean => {
  const [only, ...others] = inventory
  return only !== undefined && others.length === 0 && only.type === InventoryType.TX && bytesEqual(only.hash, txid)
}

/** The peer asks for something. `picked`: what it was offered. */
export const answerGetData = (
  picked: PrivateTransaction | undefined,
  inventory: ReadonlyArray<InventoryEntry>
): ReadonlyArray<PrivateAction> => {
  if (picked === undefined) return end({ _tag: "PrivateRequestEarly" })
  if (!isFor(picked, inventory)) return end({ _tag: "PrivateRequestOther" })
  return [{ _tag: "Send", message: { command: "tx", transaction: picked.transaction } }, { _tag: "Ping" }]
}

/** The peer answers the ping behind the transaction. */
export const PONG: ReadonlyArray<PrivateAction> = [
  { _tag: "Confirm" },
  { _tag: "End", why: { _tag: "PrivateSendConfirmed" } }
]
