import { base58, bech32m } from "@scure/base"
import { type AddressPrefixes, addressOf, PREFIXES, privateKeyOf, privateKeyText, scriptOf } from "../codec/address.ts"
import { segwitAddressOf, segwitScriptOf } from "../codec/segwit-address.ts"
import type { Field } from "../formats/field.ts"
import { hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Case, Runner } from "./runner.ts"

// Addresses are no business of the rules. Until the protocol package has its own codec, these judge the one in
// `codec/`.

const rows = (caseOf: (row: Field) => { readonly name: string; readonly judge: () => Outcome }): Runner =>
  function*(file) {
    for (const [index, row] of readJson(file).items.entries()) yield { index: String(index), ...caseOf(row) }
  }

const hexOrNone = (bytes: Uint8Array | undefined): string => bytes === undefined ? "none" : hexOf(bytes)

/** Rows `[hex, base58]`. */
export const base58Pairs: Runner = rows((row) => ({
  name: row.at(1).text,
  judge: () =>
    same("text", row.at(1).text, base58.encode(row.at(0).bytes)) ??
      same("bytes", row.at(0).text.toLowerCase(), hexOf(base58.decode(row.at(1).text)))
}))

const flippedCase = (text: string): string =>
  text.replace(/[a-zA-Z]/g, (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())

const judgePrivateKey = (text: string, hex: string, facts: Field, prefixes: AddressPrefixes): Outcome => {
  const found = privateKeyOf(text, prefixes)
  return same("key", hex, hexOrNone(found?.key)) ??
    same("compressed", facts.get("isCompressed").boolean, found?.compressed) ??
    same("text", text, found && privateKeyText(found, prefixes)) ??
    same("script", "none", hexOrNone(scriptOf(text, prefixes)))
}

const judgeAddress = (text: string, hex: string, caseMayFlip: boolean, prefixes: AddressPrefixes): Outcome => {
  const script = scriptOf(text, prefixes)
  return same("script", hex, hexOrNone(script)) ??
    same("text", text, script && addressOf(script, prefixes)) ??
    same("script in the other case", caseMayFlip ? hex : "none", hexOrNone(scriptOf(flippedCase(text), prefixes))) ??
    same("private key", "none", hexOrNone(privateKeyOf(text, prefixes)?.key))
}

/** Rows `[text, scriptPubKey or private key, {chain, isPrivkey, isCompressed?, tryCaseFlip?}]`. */
export const keyIoValid: Runner = rows((row) => ({
  name: row.at(0).text,
  judge: () => {
    const facts = row.at(2)
    const prefixes = PREFIXES[facts.get("chain").text] ?? facts.fail("unknown chain")
    return facts.get("isPrivkey").boolean
      ? judgePrivateKey(row.at(0).text, row.at(1).text, facts, prefixes)
      : judgeAddress(row.at(0).text, row.at(1).text, facts.find("tryCaseFlip")?.boolean ?? false, prefixes)
  }
}))

/** Rows `[text]`: neither an address nor a key anywhere. */
export const keyIoInvalid: Runner = rows((row) => ({
  name: row.at(0).text,
  judge: () => {
    const accepting = Object.values(PREFIXES).filter((prefixes) =>
      scriptOf(row.at(0).text, prefixes) !== undefined || privateKeyOf(row.at(0).text, prefixes) !== undefined
    )
    return same("networks that accept it", 0, accepting.length)
  }
}))

const HASH_SCRIPTS: Readonly<Record<string, readonly [string, string]>> = {
  pubkey: ["76a914", "88ac"],
  script: ["a914", "87"]
}

/** The older form of key_io_valid: `[text, hash or private key, {isPrivkey, isTestnet, isCompressed? or addrType}]`. */
export const base58KeysValid: Runner = rows((row) => ({
  name: row.at(0).text,
  judge: () => {
    const facts = row.at(2)
    const prefixes = facts.get("isTestnet").boolean ? PREFIXES["test"]! : PREFIXES["main"]!
    if (facts.get("isPrivkey").boolean) return judgePrivateKey(row.at(0).text, row.at(1).text, facts, prefixes)
    const [before, after] = HASH_SCRIPTS[facts.get("addrType").text] ?? facts.fail("unknown addrType")
    return judgeAddress(row.at(0).text, before + row.at(1).text + after, false, prefixes)
  }
}))

const decodesAsBech32m = (text: string): string | undefined => {
  try {
    const { prefix, words } = bech32m.decode(text as `${string}1${string}`)
    return bech32m.encode(prefix, words)
  } catch {
    return undefined
  }
}

const SEGWIT_HRPS = ["bc", "tb"]

const segwitText = (text: string): { readonly script: string; readonly encoded: string } => {
  const found = SEGWIT_HRPS.map((hrp) => ({ hrp, script: segwitScriptOf(hrp, text) })).find(({ script }) =>
    script !== undefined
  )
  if (found?.script === undefined) return { script: "none", encoded: "none" }
  return { script: hexOf(found.script), encoded: segwitAddressOf(found.hrp, found.script) }
}

const judgeSegwit = (text: string, script: string): Outcome =>
  same("script", script, segwitText(text).script) ?? same("text", text.toLowerCase(), segwitText(text).encoded)

const BIP350: ReadonlyArray<
  readonly [string, (row: Field) => { readonly name: string; readonly judge: () => Outcome }]
> = [
  [
    "bech32mValid",
    (row) => ({ name: row.text, judge: () => same("text", row.text.toLowerCase(), decodesAsBech32m(row.text)) })
  ],
  [
    "bech32mInvalid",
    (row) => ({ name: row.at(1).text, judge: () => same("text", undefined, decodesAsBech32m(row.at(0).text)) })
  ],
  ["segwitValid", (row) => ({ name: row.at(0).text, judge: () => judgeSegwit(row.at(0).text, row.at(1).text) })],
  [
    "segwitInvalid",
    (row) => ({ name: row.at(1).text, judge: () => same("script", "none", segwitText(row.at(0).text).script) })
  ]
]

/** The vectors of BIP350: `{bech32mValid, bech32mInvalid, segwitValid, segwitInvalid}`. */
export const bech32Vectors: Runner = function*(file): Iterable<Case> {
  const vectors = readJson(file)
  for (const [list, caseOf] of BIP350) {
    for (const [index, row] of vectors.get(list).items.entries()) yield { index: `${list}-${index}`, ...caseOf(row) }
  }
}
