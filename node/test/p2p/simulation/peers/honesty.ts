import { headerOf, type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType, isTransactionType } from "@lockstep/protocol/wire/inventory.ts"
import { hashKey } from "../../../../src/p2p/basics/hash-key.ts"
import { testCrypto } from "../../../engine/test-engine.ts"
import { isOn } from "../ledger.ts"
import type { MadeBlock } from "../made-block.ts"
import type { Holdings } from "./holdings.ts"
import type { Link } from "./link.ts"
import type { ScriptedPeer } from "./behaviour.ts"
import { newsFor } from "./view.ts"

const HEADERS = 2_000
/** Blocks asked for in one message. */
const REQUEST = 16
/** Blocks that are reported by headers; more are reported by the name of the newest. */
const TOLD_BY_HEADERS = 8
/** Milliseconds after which a block is requested from another peer. */
const PATIENCE = 20_000
const NO_STOP = new Uint8Array(32)

const requestHeaders = ({ holdings }: ScriptedPeer, link: Link): void =>
  link.say({ command: "getheaders", version: 70_016, locator: holdings.view.locator(), stop: NO_STOP })

/** What an ordinary node says first. */
export const beginHonestly = (self: ScriptedPeer, link: Link): void => {
  if (self.random.below(3) > 0) link.say({ command: "sendheaders" })
  requestHeaders(self, link)
  notify(self, link)
}

/** Reports a node of the blocks that it may not have. */
const notify = ({ holdings: { view } }: ScriptedPeer, link: Link): void => {
  if (isOn(link.known, view.best())) return
  const news = newsFor(view, link.known)
  const byHeaders = link.prefersHeaders && news.length <= TOLD_BY_HEADERS
  if (byHeaders) link.say({ command: "headers", headers: news.map(({ node }) => node.header) })
  else link.say({ command: "inv", inventory: [{ type: InventoryType.BLOCK, hash: view.best().node.hash }] })
  if (byHeaders) link.known = view.best()
}

/** Takes a block, and those that waited for it; answers whether its chain is another now. */
const add = (holdings: Holdings, block: MadeBlock): boolean => {
  const { early, view } = holdings
  let isNew = view.add(block)
  for (const child of early) {
    if (child.parent !== block) continue
    early.delete(child)
    if (add(holdings, child)) isNew = true
  }
  return isNew
}

/** Has a block from now on, and announces it to all if it is the newest. */
export const hold = (self: ScriptedPeer, block: MadeBlock): void => {
  if (!add(self.holdings, block)) return
  for (const link of self.links) if (link.isReady && link.ended === undefined) notify(self, link)
}

const request = (self: ScriptedPeer, link: Link, blocks: ReadonlyArray<MadeBlock>): void => {
  const at = self.world.time.clock.now()
  for (const block of blocks) self.holdings.wanted.set(block, { link, at })
  for (let i = 0; i < blocks.length; i += REQUEST) {
    const inventory = blocks.slice(i, i + REQUEST).map(({ node: { hash } }) => ({
      type: InventoryType.WITNESS_BLOCK,
      hash
    }))
    link.say({ command: "getdata", inventory })
  }
}

const heardHeaders = (self: ScriptedPeer, link: Link, { headers }: MessageOf<"headers">): void => {
  const { holdings: { early, view, wanted }, world: { fault, ledger }, name } = self
  const missing: Array<MadeBlock> = []
  for (const { bytes } of headers) {
    const block = ledger.find(hashKey(testCrypto.sha256d(bytes)))
    if (block === undefined) return fault(`${link.node} sent ${name} a header that was not made`)
    if (!block.isValid) return fault(`${link.node} sent ${name} an invalid block`)
    link.known = block
    if (!view.has(block) && !wanted.has(block) && !early.has(block)) missing.push(block)
  }
  request(self, link, missing)
  if (headers.length === HEADERS) requestHeaders(self, link)
}

const heardBlock = (self: ScriptedPeer, link: Link, { bytes }: MessageOf<"block">): void => {
  const { holdings: { early, view, wanted }, name, world: { fault, ledger } } = self
  const block = ledger.find(hashKey(testCrypto.sha256d(bytes.subarray(0, 80))))
  if (block === undefined || !block.isValid) return fault(`${link.node} sent ${name} a block that is none`)
  if (Buffer.compare(bytes, block.bytes) !== 0) {
    return fault(`${link.node} sent ${name} other bytes than those of the block`)
  }
  wanted.delete(block)
  if (block.parent === undefined || view.has(block.parent)) hold(self, block)
  else early.add(block)
}

/** The newest block of the locator that the peer's chain has. */
const startOf = (
  { holdings: { view }, world: { ledger } }: ScriptedPeer,
  locator: ReadonlyArray<Uint8Array>
): MadeBlock => {
  for (const hash of locator) {
    const block = ledger.find(hashKey(hash))
    if (block !== undefined && isOn(view.best(), block)) return block
  }
  return ledger.base[0]!
}

