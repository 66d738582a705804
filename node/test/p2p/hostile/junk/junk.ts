import { type Transaction, type TransactionInput, transactionOf, type TransactionOutput } from "@lockstep/kernel/model"
import { type LooseCoin, PAY_TO_ANCHOR } from "../../../crash/mempool/families.ts"
import type { Random } from "../../../crash/random.ts"
import { wireCrypto } from "../../sockets/regtest-wire.ts"

/** Coins in the chain that junk may spend. */
export interface JunkCoins {
  /** Nothing of the mempool spends them. */
  readonly free: ReadonlyArray<LooseCoin>
  /** Each is spent by a transaction of the mempool, in a cluster of its own. */
  readonly contested: ReadonlyArray<LooseCoin>
  /** Behind `SIGOPS_SCRIPT`. */
  readonly costly: ReadonlyArray<LooseCoin>
  /** Outputs of one transaction of the mempool. */
  readonly pinned: ReadonlyArray<LooseCoin>
}

/** True, and with as many signature operations as one script may have. */
const SIGOPS_SCRIPT = Uint8Array.of(0x00, 0x63, ...Array<number>(195).fill(0xae), 0x68, 0x51)

/** Pays to the hash of `SIGOPS_SCRIPT`. */
export const COSTLY = Uint8Array.of(0x00, 0x20, ...wireCrypto.sha256(SIGOPS_SCRIPT))

const bytesOf = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256))

const input = (
  { outpoint }: Pick<LooseCoin, "outpoint">,
  witness: ReadonlyArray<Uint8Array> = []
): TransactionInput => ({
  prevout: outpoint,
  script: new Uint8Array(),
  sequence: 0xfffffffd,
  witness
})

const made = (
  inputs: ReadonlyArray<TransactionInput>,
  outputs: ReadonlyArray<TransactionOutput>,
  version = 2
): Transaction => transactionOf({ version, inputs, outputs, lockTime: 0 })

const anchor = (value: bigint): TransactionOutput => ({ value, script: PAY_TO_ANCHOR })

/** Makes a transaction another one. */
const mark = (random: Random, length = 16): TransactionOutput => ({
  value: 0n,
  script: Uint8Array.of(0x6a, length, ...bytesOf(random, length))
})

const nowhere = (random: Random) => ({ outpoint: { txid: bytesOf(random, 32), vout: random.below(4) } })

const valueOf = (coins: ReadonlyArray<LooseCoin>): bigint => coins.reduce((sum, { value }) => sum + value, 0n)

/** A kind of junk, and how to make another one. */
export interface JunkKind {
  readonly what: string
  readonly make: (random: Random, coins: JunkCoins) => Transaction
}

export const JUNK: ReadonlyArray<JunkKind> = [
  { what: "orphan", make: (random) => made([input(nowhere(random))], [anchor(1_000n), mark(random)]) },
  {
    what: "orphan of very many inputs",
    make: (random) => made(Array.from({ length: 200 }, () => input(nowhere(random))), [anchor(1_000n)])
  },
  {
    what: "huge witness",
    make: (random) => {
      // Random bytes by the kilobyte take their time, and no one looks at them.
      const item = new Uint8Array(20_000 + random.below(60_000)).fill(random.below(256))
      return made([input(nowhere(random), [item, bytesOf(random, 8)])], [anchor(1_000n)])
    }
  },
  {
    what: "not standard",
    make: (random, { free }) => {
      const coin = random.pick(free)
      return made([input(coin)], [anchor(coin.value - 10_000n), mark(random)], random.below(2) === 0 ? 99 : 0)
    }
  },
  {
    what: "false script",
    make: (random, { costly }) => {
      const coin = random.pick(costly)
      return made([input(coin, [bytesOf(random, 80), SIGOPS_SCRIPT])], [anchor(coin.value - 50_000n), mark(random)])
    }
  },
  {
    what: "low fee",
    make: (random, { free }) => {
      const coin = random.pick(free)
      return made([input(coin)], [anchor(coin.value - BigInt(random.below(5))), mark(random)])
    }
  },
  {
    what: "very many sigops",
    make: (random, { costly }) => {
      const inputs = costly.map((coin) => input(coin, [SIGOPS_SCRIPT]))
      return made(inputs, [anchor(valueOf(costly) - 1_000_000n), mark(random)])
    }
  },
  {
    what: "sigops that few bytes pay for",
    make: (random, { costly }) => {
      const coin = random.pick(costly)
      return made([input(coin, [SIGOPS_SCRIPT])], [anchor(coin.value - 500n), mark(random)])
    }
  },
  {
    what: "pin",
    make: (random, { pinned }) => {
      const coin = random.pick(pinned)
      const filling = Array.from({ length: 200 }, () => mark(random, 40))
      const fee = BigInt(2_000 + random.below(2_000))
      return made([input(coin)], [anchor(coin.value - fee), ...filling])
    }
  },
  {
    what: "replacement of very many",
    make: (random, { contested }) => {
      const coins = contested.slice(0, random.below(2) === 0 ? contested.length : 90)
      return made(coins.map((coin) => input(coin)), [
        anchor(valueOf(coins) - BigInt(random.below(60_000))),
        mark(random)
      ])
    }
  }
]
