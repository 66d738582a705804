import * as Result from "effect/Result"
import type { Hash } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import {
  TRUC_ANCESTOR_LIMIT,
  TRUC_CHILD_MAX_VSIZE,
  TRUC_DESCENDANT_LIMIT,
  TRUC_MAX_VSIZE,
  TRUC_VERSION
} from "./constants.ts"

/** A transaction as far as the rules of BIP431 look at it. */
export interface TrucTransaction {
  readonly txid: Hash
  readonly wtxid: Hash
  readonly version: number
}

export type TrucVersionsDiffer = Violation<
  "POL-090",
  { readonly tx: TrucTransaction; readonly parent: TrucTransaction }
>
export type TrucTooBig = Violation<"POL-091", { readonly tx: TrucTransaction; readonly size: number }>
export type TrucTooManyAncestors = Violation<"POL-092", { readonly tx: TrucTransaction }>
export type TrucChildTooBig = Violation<"POL-093", { readonly tx: TrucTransaction; readonly size: number }>
export type TrucTooManyDescendants = Violation<"POL-094", { readonly parent: TrucTransaction }>

/**
 * Version 3 spends unconfirmed outputs of version 3 alone, and nothing else spends those.
 *
 * @spec POL-090 #c11b2f80
 */
export const trucIsInherited = (tx: TrucTransaction, parent: TrucTransaction): Verdict<void, TrucVersionsDiffer> =>
  (tx.version === TRUC_VERSION) === (parent.version === TRUC_VERSION)
    ? HOLDS
    : Result.fail(violation("POL-090", { tx, parent }))

/**
 * Version 3 has at most 10,000 virtual bytes. Precondition: `tx` is of version 3.
 *
 * @spec POL-091 #d1b1e232
 */
export const trucIsSmall = (tx: TrucTransaction, size: number): Verdict<void, TrucTooBig> =>
  size <= TRUC_MAX_VSIZE ? HOLDS : Result.fail(violation("POL-091", { tx, size }))

/**
 * Version 3 has at most one unconfirmed ancestor. `ancestors` counts the transaction itself.
 *
 * @spec POL-092 #bfbc627a
 */
export const trucAncestorsAreFew = (tx: TrucTransaction, ancestors: number): Verdict<void, TrucTooManyAncestors> =>
  ancestors <= TRUC_ANCESTOR_LIMIT ? HOLDS : Result.fail(violation("POL-092", { tx }))

/**
 * A child of version 3 has at most 1,000 virtual bytes: replacing it stays cheap for the other party. Precondition: `tx`
 * is of version 3 and spends an unconfirmed output.
 *
 * @spec POL-093 #b485c371
 */
export const trucChildIsSmall = (tx: TrucTransaction, size: number): Verdict<void, TrucChildTooBig> =>
  size <= TRUC_CHILD_MAX_VSIZE ? HOLDS : Result.fail(violation("POL-093", { tx, size }))

/**
 * A parent of version 3 has at most one child. `descendants` counts the parent itself and the child that comes.
 *
 * @spec POL-094 #5244a6e7
 */
export const trucDescendantsAreFew = (
  parent: TrucTransaction,
  descendants: number
): Verdict<void, TrucTooManyDescendants> =>
  descendants <= TRUC_DESCENDANT_LIMIT ? HOLDS : Result.fail(violation("POL-094", { parent }))
