import type { Crypto } from "@lockstep/kernel/crypto"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { addressOf } from "../script-text/address.ts"
import { withChecksum } from "../script-text/descriptor-checksum.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { inferredDescriptor } from "../script-text/inferred-descriptor.ts"
import { scriptKind } from "../script-text/script-kind.ts"
import type { DerivedKey, DescriptorKey } from "./descriptor-key.ts"
import { decodeMiniscript } from "./miniscript/decode-miniscript.ts"
import type { Fragment, Surroundings } from "./miniscript/fragment.ts"
import { miniscriptText } from "./miniscript/miniscript-text.ts"
import { scriptOfMiniscript } from "./miniscript/script-of-miniscript.ts"
import * as Scripts from "./scripts.ts"
import { inferredOrder, type Leaf } from "./taproot-tree.ts"

/** A script expression (BIP380 to BIP386), one for each alternative of a path. */
export type Expression =
  | {
    readonly form: "pk" | "pkh" | "wpkh" | "combo" | "rawtr" | "unused"
    readonly key: DescriptorKey
    readonly isXOnly: boolean
  }
  | {
    readonly form: "multi" | "sortedmulti" | "multi_a" | "sortedmulti_a"
    readonly required: number
    readonly keys: ReadonlyArray<DescriptorKey>
  }
  | { readonly form: "sh" | "wsh"; readonly inner: Expression }
  | { readonly form: "tr"; readonly key: DescriptorKey; readonly leaves: ReadonlyArray<TreeLeaf> }
  | {
    readonly form: "miniscript"
    readonly surroundings: Surroundings
    readonly root: Fragment
    /** Keys, indexed by the numbers that the fragments use. */
    readonly signers: ReadonlyArray<DescriptorKey>
  }
  | { readonly form: "addr"; readonly address: string; readonly script: Uint8Array }
  | { readonly form: "raw"; readonly script: Uint8Array }

/** A script in the tree of a taproot output. */
export interface TreeLeaf {
  readonly depth: number
  readonly expression: Expression
}

/** Dependencies for deriving scripts of a descriptor. */
export interface DescriptorContext {
  readonly network: Network
  readonly crypto: Crypto
}

export const keysIn = (expression: Expression): ReadonlyArray<DescriptorKey> => {
  switch (expression.form) {
    case "addr":
    case "raw":
      return []
    case "sh":
    case "wsh":
      return keysIn(expression.inner)
    case "tr":
      return [expression.key, ...expression.leaves.flatMap((leaf) => keysIn(leaf.expression))]
    case "miniscript":
      return expression.signers
    default:
      return "keys" in expression ? expression.keys : [expression.key]
  }
}

/** Reports whether a descriptor has a script for each of many positions. */
export const isRanged = (expression: Expression): boolean => keysIn(expression).some((key) => key.isRanged)

/** Reports whether the owner of the keys can spend from the scripts. */
export const isSolvable = ({ form }: Expression): boolean => form !== "addr" && form !== "raw"

/** Formats leaves with the braces of their tree. */
const treeText = (leaves: ReadonlyArray<TreeLeaf>, text: (expression: Expression) => string): string => {
  let written = ""
  const path: Array<boolean> = []
  for (const [i, { depth, expression }] of leaves.entries()) {
    if (i > 0) written += ","
    while (path.length < depth) {
      written += "{"
      path.push(false)
    }
    written += text(expression)
    while (path.at(-1) === true) {
      written += "}"
      path.pop()
    }
    if (path.length > 0) path[path.length - 1] = true
  }
  return written
}

const bareText = (expression: Expression): string => {
  switch (expression.form) {
    case "addr":
      return `addr(${expression.address})`
    case "raw":
      return `raw(${hexOf(expression.script)})`
    case "sh":
    case "wsh":
      return `${expression.form}(${bareText(expression.inner)})`
    case "tr": {
      const { key, leaves } = expression
      return `tr(${key.text}${leaves.length === 0 ? "" : `,${treeText(leaves, bareText)}`})`
    }
    case "miniscript":
      return miniscriptText(expression.root, (key) => expression.signers[key]!.text)
    default:
      return "keys" in expression
        ? `${expression.form}(${[expression.required, ...expression.keys.map(({ text }) => text)].join(",")})`
        : `${expression.form}(${expression.key.text})`
  }
}

/** Returns the descriptor with public keys only, and its checksum. */
export const descriptorText = (expression: Expression): string => withChecksum(bareText(expression))

/** A public key and its hash (RIPEMD-160 of SHA-256); in tapscript the hash is of its x only. */
export interface HashedKey {
  readonly hash: Uint8Array
  /** 33 or 65 bytes. */
  readonly key: Uint8Array
}

