import { getPublicKey } from "@noble/secp256k1"
import { ecdsaVerifies } from "@lockstep/kernel/internal/signature/ecdsa.ts"
import type { Field } from "../formats/field.ts"
import { bytesOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Bench } from "../judge/bench.ts"
import type { Case, Runner } from "./runner.ts"

/** r or s: hex in one source (an even number of digits, or a sign before them), decimal in the other. */
const integerOf = (field: Field, base: "hex" | "decimal"): bigint => {
  const [, sign, digits] = /^(-?)([0-9a-f]+)$/.exec(field.text) ?? field.fail("expected an integer")
  const magnitude = BigInt(base === "hex" ? `0x${digits}` : digits!)
  return sign === "-" ? -magnitude : magnitude
}

/** DER INTEGER, in two's complement as negative ones need it. */
const derInteger = (value: bigint): Uint8Array => {
  let size = 1
  while (value < -(1n << BigInt(8 * size - 1)) || value >= 1n << BigInt(8 * size - 1)) size++
  const hex = BigInt.asUintN(8 * size, value).toString(16).padStart(2 * size, "0")
  return Uint8Array.of(2, size, ...bytesOf(hex))
}

const derSignature = (r: bigint, s: bigint): Uint8Array => {
  const body = [...derInteger(r), ...derInteger(s)]
  return Uint8Array.of(0x30, body.length, ...body)
}

const judgeRow = (row: Field, base: "hex" | "decimal", holds: boolean, { crypto }: Bench): Outcome => {
  const key = getPublicKey(bytesOf(row.get("d").text.padStart(64, "0")))
  const signature = row.get("signature")
  const der = derSignature(integerOf(signature.get("r"), base), integerOf(signature.get("s"), base))
  return same(
    "signature holds",
    holds,
    ecdsaVerifies(crypto, der, key, crypto.sha256(new TextEncoder().encode(row.get("message").text)))
  )
}

/**
 * Signatures `{d, message, signature: {r, s}}` by private key `d` over the SHA-256 of `message`. The nonces that the
 * same files list are of no use here: a node does not sign.
 */
export const ecdsa: Runner = function*(file): Iterable<Case> {
  const vectors = readJson(file)
  const nested = !Array.isArray(vectors.get("valid").raw)
  const base = nested ? "hex" : "decimal"
  const lists = [
    ["valid", nested ? vectors.get("valid").get("ecdsa") : vectors.get("valid"), true],
    ["invalid", vectors.get("invalid").get(nested ? "verify" : "sigError"), false]
  ] as const
  for (const [list, rows, holds] of lists) {
    for (const [index, row] of rows.items.entries()) {
      const name = row.find("description")?.text ?? row.get("message").text
      yield { index: `${list}-${index}`, name, judge: (bench) => judgeRow(row, base, holds, bench) }
    }
  }
}
