import type { Fragment, Surroundings } from "@lockstep/descriptors/descriptor/miniscript/fragment.ts"
import { miniscriptFacts, pathFacts } from "@lockstep/descriptors/descriptor/miniscript/miniscript-facts.ts"
import { parseMiniscript } from "@lockstep/descriptors/descriptor/miniscript/parse-miniscript.ts"
import { scriptOfMiniscript } from "@lockstep/descriptors/descriptor/miniscript/script-of-miniscript.ts"
import { isPublicKey } from "@lockstep/descriptors/descriptor/key-text.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { bytesOfDigits, hexOf } from "@lockstep/protocol/hex.ts"
import { type JsonValue, RpcError } from "@lockstep/sdk"
import { positional, RpcErrorCode, textAt } from "./parameters.ts"

/** A key or the name of a key. */
const KEY = /^[A-Za-z0-9_@/*'<>;[\].-]{1,200}$/
const DESCRIPTOR = /^(?:wsh|sh|tr)\(|#/

const surroundingsOf = (context: string): Surroundings => {
  if (context === "wsh" || context === "tr") return context
  throw new RpcError(RpcErrorCode.invalidParameter, "context must be wsh or tr")
}

/** Parses keys written in hexadecimal digits. Returns `undefined` if one of them is a name. */
const keysOf = (texts: ReadonlyArray<string>, surroundings: Surroundings): ReadonlyArray<Uint8Array> | undefined => {
  const keys = texts.map((text) => bytesOfDigits(text))
  const isKey = (bytes: Uint8Array | undefined): boolean => {
    if (surroundings === "wsh") return bytes?.length === 33 && isPublicKey(bytes)
    return bytes?.length === 32 && isPublicKey(Uint8Array.of(2, ...bytes))
  }
  return keys.every(isKey) ? keys as ReadonlyArray<Uint8Array> : undefined
}

const scriptOf = (root: Fragment, keys: ReadonlyArray<Uint8Array>): string => {
  const bytes = (key: number): Uint8Array => keys[key]!
  return hexOf(scriptOfMiniscript(root, { bytes, hash: (key) => nobleCrypto.hash160(bytes(key)) }))
}

/** Analyzes a miniscript: its type, whether it is safe to use, and the ways to satisfy it. */
export const analyzeMiniscript = (params: JsonValue): JsonValue => {
  const values = positional(params, ["miniscript", "context"])
  const text = textAt(values, 0, "miniscript")
  const surroundings = surroundingsOf(textAt(values, 1, "context", "wsh"))
  const keys: Array<string> = []
  const root = parseMiniscript(text, surroundings, (key) => KEY.test(key) ? keys.push(key) - 1 : undefined)
  if (root === undefined) {
    const hint = DESCRIPTOR.test(text) ? "; getdescriptorinfo takes descriptors" : ""
    throw new RpcError(RpcErrorCode.invalidAddressOrKey, `this is no miniscript for ${surroundings}()${hint}`)
  }
  const keyText = (key: number): string => keys[key]!
  const bytes = keysOf(keys, surroundings)
  return {
    ...miniscriptFacts(root, surroundings, keyText),
    script: bytes && scriptOf(root, bytes),
    ...pathFacts(root, surroundings, keyText)
  }
}