/** A script and its descriptor, with the keys it contains, each with its origin. */
export interface DescribedScript {
  readonly script: Uint8Array
  readonly descriptor: string
  /** Scripts whose hashes are in it, the inner ones last. */
  readonly inner: ReadonlyArray<Uint8Array>
  readonly keys: ReadonlyArray<DerivedKey>
  /** Keys that the scripts may contain as hashes. As in Bitcoin Core, keys of `pk` and `multi` are excluded. */
  readonly hashed: ReadonlyArray<HashedKey>
  /** Internal key and leaves of a taproot output. */
  readonly taproot?: {
    /** 33 bytes. */
    readonly internalKey: Uint8Array
    readonly leaves: ReadonlyArray<Leaf>
  }
}

const xOnly = (key: Uint8Array): Uint8Array => key.subarray(1)

const full = ({ bytes, origin }: DerivedKey): string => `${origin}${hexOf(bytes)}`

const half = ({ bytes, origin }: DerivedKey): string => `${origin}${hexOf(xOnly(bytes))}`

const hashedKeys = (keys: ReadonlyArray<DerivedKey>, crypto: Crypto): ReadonlyArray<HashedKey> =>
  keys.map(({ bytes }) => ({ hash: crypto.hash160(bytes), key: bytes }))

const ofKey = (
  form: "pk" | "pkh" | "wpkh",
  key: DerivedKey,
  isXOnly: boolean,
  { crypto }: DescriptorContext
): DescribedScript => {
  const descriptor = `${form}(${isXOnly ? half(key) : full(key)})`
  const script = form === "pk"
    ? Scripts.keyScript(isXOnly ? xOnly(key.bytes) : key.bytes)
    : form === "pkh"
    ? Scripts.keyHashScript(key.bytes, crypto)
    : Scripts.witnessKeyHashScript(key.bytes, crypto)
  return { script, descriptor, inner: [], keys: [key], hashed: form === "pk" ? [] : hashedKeys([key], crypto) }
}

const hashed = (
  form: "sh" | "wsh",
  { descriptor, hashed: known, inner, keys, script }: DescribedScript,
  { crypto }: DescriptorContext
): DescribedScript => ({
  script: form === "sh" ? Scripts.scriptHashScript(script, crypto) : Scripts.witnessScriptHashScript(script, crypto),
  descriptor: `${form}(${descriptor})`,
  inner: [script, ...inner],
  keys,
  hashed: known
})

const combined = (key: DerivedKey, context: DescriptorContext): ReadonlyArray<DescribedScript> => {
  const legacy = [ofKey("pk", key, false, context), ofKey("pkh", key, false, context)]
  if (key.bytes.length !== 33) return legacy
  const witness = ofKey("wpkh", key, false, context)
  return [...legacy, witness, hashed("sh", witness, context)]
}

type Several = Extract<Expression, { readonly keys: unknown }>

/** Derives keys at a position. Returns `undefined` if one of them needs an unknown private key. */
const derivedAt = (keys: ReadonlyArray<DescriptorKey>, position: number): ReadonlyArray<DerivedKey> | undefined => {
  const derived: Array<DerivedKey> = []
  for (const key of keys) {
    const at = key.at(position)
    if (at === undefined) return undefined
    derived.push(at)
  }
  return derived
}

const ofKeys = ({ form, keys, required }: Several, position: number): DescribedScript | undefined => {
  const derived = derivedAt(keys, position)
  if (derived === undefined) return undefined
  const isSum = form.endsWith("_a")
  const bytesOf = ({ bytes }: DerivedKey): Uint8Array => isSum ? xOnly(bytes) : bytes
  const ordered = form.startsWith("sorted")
    ? Scripts.placesInOrder(derived.map(bytesOf)).map((i) => derived[i]!)
    : derived
  const script = (isSum ? Scripts.signatureSumScript : Scripts.multisigScript)(required, ordered.map(bytesOf))
  const descriptor = `${isSum ? "multi_a" : "multi"}(${[required, ...ordered.map(isSum ? half : full)].join(",")})`
  return { script, descriptor, inner: [], keys: derived, hashed: [] }
}

type Miniscript = Extract<Expression, { readonly form: "miniscript" }>

