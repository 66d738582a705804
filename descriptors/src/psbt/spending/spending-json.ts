import { hexOf } from "@lockstep/protocol/hex.ts"
import { insanityOf } from "../../descriptor/miniscript/sanity.ts"
import { miniscriptText } from "../../descriptor/miniscript/miniscript-text.ts"
import type { InputMiniscript, InputPath, PathCondition, PathKey } from "./input-paths.ts"
import { type InputSpending, isPathComplete } from "./input-spending.ts"

const keyJson = ({ bytes, hash, participants }: PathKey) =>
  bytes === undefined ? { hash: hexOf(hash!) } : {
    pubkey: hexOf(bytes),
    musig2_participants: participants?.map(({ hasNonce, hasSigned, key }) => ({
      pubkey: hexOf(key),
      has_nonce: hasNonce,
      has_signed: hasSigned
    }))
  }

const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> | undefined => all.length === 0 ? undefined : all

type Asking<A extends PathCondition["ask"]> = Extract<PathCondition, { readonly ask: A }>

const asking = <A extends PathCondition["ask"]>(
  conditions: ReadonlyArray<PathCondition>,
  ask: A
): ReadonlyArray<Asking<A>> => conditions.filter((each): each is Asking<A> => each.ask === ask)

/** Returns the greatest lock, which is the last to be met. */
const greatest = (locks: ReadonlyArray<{ readonly lock: number }>): number | undefined =>
  locks.length === 0 ? undefined : locks.reduce((most, { lock }) => Math.max(most, lock), 0)

const preimageJson = ({ form, hash }: Asking<"preimage">) => ({ type: form, hash: hexOf(hash) })

const signersJson = ({ keys, required }: Asking<"keys">) => ({ required, keys: keys.map(keyJson) })

/** Returns the unmet conditions, or `undefined` if all are met. */
const missingJson = (path: InputPath) => {
  if (isPathComplete(path)) return undefined
  const { conditions } = path
  const locks = (ask: "after" | "older") => asking(conditions, ask).filter(({ isMet }) => !isMet)
  return {
    signatures: some(
      asking(conditions, "keys").flatMap(({ keys, required }) => {
        const unsigned = keys.filter(({ hasSigned }) => !hasSigned)
        const wanting = required - (keys.length - unsigned.length)
        return wanting <= 0 ? [] : [{ required: wanting, keys: unsigned.map(keyJson) }]
      })
    ),
    preimages: some(asking(conditions, "preimage").filter(({ isKnown }) => !isKnown).map(preimageJson)),
    locktime: greatest(locks("after")),
    sequence: greatest(locks("older"))
  }
}

const pathJson = (path: InputPath, isTaproot: boolean) => ({
  leaf_hash: path.leaf && hexOf(path.leaf),
  key_path: isTaproot && path.leaf === undefined ? true : undefined,
  signatures: some(asking(path.conditions, "keys").map(signersJson)),
  preimages: some(asking(path.conditions, "preimage").map(preimageJson)),
  after: greatest(asking(path.conditions, "after")),
  older: greatest(asking(path.conditions, "older")),
  max_witness_size: path.witnessSize,
  complete: isPathComplete(path),
  missing: missingJson(path)
})

const textOf = ({ bytes, hash }: PathKey): string => hexOf(bytes ?? hash!)

const miniscriptJson = ({ keys, leaf, root, surroundings }: InputMiniscript) => {
  const keyText = (key: number): string => textOf(keys[key]!)
  return {
    leaf_hash: leaf && hexOf(leaf),
    miniscript: miniscriptText(root, keyText),
    problem: insanityOf(root, surroundings, keyText)?.problem
  }
}

/** Formats the sizes of an input's ways to spend, without the ways themselves. */
export const briefSpendingJson = (
  { isCut, largest, paths, scriptType }: InputSpending,
  isSatisfiable: boolean
) => ({
  script_type: scriptType,
  satisfiable: isSatisfiable,
  max_script_sig_size: largest?.script,
  max_witness_size: largest?.witness,
  more_paths: isCut || paths.length > 0 ? true : undefined
})

/** Formats the ways to spend an input as shown in results. */
export const spendingJson = (spending: InputSpending, isSatisfiable: boolean) => ({
  ...briefSpendingJson(spending, isSatisfiable),
  miniscripts: some(spending.miniscripts.map(miniscriptJson)),
  paths: some(spending.paths.map((path) => pathJson(path, spending.scriptType === "witness_v1_taproot"))),
  more_paths: spending.isCut ? true : undefined
})
