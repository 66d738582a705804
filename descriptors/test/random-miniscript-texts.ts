import { nobleCrypto } from "@lockstep/kernel/noble"
import type { Surroundings } from "../src/descriptor/miniscript/fragment.ts"

/** What all hashes are of. */
export const PREIMAGE = new Uint8Array(32).fill(0x5a)

const hexIn = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const HASHES = {
  sha256: hexIn(nobleCrypto.sha256(PREIMAGE)),
  hash256: hexIn(nobleCrypto.sha256(nobleCrypto.sha256(PREIMAGE))),
  ripemd160: hexIn(nobleCrypto.ripemd160(PREIMAGE)),
  hash160: hexIn(nobleCrypto.hash160(PREIMAGE))
}

/** The block height of each relative lock, and the time of each absolute one. */
export const LOCKS = { older: 144, after: 500_000_001 }

const wrapped = (letter: string, text: string): string => /^[a-z]+:/.test(text) ? letter + text : `${letter}:${text}`

/** Texts of miniscripts of which most fit together, each key a number. */
export const textsFrom = (random: () => number, surroundings: Surroundings) => {
  let keys = 0
  const key = (): string => String(keys++)
  const pick = <A>(choices: ReadonlyArray<() => A>): A => choices[Math.floor(random() * choices.length)]!()
  const leaf = (): string =>
    pick([
      () => `pk(${key()})`,
      () => `pkh(${key()})`,
      () => `older(${LOCKS.older})`,
      () => `after(${LOCKS.after})`,
      () => `sha256(${HASHES.sha256})`,
      () => random() < 0.5 ? `hash160(${HASHES.hash160})` : `hash256(${HASHES.hash256})`,
      () => `ripemd160(${HASHES.ripemd160})`,
      () => "0",
      () => "1",
      () => surroundings === "tr" ? `multi_a(1,${key()},${key()})` : `multi(2,${key()},${key()})`
    ])
  const w = (depth: number): string => wrapped(random() < 0.5 ? "a" : "s", b(depth))
  const v = (depth: number): string =>
    depth <= 0 || random() < 0.6
      ? wrapped("v", b(depth))
      : pick([() => `and_v(${v(depth - 1)},${v(depth - 1)})`, () => `or_c(${b(depth - 1)},${v(depth - 1)})`])
  const b = (depth: number): string => {
    if (depth <= 0) return leaf()
    const [x, y] = [() => b(depth - 1), () => w(depth - 1)]
    return pick([
      leaf,
      () => wrapped("d", v(depth - 1)),
      () => wrapped("j", x()),
      () => wrapped("n", x()),
      () => wrapped("u", x()),
      () => wrapped("t", v(depth - 1)),
      () => `and_v(${v(depth - 1)},${x()})`,
      () => `and_b(${x()},${y()})`,
      () => `or_b(${x()},${y()})`,
      () => `or_d(${x()},${x()})`,
      () => `or_i(${x()},${x()})`,
      () => `andor(${x()},${x()},${x()})`,
      () => `c:and_v(${v(depth - 1)},pk_k(${key()}))`,
      () => `thresh(2,${x()},${y()},${y()})`
    ])
  }
  return () => b(1 + Math.floor(random() * 3))
}
