import * as Result from "effect/Result"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { DescriptorKey } from "../descriptor-key.ts"
import type { Fragment, Surroundings } from "./fragment.ts"
import { miniscriptText } from "./miniscript-text.ts"
import { parseMiniscript } from "./parse-miniscript.ts"
import { insanityOf } from "./sanity.ts"

type Keys = ReadonlyArray<DescriptorKey>

/** A miniscript that is safe to use; without a root if the text is not a miniscript. */
export interface ReadMiniscript {
  readonly root: Fragment | undefined
  /** Each key with its alternatives. */
  readonly keys: ReadonlyArray<Keys>
}

/**
 * Returns an identity that is equal for equal keys: the first public key. As in Bitcoin Core, keys whose derivation
 * needs a private key count as one, even if that private key is known.
 */
const identityOf = (key: DescriptorKey): string => {
  const first = key.isHardened ? undefined : key.at(0)
  return first === undefined ? "unknown" : hexOf(first.bytes)
}

/**
 * Parses a miniscript, or fails with the reason why it is invalid. `isAllowed` is true if the context admits
 * miniscript.
 */
export const miniscriptOf = (
  text: string,
  surroundings: Surroundings,
  keysOf: (text: string) => Result.Result<Keys, string>,
  isAllowed: boolean
): Result.Result<ReadMiniscript, string> => {
  const keys: Array<Keys> = []
  let keyProblem: string | undefined
  const root = parseMiniscript(text, surroundings, (keyText) => {
    const read = keysOf(keyText)
    if (Result.isSuccess(read)) return keys.push(read.success) - 1
    keyProblem = read.failure
    return undefined
  })
  if (keyProblem !== undefined) return Result.fail(keyProblem)
  if (root === undefined) return Result.succeed({ root, keys })
  if (!isAllowed) return Result.fail("Miniscript expressions can only be used in wsh or tr.")
  const firstOf = (key: number): DescriptorKey => keys[key]![0]!
  const insanity = insanityOf(root, surroundings, (key) => identityOf(firstOf(key)))
  return insanity === undefined
    ? Result.succeed({ root, keys })
    : Result.fail(`${miniscriptText(insanity.fragment, (key) => firstOf(key).text)} ${insanity.problem}`)
}