const heardGetHeaders = (self: ScriptedPeer, link: Link, { locator, stop }: MessageOf<"getheaders">): void => {
  const { view } = self.holdings
  const headers: Array<MadeBlock> = []
  for (let height = startOf(self, locator).node.height + 1; headers.length < HEADERS; height++) {
    const block = view.at(height)
    if (block === undefined) break
    headers.push(block)
    if (hashKey(stop) === block.key) break
  }
  if (headers.length > 0) link.known = headers.at(-1)!
  link.say({ command: "headers", headers: headers.map(({ node }) => node.header) })
}

const served = (self: ScriptedPeer, { hash, type }: InventoryEntry): Message | undefined => {
  const { holdings: { transactions, view }, world: { ledger } } = self
  if (isTransactionType(type)) {
    const transaction = transactions.get(hashKey(hash))
    return transaction === undefined ? undefined : { command: "tx", transaction }
  }
  const block = ledger.find(hashKey(hash))
  return block === undefined || !view.has(block) ? undefined : blockMessage(block.bytes)
}

export const blockMessage = (bytes: Uint8Array): MessageOf<"block"> => ({
  command: "block",
  header: headerOf(bytes.slice(0, 80)),
  bytes
})

export const serve = (self: ScriptedPeer, link: Link, inventory: ReadonlyArray<InventoryEntry>): void => {
  const missing: Array<InventoryEntry> = []
  for (const entry of inventory) {
    const message = served(self, entry)
    if (message === undefined) missing.push(entry)
    else link.say(message)
  }
  if (missing.length > 0) link.say({ command: "notfound", inventory: missing })
}

/** Has a loose transaction, and announces it to nodes. */
export const holdTransaction = (self: ScriptedPeer, transaction: Transaction, from?: Link): void => {
  const [txid, wtxid] = [transactionId(transaction, testCrypto), witnessTransactionId(transaction, testCrypto)]
  const { transactions } = self.holdings
  if (transactions.has(hashKey(txid))) return
  transactions.set(hashKey(txid), transaction).set(hashKey(wtxid), transaction)
  for (const link of self.links) {
    if (link === from || !link.isReady || link.ended !== undefined || link.hello?.relay === 0) continue
    const entry = link.namesWitnesses
      ? { type: InventoryType.WTX, hash: wtxid }
      : { type: InventoryType.TX, hash: txid }
    link.say({ command: "inv", inventory: [entry] })
  }
}

const heardInventory = (self: ScriptedPeer, link: Link, { inventory }: MessageOf<"inv">): void => {
  const { holdings: { transactions, view }, world: { ledger } } = self
  const wanted = inventory.filter(({ hash, type }) => isTransactionType(type) && !transactions.has(hashKey(hash)))
  if (wanted.length > 0) link.say({ command: "getdata", inventory: wanted })
  for (const { hash, type } of inventory) {
    const block = type === InventoryType.BLOCK ? ledger.find(hashKey(hash)) : undefined
    if (block !== undefined && !block.isValid) self.world.fault(`${link.node} named an invalid block to ${self.name}`)
    if (block !== undefined && view.has(block)) link.known = block
  }
  if (inventory.some(({ hash, type }) => type === InventoryType.BLOCK && !isHere(self, hash))) {
    requestHeaders(self, link)
  }
}

const isHere = ({ holdings: { view }, world: { ledger } }: ScriptedPeer, hash: Uint8Array): boolean => {
  const block = ledger.find(hashKey(hash))
  return block !== undefined && view.has(block)
}

/** Asks others for blocks that do not come. */
export const keepFetching = (self: ScriptedPeer): void => {
  const { holdings: { view, wanted }, links, world: { time } } = self
  const open = [...links].filter(({ ended, isReady }) => isReady && ended === undefined)
  if (open.length === 0) return
  const late: Array<MadeBlock> = []
  for (const [block, { at }] of wanted) {
    if (view.has(block)) wanted.delete(block)
    else if (time.clock.now() - at > PATIENCE) late.push(block)
  }
  if (late.length > 0) request(self, open[self.random.below(open.length)]!, late)
}

/** What an ordinary node answers. */
export const answerHonestly = (self: ScriptedPeer, link: Link, message: Message): void => {
  switch (message.command) {
    case "ping":
      return message.nonce === undefined ? undefined : link.say({ command: "pong", nonce: message.nonce })
    case "getheaders":
      return heardGetHeaders(self, link, message)
    case "headers":
      return heardHeaders(self, link, message)
    case "inv":
      return heardInventory(self, link, message)
    case "getdata":
      return serve(self, link, message.inventory)
    case "block":
      return heardBlock(self, link, message)
    case "tx":
      return holdTransaction(self, message.transaction, link)
    case "getaddr":
      return link.say({ command: "addr", addresses: self.world.publicAddresses().slice(0, 1_000) })
    default:
      return undefined
  }
}
