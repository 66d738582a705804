import { transactionId } from "@lockstep/kernel/model"
import { bytesOfDigits, displayHash, hexOf } from "../../src/hex.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { OUTPUTS, spend } from "../p2p/core-peer/made-transactions.ts"
import { until } from "../bitcoind/bitcoind-process.ts"
import type { Daemon } from "./core-daemon.ts"

/** As much of `getpeerinfo` as is looked at. */
export interface PeerInfo {
  readonly id: number
  readonly inbound: boolean
  readonly connection_type: string
  readonly transport_protocol_type: string
  readonly session_id: string
  readonly relaytxes: boolean
  readonly addr_relay_enabled: boolean
  readonly bip152_hb_to: boolean
  readonly bip152_hb_from: boolean
  readonly bytesrecv_per_msg: Readonly<Record<string, number>>
  readonly bytessent_per_msg: Readonly<Record<string, number>>
}

export const peersOf = ({ call }: Daemon): Promise<ReadonlyArray<PeerInfo>> => call("getpeerinfo")

/** What each of the two says of the other; the only peer of each. */
export const bothViews = async (a: Daemon, b: Daemon): Promise<readonly [PeerInfo, PeerInfo]> => {
  const [[ofA], [ofB]] = [await peersOf(a), await peersOf(b)]
  return [ofA!, ofB!]
}

const areConnected = async (a: Daemon, b: Daemon): Promise<boolean> => {
  const both = [await peersOf(a), await peersOf(b)]
  // The answer to the first ping says that the handshake is over.
  return both.every((peers) => peers.length === 1 && (peers[0]!.bytesrecv_per_msg["pong"] ?? 0) > 0)
}

export const connected = (a: Daemon, b: Daemon): Promise<void> => until("they are connected", () => areConnected(a, b))

/** `from` connects to `to`, with the v2 transport or without. */
export const join = async (from: Daemon, to: Daemon, isV2 = true): Promise<void> => {
  await from.call("addnode", to.address, "onetry", isV2)
  await connected(from, to)
}

/** Ends the connection between the two. */
export const part = async (a: Daemon, b: Daemon): Promise<void> => {
  for (const { id } of await peersOf(a)) await a.call("disconnectnode", "", id)
  await until("they are apart", async () => (await peersOf(a)).length === 0 && (await peersOf(b)).length === 0)
}

export const tipOf = ({ call }: Daemon): Promise<string> => call("getbestblockhash")

export const sameTip = (a: Daemon, b: Daemon): Promise<void> =>
  until("both have one tip", async () => await tipOf(a) === await tipOf(b))

const REWARD_DESCRIPTOR = `raw(${hexOf(OUTPUTS.witness)})`

/** Mines blocks whose rewards anyone can spend. Answers their hashes. */
export const mine = ({ call }: Daemon, count: number): Promise<ReadonlyArray<string>> =>
  call("generatetodescriptor", count, REWARD_DESCRIPTOR)

/** An output that anyone can spend. */
export interface Coin {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: bigint
}

/** A transaction that was made here. */
export interface Made {
  readonly hex: string
  readonly txid: string
  readonly coins: ReadonlyArray<Coin>
}

/** The reward of a block. */
export const rewardOf = async ({ call }: Daemon, hash: string): Promise<Coin> => {
  const { tx: [coinbase] } = await call<{
    readonly tx: ReadonlyArray<{ readonly txid: string; readonly vout: ReadonlyArray<{ readonly value: number }> }>
  }>("getblock", hash, 2)
  return {
    txid: bytesOfDigits(coinbase!.txid)!.toReversed(),
    vout: 0,
    value: BigInt(Math.round(coinbase!.vout[0]!.value * 1e8))
  }
}

export interface PaymentOptions {
  readonly count?: number
  readonly fee?: bigint
  readonly version?: number
}

/** Spends a coin into as many of one value, and pays the fee. */
export const payment = (
  coin: Coin,
  { count = 1, fee = 2_000n, version = 2 }: PaymentOptions = {}
): Made => {
  const value = (coin.value - fee) / BigInt(count)
  const tx = spend("witness", [coin], Array.from({ length: count }, () => value), version)
  const txid = transactionId(tx, testCrypto)
  return {
    hex: hexOf(tx.bytes),
    txid: displayHash(txid),
    coins: Array.from({ length: count }, (_, vout) => ({ txid, vout, value }))
  }
}

export const poolOf = async ({ call }: Daemon): Promise<ReadonlyArray<string>> =>
  (await call<ReadonlyArray<string>>("getrawmempool")).toSorted()

/** How a daemon put a block together, in the words of its log; none: it did not. */
export const rebuiltLine = ({ log }: Daemon, hash: string): string | undefined =>
  new RegExp(`Successfully reconstructed block ${hash} (.*)`).exec(log())?.[1]