const ofMiniscript = (
  { root, signers, surroundings }: Miniscript,
  position: number,
  { crypto }: DescriptorContext
): DescribedScript | undefined => {
  const keys = derivedAt(signers, position)
  if (keys === undefined) return undefined
  const isHalf = surroundings === "tr"
  const bytes = (key: number): Uint8Array => isHalf ? xOnly(keys[key]!.bytes) : keys[key]!.bytes
  const hash = (key: number): Uint8Array => crypto.hash160(bytes(key))
  const script = scriptOfMiniscript(root, { bytes, hash })
  // Decodes the script again with the keys, since the decoder knows one of two ways to write it.
  const places = (of: (key: number) => Uint8Array) => new Map(keys.map((_, key) => [hexOf(of(key)), key]))
  const [byBytes, byHash] = [places(bytes), places(hash)]
  const byHashAlone = new Set<number>()
  const known = decodeMiniscript(script, surroundings, {
    ofBytes: (found) => byBytes.get(hexOf(found)),
    ofHash: (found) => {
      const key = byHash.get(hexOf(found))
      if (key !== undefined) byHashAlone.add(key)
      return key
    }
  })
  // A hash is always of the whole key, so the key is fully known.
  const text = (key: number): string => (isHalf && !byHashAlone.has(key) ? half : full)(keys[key]!)
  return {
    script,
    descriptor: miniscriptText(known ?? root, text),
    inner: [],
    keys,
    hashed: keys.map((key, i) => ({ hash: hash(i), key: key.bytes }))
  }
}

type Tree = Extract<Expression, { readonly form: "tr" }>

const ofTree = ({ key, leaves }: Tree, position: number, context: DescriptorContext): DescribedScript | undefined => {
  const internal = key.at(position)
  if (internal === undefined) return undefined
  const described: Array<DescribedScript> = []
  for (const { expression } of leaves) {
    const leaf = bareScripts(expression, position, context)?.[0]
    if (leaf === undefined) return undefined
    described.push(leaf)
  }
  const hung = leaves.map(({ depth }, i) => ({ depth, script: described[i]!.script }))
  const texts = new Map(leaves.map(({ expression }, i) => [expression, described[i]!.descriptor]))
  const ordered = inferredOrder(hung, context.crypto).map((place) => leaves[place]!)
  const tree = leaves.length === 0 ? "" : `,${treeText(ordered, (expression) => texts.get(expression)!)}`
  return {
    script: Scripts.taprootScript(Scripts.taprootOutputKey(xOnly(internal.bytes), hung, context.crypto)),
    descriptor: `tr(${half(internal)}${tree})`,
    inner: [],
    keys: [internal, ...described.flatMap(({ keys }) => keys)],
    hashed: [...hashedKeys([internal], context.crypto), ...described.flatMap((leaf) => leaf.hashed)],
    taproot: { internalKey: internal.bytes, leaves: hung }
  }
}

const known = (script: Uint8Array, { network }: DescriptorContext): DescribedScript => {
  const kind = scriptKind(script)
  const [descriptor = ""] = inferredDescriptor(script, kind, addressOf(kind, network.addresses)).split("#")
  return { script, descriptor, inner: [], keys: [], hashed: [] }
}

const one = (script: DescribedScript | undefined): ReadonlyArray<DescribedScript> | undefined =>
  script === undefined ? undefined : [script]

type Sole = Extract<Expression, { readonly isXOnly: boolean }>

const ofSoleKey = (
  expression: Sole,
  position: number,
  context: DescriptorContext
): ReadonlyArray<DescribedScript> | undefined => {
  // The expression keeps a key that no script contains.
  if (expression.form === "unused") return []
  const key = expression.key.at(position)
  if (key === undefined) return undefined
  if (expression.form === "combo") return combined(key, context)
  if (expression.form !== "rawtr") return [ofKey(expression.form, key, expression.isXOnly, context)]
  const script = Scripts.taprootScript(xOnly(key.bytes))
  return [{ script, descriptor: `rawtr(${half(key)})`, inner: [], keys: [key], hashed: [] }]
}

const bareScripts = (
  expression: Expression,
  position: number,
  context: DescriptorContext
): ReadonlyArray<DescribedScript> | undefined => {
  switch (expression.form) {
    case "addr":
    case "raw":
      return [known(expression.script, context)]
    case "sh":
    case "wsh":
      return bareScripts(expression.inner, position, context)?.map((inner) => hashed(expression.form, inner, context))
    case "tr":
      return one(ofTree(expression, position, context))
    case "miniscript":
      return one(ofMiniscript(expression, position, context))
    case "multi":
    case "sortedmulti":
    case "multi_a":
    case "sortedmulti_a":
      return one(ofKeys(expression, position))
    default:
      return ofSoleKey(expression, position, context)
  }
}

/** Derives the scripts of a descriptor at a position. Returns `undefined` if they need unknown private keys. */
export const scriptsAt = (
  expression: Expression,
  position: number,
  context: DescriptorContext
): ReadonlyArray<DescribedScript> | undefined =>
  bareScripts(expression, position, context)
    ?.map((each) => ({ ...each, descriptor: withChecksum(each.descriptor) }))
