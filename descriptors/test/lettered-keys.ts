import { nobleCrypto } from "@lockstep/kernel/noble"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { Fragment, Surroundings } from "../src/descriptor/miniscript/fragment.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { scriptOfMiniscript } from "../src/descriptor/miniscript/script-of-miniscript.ts"

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** The public key that stands for a letter: the generator times its place in the alphabet. */
export const keyOfLetter = (letter: string): Uint8Array =>
  secp256k1.Point.BASE.multiply(BigInt(ALPHABET.indexOf(letter) + 1)).toBytes(true)

/** A miniscript whose keys are letters. */
export const lettered = (
  text: string,
  surroundings: Surroundings
): { readonly root: Fragment | undefined; readonly letters: ReadonlyArray<string> } => {
  const letters: Array<string> = []
  const root = parseMiniscript(
    text,
    surroundings,
    (letter) => ALPHABET.includes(letter) ? letters.push(letter) - 1 : undefined
  )
  return { root, letters }
}

export const scriptOf = (root: Fragment, letters: ReadonlyArray<string>, surroundings: Surroundings): Uint8Array => {
  const bytes = (key: number): Uint8Array => keyOfLetter(letters[key]!).subarray(surroundings === "tr" ? 1 : 0)
  return scriptOfMiniscript(root, { bytes, hash: (key) => nobleCrypto.hash160(bytes(key)) })
}
