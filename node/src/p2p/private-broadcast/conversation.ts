import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { PrivateTransaction } from "./private-queue.ts"

/** The only messages sent on a private connection: any other could reveal which node it comes from. */
export const PRIVATE_COMMANDS: ReadonlySet<string> = new Set(["version", "verack", "inv", "tx", "ping"])

/** An action on a private connection in reply to a message. */
export type PrivateAction =
  | { readonly _tag: "Send"; readonly message: Message }
  /** A ping whose pong confirms that everything before it was processed. */
  | { readonly _tag: "Ping" }
  | { readonly _tag: "Confirm" }
  | { readonly _tag: "End"; readonly why: DisconnectReason }

const end = (why: DisconnectReason): ReadonlyArray<PrivateAction> => [{ _tag: "End", why }]

/** Replies to the peer's `version`. */
export const answerVersion = ({ relay }: { readonly relay: boolean }): ReadonlyArray<PrivateAction> =>
  relay
    ? [{ _tag: "Send", message: { command: "verack" } }]
    : end({ _tag: "PrivateNoRelay" })

/** Offers a transaction once the handshake is complete. `picked` is the transaction for this peer. */
export const offer = (picked: PrivateTransaction | undefined): ReadonlyArray<PrivateAction> =>
  picked === undefined ? end({ _tag: "PrivateNothingToSend" }) : [{
    _tag: "Send",
    message: { command: "inv", inventory: [{ type: InventoryType.TX, hash: picked.txid }] }
  }]

const isFor = ({ txid }: PrivateTransaction, inventory: ReadonlyArray<InventoryEntry>): boolean => {
  const [only, ...others] = inventory
  return only !== undefined && others.length === 0 && only.type === InventoryType.TX && bytesEqual(only.hash, txid)
}

/** Replies to a request of the peer. `picked` is the transaction that it was offered. */
export const answerGetData = (
  picked: PrivateTransaction | undefined,
  inventory: ReadonlyArray<InventoryEntry>
): ReadonlyArray<PrivateAction> => {
  if (picked === undefined) return end({ _tag: "PrivateRequestEarly" })
  if (!isFor(picked, inventory)) return end({ _tag: "PrivateRequestOther" })
  return [{ _tag: "Send", message: { command: "tx", transaction: picked.transaction } }, { _tag: "Ping" }]
}

/** Actions once the peer has answered the ping behind the transaction. */
export const PONG: ReadonlyArray<PrivateAction> = [
  { _tag: "Confirm" },
  { _tag: "End", why: { _tag: "PrivateSendConfirmed" } }
]
