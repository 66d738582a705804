import { type Command, isCommand, type Message } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, isTransactionType } from "@lockstep/protocol/wire/inventory.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Result from "effect/Result"
import { hexOf } from "./scenarios.ts"

const inventoryText = (inventory: ReadonlyArray<InventoryEntry>): ReadonlyArray<string> => {
  const entries = inventory.map(({ hash, type }) => `${type} ${hexOf(hash)}`)
  // Transactions are announced and asked for in an order of chance, blocks in that of the chain.
  return inventory.every(({ type }) => isTransactionType(type)) ? entries.sort() : entries
}

/**
 * What of a message has to be the same: everything but nonces, times, what a node says of itself, and choices of
 * chance.
 */
const essence = (message: Message): unknown => {
  switch (message.command) {
    case "version":
      return {
        services: message.services,
        isWhole: offers(message.services, ServiceFlag.NETWORK),
        startHeight: message.startHeight,
        relay: message.relay
      }
    case "ping":
      return message.nonce === undefined ? "no number" : "a number"
    case "addr":
    case "addrv2":
      return message.addresses.length
    case "inv":
    case "getdata":
    case "notfound":
      return inventoryText(message.inventory)
    case "cmpctblock":
      return {
        header: hexOf(message.header.bytes),
        ids: message.shortIds.length,
        prefilled: message.prefilled.map(({ index, transaction }) => `${index} ${hexOf(transaction.bytes)}`)
      }
    default:
      return undefined
  }
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => typeof each === "bigint" ? String(each) : each)

/** The essence of a payload as text: two messages are the same when it is. */
export const contentOf = (command: string, payload: Uint8Array): string => {
  if (!isCommand(command)) return hexOf(payload)
  const decoded = decodeMessage(command as Command, payload)
  if (Result.isFailure(decoded)) return `not decoded: ${hexOf(payload)}`
  const what = essence(decoded.success.message)
  return what === undefined ? hexOf(payload) : json(what)
}
